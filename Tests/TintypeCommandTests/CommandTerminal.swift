import Foundation
import Testing

/// A run of `tintype` whose controlling terminal is a pseudoterminal that a test reads, answers and types into.
final class CommandTerminal: Sendable {
    private let master: Int32
    /// Keeps the terminal, and its modes, after the command has ended.
    private let terminal: Int32
    let process: pid_t

    /// `POSIX_SPAWN_SETSID`, which the C library declares only for programs with GNU extensions.
    private static let newSession: Int16 = 0x80

    struct Unavailable: Error {}

    /// Starts the command.
    ///
    /// - Parameter environment: All variables of the command, except the search path and the home directory.
    init(_ executable: URL, _ arguments: [String], environment: [String: String]) throws {
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 640, ws_ypixel: 384)
        var (master, terminal): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &terminal, &name, nil, &size) == 0 else { throw Unavailable() }
        for descriptor in [master, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        (self.master, self.terminal) = (master, terminal)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        process = try Self.start(executable, arguments, environment, terminal: path)
    }

    deinit {
        close(master)
        close(terminal)
    }

    /// The first terminal that the leader of a session opens becomes its controlling terminal.
    private static func start(
        _ executable: URL, _ arguments: [String], _ environment: [String: String], terminal: String
    ) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] {
            posix_spawn_file_actions_addopen(&actions, descriptor, terminal, O_RDWR, 0)
        }
        var attributes = posix_spawnattr_t()
        posix_spawnattr_init(&attributes)
        defer { posix_spawnattr_destroy(&attributes) }
        posix_spawnattr_setflags(&attributes, Self.newSession)
        let path = executable.path(percentEncoded: false)
        let texts = ([path] + arguments).map { strdup($0) } + [nil]
        let inherited = ProcessInfo.processInfo.environment.filter { ["PATH", "HOME"].contains($0.key) }
        let variables = inherited.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, &attributes, texts, variables) == 0 else { throw Unavailable() }
        return process
    }

    // MARK: The other side

    /// Answers of a terminal without graphics: the attributes, the status, the place of the cursor.
    private static let answers = ["\u{1B}[c": "\u{1B}[?64;1;6c", "\u{1B}[5n": "\u{1B}[0n", "\u{1B}[6n": "\u{1B}[12;1R"]

    /// Reads, and answers queries, until the command has ended.
    func readToEnd() async -> String { await read(until: nil) }

    /// Reads, and answers queries, until the command has written a text or has ended.
    func read(until text: String?) async -> String {
        var output = ""
        var answered: [String: Int] = [:]
        while text.map(output.contains) != true {
            let new = written()
            output += new
            for (query, answer) in Self.answers {
                let count = output.components(separatedBy: query).count - 1
                for _ in (answered[query] ?? 0)..<count { type(answer) }
                answered[query] = count
            }
            if new.isEmpty, hasEnded { return output + written() }
            await Task.yield()
        }
        return output
    }

    private func written() -> String {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = Foundation.read(master, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        return String(decoding: bytes, as: UTF8.self)
    }

    func type(_ text: String) {
        _ = text.withCString { Foundation.write(master, $0, strlen($0)) }
    }

    /// The line settings that a shell would notice.
    var modes: [tcflag_t] {
        var modes = termios()
        tcgetattr(terminal, &modes)
        return [modes.c_lflag, modes.c_iflag, modes.c_oflag]
    }

    /// Whether the command has ended; it is not reaped.
    private var hasEnded: Bool {
        var info = siginfo_t()
        return waitid(P_PID, id_t(process), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_signo != 0
    }

    /// Waits for the end, and returns the exit status, or minus the number of the signal.
    func end() async -> Int32 {
        while !hasEnded { await Task.yield() }
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}
