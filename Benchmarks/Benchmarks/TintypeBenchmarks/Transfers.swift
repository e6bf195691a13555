import AsyncHTTPClient
import Benchmark
import Foundation
import NIOCore
import Tintype

/// A thousand bodies of 30 KB over kept connections from the nginx that `scripts/bench` starts, so many at once, each
/// delivered whole.
func transfers() {
    for width in [6, 32] {
        Benchmark("Transfers.\(width)", configuration: .sampling(.kilo)) { benchmark, transfers in
            try await benchmark.sample {
                try await transfers.run(benchmark.scaledIterations.count) { try await transfers.byDownloader($0) }
            }
        } setup: {
            try Transfers(width: width)
        }

        Benchmark("Transfers.\(width).control", configuration: .sampling(.kilo)) { benchmark, transfers in
            try await benchmark.sample {
                try await transfers.run(benchmark.scaledIterations.count) { try await transfers.bare($0) }
            }
        } setup: {
            try Transfers(width: width)
        }
    }
}

private final class Transfers: Sendable {
    private let width: Int
    private let downloader: Downloader
    private let client: HTTPClient
    private let urls: [URL]

    init(width: Int) throws {
        guard let base = ProcessInfo.processInfo.environment["TINTYPE_BENCH_ORIGIN"] else {
            throw URLError(.cannotFindHost)
        }
        // Different ones, since equal ones would share a transfer.
        urls = (0..<1000).compactMap { URL(string: "\(base)/30k.bin?\($0)") }
        self.width = width
        var configuration = DownloaderConfiguration()
        configuration.maximumConcurrentDownloads = width
        configuration.connectionsPerHost = width
        downloader = Downloader(configuration)
        var bare = HTTPClient.Configuration()
        bare.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = width
        bare.timeout.read = .seconds(15)
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: bare)
    }

    deinit {
        let client = client
        Task { try? await client.shutdown() }
    }

    /// So many loads, a few at a time.
    func run(_ count: Int, _ load: @escaping @Sendable (URL) async throws -> Int) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            for worker in 0..<width {
                group.addTask { [urls, width] in
                    for number in stride(from: worker, to: count, by: width) {
                        guard try await load(urls[number % urls.count]) == 30 << 10 else {
                            throw URLError(.badServerResponse)
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
    }

    func byDownloader(_ url: URL) async throws -> Int {
        try await downloader.download(.url(url)).bytes.data.count
    }

    func bare(_ url: URL) async throws -> Int {
        let response = try await client.execute(HTTPClientRequest(url: url.absoluteString), timeout: .seconds(60))
        let body = try await response.body.collect(upTo: 64 << 20)
        return Data(body.readableBytesView).count
    }
}
