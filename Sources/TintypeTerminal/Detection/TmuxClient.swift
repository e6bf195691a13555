import Foundation
import TintypeCore

/// The terminal that tmux runs in, as tmux describes it.
package struct TmuxClient: Hashable, Sendable {
    /// The value of `TERM` of that terminal.
    package let term: String
    /// Whether tmux knows that the terminal shows all colours.
    package let hasTrueColor: Bool

    /// Parses the output of ``question``: the name, a bar, and the features.
    package init?(_ answer: String) {
        let fields = answer.split(separator: "|", omittingEmptySubsequences: false)
        guard fields.count == 2 else { return nil }
        term = String(fields[0])
        hasTrueColor = fields[1].split(whereSeparator: { $0 == "," || $0.isNewline }).contains("RGB")
    }

    /// The arguments of `tmux` that print what ``init(_:)`` parses.
    static let question = ["tmux", "display-message", "-p", "#{client_termname}|#{client_termfeatures}"]

    /// Asks tmux by its command. Queries to the terminal would be answered by tmux itself.
    ///
    /// - Parameter patience: The time after which the command is ended.
    /// - Returns: `nil` if tmux does not answer.
    package static func ask(within patience: Duration) -> TmuxClient? {
        CommandOutput.read(question, within: patience).flatMap(TmuxClient.init)
    }
}

/// The output of a short command.
enum CommandOutput {
    /// The largest output that is read, in bytes.
    private static let maximumCount = 4096

    /// Runs a command that the search path has, and returns its standard output; `nil` if it cannot be run, or does not end
    /// in time.
    static func read(_ command: [String], within patience: Duration) -> String? {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return nil }
        defer { close(ends[0]) }
        // The command gets a copy of one end, and must not hold the other.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        guard let process = start(command, output: ends[1]) else {
            close(ends[1])
            return nil
        }
        close(ends[1])
        let end = ContinuousClock.now + patience
        let output = readAll(ends[0], until: end)
        let status = wait(for: process, until: output == nil ? .now : end)
        return status == 0 ? output : nil
    }

    /// Waits for the end of a process, and kills it if that does not come in time: it may have closed its output and go on.
    private static func wait(for process: pid_t, until end: ContinuousClock.Instant) -> Int32 {
        var status: Int32 = 0
        while waitpid(process, &status, WNOHANG) == 0 {
            guard ContinuousClock.now < end else {
                kill(process, SIGKILL)
                while waitpid(process, &status, 0) < 0, errno == EINTR {}
                return status
            }
            _ = poll(nil, 0, 1)
        }
        return status
    }

    private static func start(_ command: [String], output: Int32) -> pid_t? {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, output, STDOUT_FILENO)
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0)
        let arguments = command.map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        var process: pid_t = 0
        return posix_spawnp(&process, command[0], &actions, nil, arguments, variables) == 0 ? process : nil
    }

    private static func readAll(_ descriptor: Int32, until end: ContinuousClock.Instant) -> String? {
        var output: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1024)
        while output.count < maximumCount {
            guard Polling.wait(for: [descriptor], until: end) != nil else { return nil }
            let count = Foundation.read(descriptor, &buffer, buffer.count)
            if count <= 0 { return String(decoding: output, as: UTF8.self) }
            output.append(contentsOf: buffer[..<count])
        }
        return nil
    }
}
