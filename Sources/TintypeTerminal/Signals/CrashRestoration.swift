import Foundation

/// Restores the terminal when the process crashes.
///
/// A signal handler may call only async-signal-safe functions (signal-safety(7)), so everything that it needs is
/// prepared in advance.
final class CrashRestoration: Sendable {
    private static let signals = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGABRT, SIGFPE]

    /// The bytes that the handler writes, and the modes that it sets.
    private struct Prepared {
        let bytes: UnsafeMutableBufferPointer<UInt8>
        let descriptor: Int32
        let modes: termios?
    }

    // Unsafe because a signal handler cannot take a lock. It is set before the handlers are installed, and reset after
    // they are removed; the memory is never freed.
    private nonisolated(unsafe) static var prepared: Prepared?

    private let handlers = SignalHandlers()

    /// Installs the handlers.
    init(_ session: TerminalSession) {
        let restoration = session.restoration
        let bytes = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: restoration.bytes.count)
        _ = bytes.initialize(from: restoration.bytes)
        Self.prepared = Prepared(bytes: bytes, descriptor: restoration.descriptor, modes: restoration.modes)
        for number in Self.signals { handlers.replace(number) { Self.install(number) } }
    }

    /// Removes the handlers.
    func end() {
        handlers.restore()
        Self.prepared = nil
    }

    private static func install(_ number: Int32) {
        signal(number) { number in
            CrashRestoration.restore()
            // The usual effect ends the process, with a core if that is allowed.
            Foundation.signal(number, SIG_DFL)
            Foundation.raise(number)
        }
    }

    private static func restore() {
        guard let prepared else { return }
        _ = Foundation.write(prepared.descriptor, prepared.bytes.baseAddress, prepared.bytes.count)
        if var modes = prepared.modes { tcsetattr(prepared.descriptor, TCSANOW, &modes) }
    }
}
