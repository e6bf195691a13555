import Foundation
import TintypeCore
import TintypeHTTP

/// What 2,000 transfers cost while they wait for the heads of their responses.
///
/// The origin is in the same process. It has no memory for each connection but a descriptor.
enum WaitingRows {
    private static let count = 2_000

    /// Values: the memory of each transfer in KB, and how many threads all of them have added.
    static func waiting(_ arguments: [String]) throws -> Contest {
        var contest = Contest()
        contest.values["KB each"] = {
            let (before, waiting) = try await measure("RssAnon")
            return Double(waiting - before) / Double(count)
        }
        contest.values["threads"] = {
            let (before, waiting) = try await measure("Threads")
            return Double(waiting - before)
        }
        return contest
    }

    /// Returns a number of this process before the transfers, and while they wait.
    private static func measure(_ field: String) async throws -> (before: Int, waiting: Int) {
        try raiseDescriptorLimit()
        let origin = try LateOrigin()
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = count
        configuration.connectionsPerHost = count
        configuration.idleTimeout = .seconds(600)
        let downloader = Downloader(configuration)
        // The first one loads libcurl and starts threads.
        _ = try await load(1, downloader, origin) { 0 }
        let before = try ProcessMemory.kilobytes(field)
        return (before, try await load(count, downloader, origin) { try ProcessMemory.kilobytes(field) })
    }

    /// Starts transfers, reads a number while all of them wait, and has them answered.
    private static func load(
        _ count: Int, _ downloader: Downloader, _ origin: LateOrigin, whileWaiting read: () throws -> Int
    ) async throws -> Int {
        let downloads = (0..<count).compactMap { number in
            URL(string: "http://127.0.0.1:\(origin.port)/\(number)").map { downloader.download(.url($0)) }
        }
        let connections = try origin.acceptRequests(count)
        let number = try read()
        for connection in connections { try origin.answer(connection) }
        for download in downloads { try check(try await download.bytes.data.count == LateOrigin.body.count) }
        // Each connection ends with its response.
        for connection in connections { close(connection) }
        return number
    }

    private static func raiseDescriptorLimit() throws {
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = min(limit.rlim_max, 3 * rlim_t(count))
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
