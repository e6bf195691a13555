import Foundation
import TintypeCore

/// The terminal that tmux runs in, as tmux describes it.
package struct TmuxClient: Hashable, Sendable {
    /// The value of `TERM` of that terminal.
    package let term: String
    /// Whether tmux knows that the terminal shows all colours.
    package let hasTrueColor: Bool

    /// Whether the terminal shows images of kitty's protocol by placeholders, and tmux passes them on.
    package let hasPlaceholders: Bool

    /// Parses the output of ``question``. Its fields are separated by bars, and the last one may contain some.
    package init?(_ answer: String) {
        let line = answer.prefix { !$0.isNewline }
        let fields = line.split(separator: "|", maxSplits: 4, omittingEmptySubsequences: false).map(String.init)
        guard fields.count == 5 else { return nil }
        term = fields[0]
        hasTrueColor = fields[1].split(separator: ",").contains("RGB")
        // tmux 3.3 prints 1. A second client may be another terminal.
        let isPassedOn = ["1", "on", "all"].contains(fields[2]) && fields[3] == "1"
        hasPlaceholders = isPassedOn && Self.knowsPlaceholders(term: term, name: fields[4])
    }

    /// The arguments of `tmux` that print what ``init(_:)`` parses: the terminal's value of `TERM`, its features,
    /// whether the pane may pass strings on, the number of terminals that show the session, and the name and version of
    /// the terminal.
    static let question = [
        "tmux", "display-message", "-p",
        "#{client_termname}|#{client_termfeatures}|#{allow-passthrough}|#{session_attached}|#{client_termtype}",
    ]

    /// Whether a terminal is known to show placeholders: Ghostty, and kitty from 0.28 on. Others that understand
    /// kitty's protocol, such as Konsole, print them as text.
    ///
    /// - Parameters:
    ///   - term: The value of `TERM`.
    ///   - name: The name and version that the terminal reports (XTVERSION); may be empty.
    private static func knowsPlaceholders(term: String, name: String) -> Bool {
        if term == "xterm-ghostty" || name.hasPrefix("ghostty ") { return true }
        guard name.hasPrefix("kitty("), name.hasSuffix(")") else { return false }
        let version = name.dropFirst(6).dropLast().split(separator: ".").map { Int($0) }
        guard version.count >= 2, let major = version[0], let minor = version[1] else { return false }
        return major > 0 || major == 0 && minor >= 28
    }

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

    /// Runs a command that the search path has, and returns its standard output; `nil` if it cannot be run, or does not
    /// end in time.
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

    /// Waits for the end of a process, and kills it after `end`: it may have closed its output and still run.
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
