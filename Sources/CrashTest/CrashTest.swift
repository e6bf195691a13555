import Foundation

/// Treats a disk cache as badly as it will ever be treated, and fails when it then gives anything but right bytes or a
/// miss. `make crash-test` and the tests of the disk cache run it.
///
///     CrashTest kills ROUNDS              writers are killed in the middle, again and again
///     CrashTest bytes ENTRY-STEP INDEX-STEP   every ENTRY-STEPth change of a byte of a sample store
///     CrashTest full [SHIM]               a full disk at every write point, by SHIM (scripts/check/full-disk.c) or a limit
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

/// This program again, as a process of its own, waited for by the kernel's own means: that of Foundation may not notice
/// the end of one that is killed while it starts.
struct Child {
    let processIdentifier: pid_t

    /// - Parameter output: what it writes to; by default nothing is heard of it.
    static func start(
        _ arguments: String..., environment: [String: String] = [:], output: CInt? = nil
    ) throws -> Child {
        let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let variables = ProcessInfo.processInfo.environment.merging(environment) { $1 }.map { "\($0)=\($1)" }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for output in [STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, output, "/dev/null", O_WRONLY, 0)
        }
        if let output { posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO) }
        var child: pid_t = 0
        let problem = withStrings([program] + arguments) { arguments in
            withStrings(variables) { posix_spawn(&child, program, &actions, nil, arguments, $0) }
        }
        guard problem == 0 else { throw POSIXError(POSIXErrorCode(rawValue: problem) ?? .EIO) }
        return Child(processIdentifier: child)
    }

    /// Blocks until it has ended.
    ///
    /// - Returns: whether it ended by itself and well.
    @discardableResult
    func wait() -> Bool {
        var status: CInt = 0
        while waitpid(processIdentifier, &status, 0) < 0 && errno == EINTR {}
        return status == 0
    }

    private static func withStrings<Result>(
        _ strings: [String], _ body: ([UnsafeMutablePointer<CChar>?]) -> Result
    ) -> Result {
        let copies = strings.map { strdup($0) }
        defer { copies.forEach { free($0) } }
        return body(copies + [nil])
    }
}
