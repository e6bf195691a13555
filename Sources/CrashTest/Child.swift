import Foundation

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
