import Foundation
import Testing
import TintypeCore

/// A run of `tintype` whose controlling terminal is a pseudoterminal that a test reads, answers and types into.
final class CommandTerminal: Sendable {
    private let master: Int32
    /// Keeps the terminal, and its modes, after the command has ended.
    private let terminal: Int32
    let process: pid_t
    /// The line settings before the command.
    let formerModes: [tcflag_t]

    /// `POSIX_SPAWN_SETSID`, which the C library declares only for programs with GNU extensions.
    private static let newSession: Int16 = 0x80

    struct Unavailable: Error {}

    /// The variables that the command inherits: without their options, sanitizers also report what is known to be no
    /// fault.
    private static let inheritedNames: Set = ["PATH", "HOME", "ASAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS"]

    private let state = Locked(TerminalTranscript())

    /// Starts the command.
    ///
    /// - Parameters:
    ///   - environment: All variables of the command, except the search path, the home directory and the options of
    ///     sanitizers.
    ///   - unanswered: The query that the terminal does not answer.
    init(
        _ executable: URL, _ arguments: [String], environment: [String: String], unanswered: String? = nil
    ) throws {
        var size = winsize(ws_row: 24, ws_col: 80, ws_xpixel: 640, ws_ypixel: 384)
        var (master, terminal): (Int32, Int32) = (-1, -1)
        var name = [CChar](repeating: 0, count: 128)
        guard openpty(&master, &terminal, &name, nil, &size) == 0 else { throw Unavailable() }
        for descriptor in [master, terminal] { _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC) }
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        (self.master, self.terminal) = (master, terminal)
        formerModes = Self.modes(of: terminal)
        let path = String(decoding: name.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        process = try Self.start(executable, arguments, environment, terminal: path)
        if let unanswered { state.withLock { $0.answers[unanswered] = nil } }
        // A thread of its own: a command waits two seconds for an answer, and the threads of tests may be busy for
        // longer. It ends with the command, and keeps the terminal until then.
        Thread.detachNewThread { [self] in serve() }
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
        // The default effects, whatever the program that runs the tests ignores.
        var (defaults, mask) = (sigset_t(), sigset_t())
        sigemptyset(&defaults)
        sigemptyset(&mask)
        for number in [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGPIPE] { sigaddset(&defaults, number) }
        posix_spawnattr_setsigdefault(&attributes, &defaults)
        posix_spawnattr_setsigmask(&attributes, &mask)
        posix_spawnattr_setflags(
            &attributes, newSession | Int16(POSIX_SPAWN_SETSIGDEF) | Int16(POSIX_SPAWN_SETSIGMASK))
        let path = executable.path(percentEncoded: false)
        let texts = ([path] + arguments).map { strdup($0) } + [nil]
        let inherited = ProcessInfo.processInfo.environment.filter { Self.inheritedNames.contains($0.key) }
        let variables = inherited.merging(environment) { $1 }.map { strdup("\($0)=\($1)") } + [nil]
        defer { for text in texts + variables { free(text) } }
        var process: pid_t = 0
        guard posix_spawn(&process, path, &actions, &attributes, texts, variables) == 0 else { throw Unavailable() }
        return process
    }

    // MARK: The other side

    /// Reads, and answers queries, until the command has ended.
    private func serve() {
        while true {
            let isOver = hasEnded
            let new = written()
            let (answers, isRead) = state.withLock { ($0.add(new), $0.takeIfRead(isOver: isOver && new.isEmpty)) }
            for answer in answers { type(answer) }
            if let isRead { isRead.promise.fulfill(isRead.output) }
            guard new.isEmpty else { continue }
            if isOver { return }
            var entry = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
            poll(&entry, 1, 20)
        }
    }

    /// Answers no further query.
    func stopAnswering() { state.withLock { $0.answers = [:] } }

    /// Reads until the command has ended.
    func readToEnd() async -> String { await read(until: nil) }

    /// Reads until the command has written a text or has ended. One task may read at a time. If it is cancelled, as by
    /// a time limit, it ends the command.
    ///
    /// - Returns: What was written since the former call.
    func read(until text: String?) async -> String {
        let promise = SharedPromise<String>()
        let read = state.withLock { $0.read(until: text, promise) }
        if let read { return read }
        return await promise.wait {
            // It has not been reaped yet, so the number is still its own.
            kill(process, SIGKILL)
            return ""
        }
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
    var modes: [tcflag_t] { Self.modes(of: terminal) }

    private static func modes(of terminal: Int32) -> [tcflag_t] {
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
        _ = await readToEnd()
        var status: Int32 = 0
        waitpid(process, &status, 0)
        return status & 0x7F == 0 ? status >> 8 & 0xFF : -(status & 0x7F)
    }
}

/// What a command has written to its terminal, and the test that reads it. A pure struct.
private struct TerminalTranscript: Sendable {
    /// A test that waits for a text, or for the end.
    struct Reader: Sendable {
        let text: String?
        let promise: SharedPromise<String>
    }

    /// Answers of a terminal without graphics: the attributes, the status, the position of the cursor.
    var answers = ["\u{1B}[c": "\u{1B}[?64;1;6c", "\u{1B}[5n": "\u{1B}[0n", "\u{1B}[6n": "\u{1B}[12;1R"]

    private var unread = ""
    /// What may be the beginning of a query.
    private var tail = ""
    private var isOver = false
    private var reader: Reader?

    /// Adds what was written, and returns the answers to its queries.
    mutating func add(_ new: String) -> [String] {
        unread += new
        var answers: [String] = []
        for (query, answer) in self.answers {
            let text = tail.suffix(query.unicodeScalars.count - 1) + new
            answers += repeatElement(answer, count: text.components(separatedBy: query).count - 1)
        }
        tail = String((tail + new).suffix(8))
        return answers
    }

    /// Returns what a test reads, unless it must wait.
    mutating func read(until text: String?, _ promise: SharedPromise<String>) -> String? {
        reader = Reader(text: text, promise: promise)
        return takeIfRead(isOver: isOver)?.output
    }

    /// Returns the waiting test and what it reads, if that is complete.
    mutating func takeIfRead(isOver: Bool) -> (promise: SharedPromise<String>, output: String)? {
        self.isOver = isOver
        guard let reader, isOver || reader.text.map(unread.contains) == true else { return nil }
        self.reader = nil
        defer { unread = "" }
        return (reader.promise, unread)
    }
}
