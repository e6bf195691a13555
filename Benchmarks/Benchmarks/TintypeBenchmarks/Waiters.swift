import Benchmark
import Foundation
import Tintype
import TintypeTesting

/// A thousand who wait for one transfer from an origin in this process, which answers when all of them wait: the time is
/// that of one of them, the transfer included.
func waiters() {
    Benchmark("Waiters.shared", configuration: .sampling(.kilo)) { benchmark, crowd in
        let (url, gate) = crowd.gatedURL(benchmark.currentIteration)
        try await benchmark.sample {
            let downloads = benchmark.scaledIterations.map { _ in crowd.downloader.download(.url(url)) }
            gate.open()
            for download in downloads { blackHole(try await download.bytes) }
        }
        let count = crowd.origin.requestCount(url.path())
        if count != 1 { benchmark.error("\(count) requests instead of one") }
    } setup: {
        try await WaitingCrowd()
    }

    Benchmark("Waiters.control", configuration: .sampling(.kilo)) { benchmark, crowd in
        let (url, gate) = crowd.gatedURL(benchmark.currentIteration)
        try await benchmark.sample {
            let transfer = Task { [crowd] in try await crowd.downloader.download(.url(url)).bytes }
            let tasks = benchmark.scaledIterations.map { _ in Task { try await transfer.value } }
            gate.open()
            for task in tasks { blackHole(try await task.value) }
        }
    } setup: {
        try await WaitingCrowd()
    }
}

private final class WaitingCrowd: Sendable {
    let origin: Origin
    let downloader = Downloader()

    init() async throws {
        origin = try await Origin.start()
    }

    func gatedURL(_ number: Int) -> (URL, OriginGate) {
        let gate = OriginGate()
        origin.serve("/\(number)", .image(Data(count: 30 << 10), type: "image/png").with(\.gate, gate))
        return (origin.url("/\(number)"), gate)
    }
}
