import CBenchmarkControls
import Foundation
import Timing
import TintypeCore
import TintypeHTTP

/// Measures response bodies of 30 KB over kept connections, several at once, from the nginx that
/// `scripts/bench/measure-transfers` starts, and compares them with a plain program over libcurl.
struct Bodies {
    private let width: Int
    private let downloader: Downloader
    private let client: OpaquePointer
    private let urls: [URL]
    private let texts: [UnsafePointer<CChar>?]

    private static let size = 30 << 10

    init(of origin: URL, width: Int) throws {
        // The URLs differ, because equal ones would share a transfer.
        urls = (0..<1_000).compactMap { URL(string: "\(origin)/30k.bin?\($0)") }
        texts = urls.map { UnsafePointer(strdup($0.absoluteString)) }
        self.width = width
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = width
        configuration.connectionsPerHost = width
        downloader = Downloader(configuration)
        guard let client = control_client_create(width) else { throw Unexpected() }
        self.client = client
    }

    func end() {
        control_client_free(client)
        for text in texts { free(UnsafeMutablePointer(mutating: text)) }
    }

    func measure(rounds: Int) async throws {
        try await run()
        try control()
        let timing = try await Timing(rounds: rounds, operations: urls.count) { _ in
            try await run()
        } control: { _ in
            try control()
        }
        timing.report("a body of 30 KB, \(width) at once", goal: 1.4)
        let (ours, plain) = (try await cost(run), try await cost(control))
        print("allocations: \(ours.allocations), control \(plain.allocations)")
        let ratio = (ours.time / plain.time).rounded(2)
        let times = "\(ours.time.rounded(1)) µs, control \(plain.time.rounded(1)) µs"
        print("processor time: \(times): \(ratio) × (goal 1.4)")
    }

    /// Loads every URL with the downloader, `width` at a time.
    private func run() async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<width {
                group.addTask { [urls, width, downloader] in
                    for number in stride(from: worker, to: urls.count, by: width) {
                        let data = try await downloader.download(.url(urls[number])).bytes.data
                        try check(data.count == Self.size)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Loads every URL with the plain program.
    private func control() throws {
        let count = texts.withUnsafeBufferPointer { control_client_load(client, $0.baseAddress, $0.count) }
        try check(count == Self.size * urls.count)
    }

    /// Returns the allocations and the processor time in microseconds per body. The processor time does not depend on
    /// other processes.
    private func cost(_ load: () async throws -> Void) async throws -> (allocations: Int, time: Double) {
        let before = clock()
        for _ in 0..<10 { try await load() }
        let seconds = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        control_count_allocations()
        try await load()
        let allocations = Int(control_counted_allocations()) / urls.count
        return (allocations, seconds * 1e6 / Double(10 * urls.count))
    }
}
