import Foundation

/// Runs a disk cache under the worst conditions, and fails if it ever returns wrong bytes. `make crash-test` and the
/// disk cache's tests run this program.
///
///     CrashTest kills ROUNDS                  kills writers at random moments
///     CrashTest bytes ENTRY-STEP INDEX-STEP   changes bytes of a sample store, one in STEP
///     CrashTest full [SHIM]                   fills the disk at every write (scripts/check/full-disk.c), or by a limit
///     CrashTest write DIRECTORY SEED          one writer, until it is killed
///     CrashTest scenario DIRECTORY [LIMIT]    the work on the full disk, as a process that may fail
@main
struct CrashTest {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        func number(_ index: Int) -> Int? { arguments.indices.contains(index) ? Int(arguments[index]) : nil }
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

    /// Prints progress and flushes the output.
    static func report(_ message: String) {
        print(message)
        fflush(nil)
    }

    /// Prints what is wrong and exits with status 1.
    static func fail(_ message: String) -> Never {
        print("FAILED: \(message)")
        exit(1)
    }
}

/// A child process that runs this program. It uses `posix_spawn` and `waitpid`, because Foundation's `Process` may miss
/// the end of a child that is killed during its start.
struct Child {
    let processIdentifier: pid_t

    /// Starts a child.
    ///
    /// - Parameter output: The descriptor of its standard output; `nil` discards the output.
    /// - Throws: `POSIXError` if the child cannot be started.
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

    /// Waits until the child has ended. Blocks the calling thread.
    ///
    /// - Returns: Whether it exited with status 0.
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
