import Foundation

/// Times transfers beside a bare client in the same run, and prints the ratios that `scripts/measure-transfers` is about.
///
/// Arguments: what to measure, `bodies` of an origin, a `large` one, or `waiters`; then the origin's address, and how
/// many rounds.
@main
struct TransferTimings {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.dropFirst().first.flatMap { URL(string: $0) }) {
        case ("bodies", let origin?):
            for width in [6, 32] {
                let bodies = try Bodies(of: origin, width: width)
                try await bodies.measure(rounds: arguments.dropFirst(2).first.flatMap { Int($0) } ?? 60)
                try await bodies.end()
            }
        case ("large", let origin?): try await LargeBody(of: origin).measure()
        case ("waiters", _): try await Waiters().measure()
        default: print("usage: TransferTimings bodies ORIGIN [ROUNDS] | large ORIGIN | waiters")
        }
    }
}
