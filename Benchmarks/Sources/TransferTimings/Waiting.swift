import Foundation
import Timing
import TintypeCore
import TintypeHTTP

/// Measures what 2,000 transfers cost while they wait for the heads of their responses: memory, threads and processor time.
///
/// The origin is in the same process. It has no memory for each connection but a descriptor.
struct Waiting {
    private static let count = 2_000

    func measure() async throws {
        try raiseDescriptorLimit()
        let origin = try LateOrigin()
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = Self.count
        configuration.connectionsPerHost = Self.count
        configuration.idleTimeout = .seconds(600)
        let downloader = Downloader(configuration)
        // The first one loads libcurl and starts threads.
        try await load(1, downloader, origin) {}
        let before = try ProcessStatus()
        let start = clock()
        var (waiting, idle) = (before, 0.0)
        try await load(Self.count, downloader, origin) {
            waiting = try ProcessStatus()
            let start = clock()
            try await Task.sleep(for: .seconds(2))
            idle = Double(clock() - start) / Double(CLOCKS_PER_SEC)
        }
        let time = Double(clock() - start) / Double(CLOCKS_PER_SEC) * 1e6 / Double(Self.count)
        let bytes = Double(waiting.residentBytes - before.residentBytes) / Double(Self.count)
        print("\(Self.count) transfers that wait: \((bytes / 1024).rounded(1)) KB each (goal 24)")
        print("threads: \(waiting.threadCount - before.threadCount) more (goal: none of its own for a transfer)")
        print("processor time: \(time.rounded(0)) µs each in all, \((idle * 500).rounded(1)) ms in a second of waiting")
    }

    /// Starts transfers, does something while all of them wait, and has them answered.
    private func load(
        _ count: Int, _ downloader: Downloader, _ origin: LateOrigin, whileWaiting body: () async throws -> Void
    ) async throws {
        let downloads = (0..<count).compactMap { number in
            URL(string: "http://127.0.0.1:\(origin.port)/\(number)").map { downloader.download(.url($0)) }
        }
        let connections = try origin.acceptRequests(count)
        try await body()
        for connection in connections { try origin.answer(connection) }
        for download in downloads { try check(try await download.bytes.data.count == LateOrigin.body.count) }
        // Each connection ends with its response.
        for connection in connections { close(connection) }
    }

    private func raiseDescriptorLimit() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 3 * rlim_t(Self.count))
        try check(setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0)
    }
}

/// An origin that answers when it is told to.
private struct LateOrigin {
    static let body = "image"

    let port: Int
    private let listener: Int32

    init() throws {
        listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let listener = listener
        let isListening = withUnsafeMutableBytes(of: &address) { bytes in
            guard let pointer = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            return bind(listener, pointer, size) == 0 && listen(listener, 4096) == 0
                && getsockname(listener, pointer, &size) == 0
        }
        try check(isListening)
        port = Int(UInt16(bigEndian: address.sin_port))
    }

    /// Accepts connections, and reads the request of each.
    func acceptRequests(_ count: Int) throws -> [Int32] {
        try (0..<count).map { _ in
            let connection = accept(listener, nil, nil)
            try check(connection >= 0)
            var buffer = [UInt8](repeating: 0, count: 1024)
            var request = ""
            while !request.hasSuffix("\r\n\r\n") {
                let length = recv(connection, &buffer, buffer.count, 0)
                try check(length > 0)
                request += String(decoding: buffer.prefix(length), as: UTF8.self)
            }
            return connection
        }
    }

    func answer(_ connection: Int32) throws {
        let text = "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: \(Self.body.utf8.count)\r\n\r\n\(Self.body)"
        try check(send(connection, text, text.utf8.count, 0) == text.utf8.count)
    }
}

/// The memory and the threads of this process.
struct ProcessStatus {
    /// The resident memory in bytes, without mapped files.
    let residentBytes: Int
    let threadCount: Int

    init() throws {
        let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
        let numbers = Dictionary(
            status.split(separator: "\n").compactMap { line -> (Substring, Int)? in
                let words = line.split { $0 == ":" || $0 == "\t" || $0 == " " }
                return words.count > 1 ? Int(words[1]).map { (words[0], $0) } : nil
            }, uniquingKeysWith: { $1 })
        guard let memory = numbers["RssAnon"], let threads = numbers["Threads"] else { throw Unexpected() }
        (residentBytes, threadCount) = (memory << 10, threads)
    }
}
