import Foundation
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// A terminal of the test's own: what a program writes into ``device`` can be read at the other end, and answered.
final class PseudoTerminal {
    let device: TerminalDevice
    private let master: Int32

    struct Unavailable: Error {}

    init(columns: Int = 80, rows: Int = 24, pixels: PixelSize = PixelSize(width: 0, height: 0)) throws {
        var size = winsize(
            ws_row: UInt16(rows), ws_col: UInt16(columns), ws_xpixel: UInt16(pixels.width),
            ws_ypixel: UInt16(pixels.height))
        var (master, terminal): (Int32, Int32) = (-1, -1)
        guard openpty(&master, &terminal, nil, nil, &size) == 0 else { throw Unavailable() }
        _ = fcntl(master, F_SETFD, FD_CLOEXEC)
        _ = fcntl(terminal, F_SETFD, FD_CLOEXEC)
        _ = fcntl(master, F_SETFL, O_NONBLOCK)
        self.master = master
        device = TerminalDevice(descriptor: terminal)
    }

    deinit {
        close(master)
    }

    /// Blocks until the program has written something that was not read.
    func waitForOutput() {
        var polled = pollfd(fd: master, events: Int16(POLLIN), revents: 0)
        _ = poll(&polled, 1, -1)
    }

    /// Returns what the program has written so far.
    func written() -> [UInt8] {
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while case let count = read(master, &buffer, buffer.count), count > 0 { bytes += buffer[..<count] }
        return bytes
    }

    /// Types, or answers.
    func send(_ text: String) {
        var text = text
        text.withUTF8 { _ = UnsafeRawBufferPointer($0).write(to: master) }
    }

    /// The line settings that a shell would notice.
    var modes: [tcflag_t] {
        var modes = termios()
        tcgetattr(device.descriptor, &modes)
        return [modes.c_lflag, modes.c_iflag, modes.c_oflag]
    }

    /// The number of bytes that the next program would read.
    var unreadCount: Int32 {
        var count: Int32 = 0
        _ = ioctl(device.descriptor, UInt(FIONREAD), &count)
        return count
    }
}
