import ArgumentParser
import Foundation
import Tintype

/// Standard output, written in whole lines by one thread at a time.
enum StandardOutput {
    private static let lock = Locked(())

    static func write(_ line: String) {
        lock.withLock { _ in StandardStream.write(line + "\n", to: STDOUT_FILENO) }
    }

    /// Writes one JSON object as one line, with its keys in alphabetical order.
    static func write(json value: some Encodable) {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        encoder.dateEncodingStrategy = .iso8601
        if let data = try? encoder.encode(value) { write(String(decoding: data, as: UTF8.self)) }
    }
}

/// Standard error, where failures, warnings and progress go.
enum StandardError {
    static var isTerminal: Bool { isatty(STDERR_FILENO) == 1 }

    static func write(_ line: String) {
        StandardStream.write(line + "\n", to: STDERR_FILENO)
    }

    /// Writes text without a line break, such as a control sequence that moves the cursor.
    static func write(raw text: String) {
        StandardStream.write(text, to: STDERR_FILENO)
    }

    /// The width of the terminal in columns, or 80 if the terminal does not report it.
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
                // The reader closed the pipe, so nothing further can be delivered.
                if count < 0 && errno == EPIPE { exit(1) }
                guard count > 0 else { return }
                rest = rest.dropFirst(count)
            }
        }
    }
}
