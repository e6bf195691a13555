package import Foundation
package import TintypeCore

/// The controlling terminal of the process, or another one, opened for reading and writing.
///
/// It is opened anew, so that its settings are not shared with standard output: writes never block, and a writer that
/// waits for a terminal that was stopped can give up.
package final class TerminalDevice: Sendable {
    /// The descriptor of the terminal.
    package let descriptor: Int32
    /// The modes from before ``enterRawMode()``, of all terminals in raw mode, by their descriptors.
    private static let formerModes = Locked<[Int32: termios]>([:])

    /// Opens a terminal.
    ///
    /// - Parameter path: The device; by default the controlling terminal.
    /// - Throws: `TintypeError.Code.unreadable` if there is none, or it cannot be opened.
    package convenience init(path: String = "/dev/tty") throws(TintypeError) {
        let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else {
            throw TintypeError(
                .unreadable, stage: .load, "no terminal: \(SystemError.description(errno))", subject: path)
        }
        self.init(descriptor: descriptor)
    }

    /// Takes over an open terminal, and closes it at the end.
    package init(descriptor: Int32) {
        self.descriptor = descriptor
        // On a terminal, this affects only this open file description.
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    deinit {
        leaveRawMode()
        close(descriptor)
    }

    // MARK: Size

    /// The size that the kernel knows; 80 × 24 if it knows none. The cell size is `nil` unless the terminal has told
    /// its size in pixels.
    package var size: (cells: CellSpan, cell: PixelSize?) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (CellSpan(columns: 80, rows: 24), nil)
        }
        let span = CellSpan(columns: Int(size.ws_col), rows: Int(size.ws_row))
        // xterm counts its border, so the quotient is rounded down.
        let cell = PixelSize(width: Int(size.ws_xpixel) / span.columns, height: Int(size.ws_ypixel) / span.rows)
        return (span, cell.isPositive ? cell : nil)
    }

    // MARK: Modes

    /// Switches the terminal to raw mode: keys are delivered immediately and not echoed. Control-C still interrupts.
    ///
    /// - Throws: `TintypeError.Code.unreadable` if this is no terminal.
    package func enterRawMode() throws(TintypeError) {
        try Self.formerModes.withLock { all throws(TintypeError) in
            guard all[descriptor] == nil else { return }
            var modes = termios()
            guard tcgetattr(descriptor, &modes) == 0 else {
                throw TintypeError(.unreadable, stage: .load, "not a terminal: \(SystemError.description(errno))")
            }
            all[descriptor] = modes
            modes.c_lflag &= ~tcflag_t(ICANON | ECHO)
            withUnsafeMutableBytes(of: &modes.c_cc) { characters in
                characters[Int(VMIN)] = 0
                characters[Int(VTIME)] = 0
            }
            tcsetattr(descriptor, TCSANOW, &modes)
        }
    }

    /// Restores the former modes, and drops what was typed or answered meanwhile: it would appear in the shell.
    package func leaveRawMode() {
        Self.formerModes.withLock { all in
            if let former = all.removeValue(forKey: descriptor) { Self.restore(former, descriptor) }
        }
    }

    /// Restores the modes of all terminals in raw mode. For a process that is about to end.
    package static func leaveRawModes() {
        formerModes.withLock { all in
            for (descriptor, former) in all { restore(former, descriptor) }
            all = [:]
        }
    }

    private static func restore(_ modes: termios, _ descriptor: Int32) {
        var modes = modes
        // Not TCSAFLUSH, which also waits for the output: a stopped terminal would stop the program.
        tcflush(descriptor, TCIFLUSH)
        tcsetattr(descriptor, TCSANOW, &modes)
    }

    /// The modes to restore; `nil` unless they were changed. Read them in advance for a signal handler, which must not
    /// take a lock.
    package var formerModes: termios? { Self.formerModes.withLock { $0[descriptor] } }

    // MARK: Bytes

    /// Returns what the terminal has sent; empty if there is nothing, `nil` if it is gone.
    package func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: 4096)
        let count = Foundation.read(descriptor, &buffer, buffer.count)
        if count > 0 { return Array(buffer[..<count]) }
        if count < 0 && (errno == EAGAIN || errno == EINTR) { return [] }
        // In raw mode, read(2) returns 0 while a terminal has no input.
        return count == 0 && isatty(descriptor) == 1 ? [] : nil
    }

    /// Writes all bytes, and waits while the terminal takes none.
    ///
    /// - Parameters:
    ///   - end: When to give up; `nil` for never.
    ///   - wake: A descriptor, or -1. The write gives up when it becomes readable.
    /// - Returns: Whether all bytes were written.
    @discardableResult
    package func write(_ bytes: [UInt8], until end: ContinuousClock.Instant? = nil, wake: Int32 = -1) -> Bool {
        bytes.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let count = Foundation.write(descriptor, UnsafeRawBufferPointer(rebasing: rest).baseAddress, rest.count)
                if count > 0 { rest = rest.dropFirst(count) }
                if count >= 0 || errno == EINTR { continue }
                let files = [(wake, Int16(POLLIN)), (descriptor, Int16(POLLOUT))]
                guard errno == EAGAIN, Polling.wait(files, until: end) == descriptor else { return false }
            }
            return true
        }
    }
}
