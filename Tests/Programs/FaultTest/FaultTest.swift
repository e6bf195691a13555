import Foundation
import TintypeCore
import TintypeTesting

/// Loads thousands of images from a misbehaving origin under a memory limit. Fails if a result is wrong, a load hangs,
/// or anything is left behind. `make faults` runs this program.
///
///     FaultTest run SECONDS [COUNT]           loads COUNT URLs (10,000), again and again, for about SECONDS
///     FaultTest origin SEED COUNT             the origin, as a process, until its input ends
@main
struct FaultTest {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ index: Int) -> Int? { arguments.indices.contains(index) ? Int(arguments[index]) : nil }
        switch (arguments.first, number(1), number(2)) {
        case ("run", let seconds?, let count): try await run(seconds: seconds, count: count ?? 10_000)
        case ("origin", let seed?, let count?):
            try await FaultOrigin(seed: UInt64(clamping: seed), count: count).serveUntilInputEnds()
        default:
            print("usage: FaultTest run SECONDS [COUNT]")
            exit(2)
        }
    }

    private static func run(seconds: Int, count: Int) async throws {
        try limitMemory(to: 1 << 30)
        let run = try FaultRun(count: count, seed: SeededRandom.printedSeed("faults"))
        let tally = try await run.repeatRounds(for: .seconds(seconds))
        print(tally.table)
        print("peak memory: \(ProcessStatus.peakMemory >> 20) MB")
        guard tally.problems.isEmpty else {
            for problem in tally.problems.prefix(40) { print("FAILED: \(problem)") }
            exit(1)
        }
        print("faults: every result is right or a proper error, and nothing is left behind")
    }

    /// Limits the private memory that this process can write, so that an allocation above the limit fails.
    private static func limitMemory(to byteCount: UInt) throws {
        var limit = rlimit(rlim_cur: byteCount, rlim_max: byteCount)
        guard setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EPERM)
        }
    }
}
