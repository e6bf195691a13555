import ArgumentParser
import Foundation
import Logging
import Tintype

/// Whole lines to standard output, one writer at a time.
enum StandardOutput {
    private static let lock = Locked(())

    static func write(_ line: String) {
        lock.withLock { _ in StandardStream.write(line + "\n", to: STDOUT_FILENO) }
    }

    /// One JSON object as one line, its keys in alphabetical order.
    static func write(json value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        if let data = try? encoder.encode(value) { write(String(decoding: data, as: UTF8.self)) }
    }
}

/// Whole lines to standard error.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ line: String) {
        StandardStream.write(line + "\n", to: STDERR_FILENO)
    }

    /// Text that is not a line, such as what moves a cursor.
    static func write(raw text: String) {
        StandardStream.write(text, to: STDERR_FILENO)
    }

    /// Columns of the terminal; 80 when it does not say.
    static var columns: Int {
        var size = winsize()
        guard ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
        return Int(size.ws_col)
    }
}

private enum StandardStream {
    static func write(_ text: String, to descriptor: Int32) {
        var text = text
        text.withUTF8 { bytes in
            var rest = UnsafeRawBufferPointer(bytes)[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let count = Foundation.write(descriptor, buffer.baseAddress, buffer.count)
                if count < 0 && errno == EINTR { continue }
                // No one reads any more: there is nothing left to do, and no one to tell.
                if count < 0 && errno == EPIPE { exit(1) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}

enum SignalHandling {
    static func ignoreBrokenPipes() {
        signal(SIGPIPE, SIG_IGN)
    }
}

enum Logs {
    /// What the library logs as an error. Its warnings are told where they matter to a command: failures of loads by
    /// the record of each, those of the cache when it is flushed.
    static func toStandardError() {
        LoggingSystem.bootstrap { label in
            var handler = StreamLogHandler.standardError(label: label)
            handler.logLevel = .error
            return handler
        }
    }
}
