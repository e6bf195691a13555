import Foundation
import Tintype

/// Standard output, written in whole lines by one thread at a time.
enum StandardOutput {
    private static let lock = Locked(())

    /// Writes one line. Characters that a terminal would interpret or hide are escaped.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(_ line: String) throws(TintypeError) {
        try write(raw: line.printable + "\n")
    }

    /// Writes one line, in colour if standard output has colours.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(_ line: StyledText) throws(TintypeError) {
        try write(lines: [line])
    }

    /// Writes several lines at once, in colour if standard output has colours.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(lines: [StyledText]) throws(TintypeError) {
        let inColor = StandardStream.hasColors(STDOUT_FILENO)
        try write(raw: lines.map { $0.rendered(inColor: inColor) + "\n" }.joined())
    }

    /// Writes one JSON object as one line, with its keys in alphabetical order.
    ///
    /// - Throws: `TintypeError.Code.unwritable`; `TintypeError.Code.encodeFailed` if a value has no JSON form.
    static func write(json value: some Encodable) throws(TintypeError) {
        try write(jsonLines: CollectionOfOne(value))
    }

    /// Writes JSON objects at once, each as one line with its keys in alphabetical order.
    ///
    /// - Throws: `TintypeError.Code.unwritable`; `TintypeError.Code.encodeFailed` if a value has no JSON form.
    static func write(jsonLines values: some Collection<some Encodable>) throws(TintypeError) {
        guard !values.isEmpty else { return }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        var text = ""
        for value in values {
            do { text += String(decoding: try encoder.encode(value), as: UTF8.self).printableJSON + "\n" } catch {
                throw TintypeError(.encodeFailed, stage: .encode, "the result has no JSON form", underlying: error)
            }
        }
        try write(raw: text)
    }

    /// Writes text that contains nothing from outside, or that a script reads, such as a path.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(raw text: String) throws(TintypeError) {
        try check(lock.withLock { _ in StandardStream.write(text, to: STDOUT_FILENO) })
    }

    /// Writes bytes as they are, such as those of an image.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(bytes: Data) throws(TintypeError) {
        try check(lock.withLock { _ in StandardStream.write(bytes, to: STDOUT_FILENO) })
    }

    /// - Parameter number: 0 or an error number.
    private static func check(_ number: Int32) throws(TintypeError) {
        guard number != 0 else { return }
        throw TintypeError(
            .unwritable, stage: .store, "cannot write: \(SystemError.description(number))", subject: "standard output")
    }

    static var isTerminal: Bool { isatty(STDOUT_FILENO) == 1 }
}

/// Standard error, where failures, warnings and progress go. A failure to write it cannot be reported.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    /// Whether progress can be drawn: on a terminal that understands control sequences.
    static var showsProgress: Bool { isTerminal && StandardStream.environment["TERM"] != "dumb" }

    /// Writes one line, whose first word has a colour if standard error has colours. Characters that a terminal would
    /// interpret or hide are escaped.
    ///
    /// - Parameters:
    ///   - prefix: A control sequence to write first, such as one that erases the line with the progress.
    ///   - style: The style of the first word.
    static func write(_ line: String, after prefix: String = "", style: TextStyle = .failure) {
        let line = StyledText.message(line, style).rendered(inColor: StandardStream.hasColors(STDERR_FILENO))
        write(raw: prefix + line + "\n")
    }

    /// Writes text without a line break, such as a control sequence that moves the cursor. It must contain nothing from
    /// outside that is not ``Swift/String/printable``.
    static func write(raw text: String) {
        var text = text
        // A reader that closed the pipe does not end the run: results may still be read.
        _ = text.withUTF8 { UnsafeRawBufferPointer($0).write(to: STDERR_FILENO) }
    }

    /// The width of the terminal in columns, or 80 if the terminal does not report it.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

/// The descriptors of standard input, output and error.
enum StandardStream {
    private static let coloredDescriptors = Locked<Set<Int32>>([])

    /// Decides which of standard output and error have colours. Called before anything is written.
    static func chooseColors(_ choice: ColorChoice) {
        let environment = Self.environment
        let colored = [STDOUT_FILENO, STDERR_FILENO].filter { descriptor in
            choice.hasColors(isTerminal: isatty(descriptor) == 1, environment: environment)
        }
        coloredDescriptors.withLock { $0 = Set(colored) }
    }

    /// The variables about the terminal. Copying the whole environment would take longer.
    fileprivate static var environment: [String: String] {
        var variables: [String: String] = [:]
        for name in ["NO_COLOR", "TERM"] { variables[name] = getenv(name).map { String(cString: $0) } }
        return variables
    }

    /// Whether a stream has colours.
    static func hasColors(_ descriptor: Int32) -> Bool { coloredDescriptors.withLock { $0.contains(descriptor) } }

    /// Opens `/dev/null` in place of the standard descriptors that the parent process has closed.
    ///
    /// Otherwise the next file or connection would get the number of standard output, and results would be written into
    /// it. The access modes are such that using the descriptor still fails.
    static func reserveClosedDescriptors() {
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // The lowest free number is the closed one, because those below it are open by now.
            _ = open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all of a text, and returns 0 or the error number.
    fileprivate static func write(_ text: String, to descriptor: Int32) -> Int32 {
        var text = text
        return finish(text.withUTF8 { UnsafeRawBufferPointer($0).write(to: descriptor) })
    }

    /// Writes all bytes, and returns 0 or the error number.
    fileprivate static func write(_ bytes: Data, to descriptor: Int32) -> Int32 {
        finish(bytes.withUnsafeBytes { $0.write(to: descriptor) })
    }

    private static func finish(_ number: Int32) -> Int32 {
        // The reader closed the pipe on purpose, as `head` does, so nothing further can be delivered.
        guard number == EPIPE else { return number }
        OutputFile.removeTemporaryFiles()
        exit(1)
    }
}
