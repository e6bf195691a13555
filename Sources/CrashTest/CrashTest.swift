import Foundation

/// Treats a disk cache as badly as it will ever be treated, and fails when it then gives anything but right bytes or a
/// miss. `make crash-test` and the tests of the disk cache run it.
///
///     CrashTest kills ROUNDS              writers are killed in the middle, again and again
///     CrashTest bytes ENTRY-STEP INDEX-STEP   every ENTRY-STEPth change of a byte of a sample store
///     CrashTest full [SHIM]               a full disk at every write point, by SHIM (scripts/full-disk.c) or a limit
///     CrashTest write DIRECTORY SEED      one writer, until it is killed
///     CrashTest scenario DIRECTORY [LIMIT]    what is done on the full disk, by a process that can fail alone
@main
struct CrashTest {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ place: Int) -> Int? { arguments.indices.contains(place) ? Int(arguments[place]) : nil }
        switch (arguments.first, arguments.count) {
        case ("kills", 2): try await KillRounds(count: number(1) ?? 1).run()
        case ("bytes", 3): try await ByteChanges(entryStep: number(1) ?? 1, indexStep: number(2) ?? 1).run()
        case ("full", 1): try await FullDisk(shim: nil).run()
        case ("full", 2): try await FullDisk(shim: arguments[1]).run()
        case ("write", 3): try await Writer(directory: arguments[1], seed: UInt64(number(2) ?? 1)).run()
        case ("scenario", 2...3): try await FullDiskScenario(directory: arguments[1], limit: number(2)).run()
        default:
            print("usage: CrashTest kills ROUNDS | bytes ENTRY-STEP INDEX-STEP | full [SHIM]")
            exit(2)
        }
    }

    /// Says how far it is, at once.
    static func tell(_ message: String) {
        print(message)
        fflush(nil)
    }

    /// Says what is wrong, and ends with a status that tells.
    static func fail(_ message: String) -> Never {
        print("FAILED: \(message)")
        exit(1)
    }
}
