import Foundation
import Timing
import TintypeCore
import TintypeHTTP
import TintypeTesting

/// Compares transfers with a plain program over libcurl in the same run, and prints the ratios for `scripts/bench/measure-transfers`.
///
/// The first argument is `bodies`, `large`, `paused`, `waiters` or `waiting`. The second is the URL of the origin for the first
/// three; the third is the number of rounds for `bodies`, and the path of the origin's certificate for `paused`.
@main
struct TransferTimings {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.dropFirst().first.flatMap { URL(string: $0) }) {
        case ("bodies", let origin?):
            for width in [6, 32] {
                let bodies = try Bodies(of: origin, width: width)
                try await bodies.measure(rounds: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 60)
                bodies.end()
            }
        case ("large", let origin?): try await LargeBody(of: origin).measure()
        case ("paused", let origin?) where arguments.count > 2:
            try await PausedStream(origin: origin, certificate: arguments[2]).measure()
        case ("waiters", _): try await Waiters().measure()
        case ("waiting", _): try await Waiting().measure()
        default:
            print(
                "usage: TransferTimings bodies ORIGIN [ROUNDS] | large ORIGIN | paused ORIGIN FILE | waiters | waiting")
        }
    }
}

/// Measures ten thousand waiters for one transfer from an origin in the same process, which answers when all of them
/// wait.
struct Waiters {
    private static let count = 10_000

    func measure() async throws {
        let origin = try await Origin.start()
        let downloader = Downloader()
        var times: [Double] = []
        for round in 0..<51 {
            let gate = OriginGate()
            let path = "/\(round)"
            origin.serve(path, response: .image(Data(count: 30 << 10), type: "image/png").setting(\.gate, to: gate))
            times.append(try await wait(for: origin.url(path), downloader, gate))
            try check(origin.requestCount(path) == 1)
        }
        print("each of \(Self.count) waiters: \(times.median.rounded(0)) ns (goal 2000)")
    }

    /// Returns the nanoseconds per waiter, including the transfer.
    private func wait(for url: URL, _ downloader: Downloader, _ gate: OriginGate) async throws -> Double {
        try await Timing.time(Self.count) {
            let downloads = (0..<Self.count).map { _ in downloader.download(.url(url)) }
            gate.open()
            for download in downloads { try check(try await download.bytes.data.count == 30 << 10) }
        }
    }
}
