import AsyncHTTPClient
import CBenchmarkControls
import Foundation
import NIOCore
import Timing
import TintypeCore
import TintypeHTTP

/// Measures response bodies of 30 KB over kept connections, several at once, from the nginx that
/// `scripts/bench/measure-transfers` starts.
struct Bodies {
    private let width: Int
    private let downloader: Downloader
    private let client: HTTPClient
    /// A client without an idle timeout, which is the default of async-http-client.
    private let plainClient: HTTPClient
    private let urls: [URL]

    private static let size = 30 << 10

    private typealias Load = @Sendable (URL) async throws -> Int

    init(of origin: URL, width: Int) throws {
        // The URLs differ, because equal ones would share a transfer.
        urls = (0..<1_000).compactMap { URL(string: "\(origin)/30k.bin?\($0)") }
        self.width = width
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = width
        configuration.connectionsPerHost = width
        downloader = Downloader(configuration)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: Self.bare(configuration))
        var plain = Self.bare(configuration)
        plain.timeout.read = nil
        plainClient = HTTPClient(eventLoopGroupProvider: .singleton, configuration: plain)
    }

    /// The client's configuration with the downloader's settings, where both have the same.
    private static func bare(_ configuration: DownloaderConfiguration) -> HTTPClient.Configuration {
        var bare = HTTPClient.Configuration()
        bare.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = configuration.connectionsPerHost
        bare.timeout.connect = TimeAmount(configuration.connectTimeout)
        bare.timeout.read = TimeAmount(configuration.idleTimeout)
        return bare
    }

    func end() async throws {
        try await client.shutdown()
        try await plainClient.shutdown()
    }

    func measure(rounds: Int) async throws {
        try await run(byDownloader)
        let bare = bare(client)
        try await compare(rounds, with: bare).report("a body of 30 KB, \(width) at once", goal: 1.11)
        let plain = try await compare(rounds, with: self.bare(plainClient))
        print("compared with a client without an idle timeout: \(plain.ratio.rounded(2)) ×")
        let (ours, control) = (try await cost(byDownloader), try await cost(bare))
        print("allocations: \(ours.allocations), control \(control.allocations)")
        print("processor time: \(ours.time.rounded(1)) µs, control \(control.time.rounded(1)) µs")
    }

    private func byDownloader(_ url: URL) async throws -> Int {
        try await downloader.download(.url(url)).bytes.data.count
    }

    private func bare(_ client: HTTPClient) -> Load {
        { url in
            let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .seconds(60))
            return try await response.body.collect(upTo: 64 << 20).readableBytes
        }
    }

    private func compare(_ rounds: Int, with control: @escaping Load) async throws -> Timing {
        try await run(control)
        return try await Timing(rounds: rounds, operations: urls.count) { _ in
            try await run(byDownloader)
        } control: { _ in
            try await run(control)
        }
    }

    /// Loads every URL, `width` at a time.
    private func run(_ load: @escaping Load) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<width {
                group.addTask { [urls, width] in
                    for number in stride(from: worker, to: urls.count, by: width) {
                        try check(try await load(urls[number]) == Self.size)
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    /// Returns the allocations and the processor time in microseconds per body. The processor time does not depend on
    /// other processes.
    private func cost(_ load: @escaping Load) async throws -> (allocations: Int, time: Double) {
        let before = clock()
        for _ in 0..<10 { try await run(load) }
        let seconds = Double(clock() - before) / Double(CLOCKS_PER_SEC)
        control_count_allocations()
        try await run(load)
        let allocations = Int(control_counted_allocations()) / urls.count
        return (allocations, seconds * 1e6 / Double(10 * urls.count))
    }
}
