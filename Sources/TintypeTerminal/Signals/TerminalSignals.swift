import Foundation
import TintypeCore

/// Handles the signals that concern a terminal while a session uses it, until it is released. A process has one such object
/// at a time.
///
///     let signals = TerminalSignals(session) { /* show everything again, on the main actor */ }
///
/// A signal that ends or stops the process restores the terminal first, and then has its usual effect: `SIGINT`, `SIGTERM`,
/// `SIGHUP`, `SIGQUIT`, `SIGTSTP`, and those of crashes. `SIGWINCH` updates the size of the session. `SIGKILL` and `SIGSTOP`
/// cannot be handled.
public final class TerminalSignals: Sendable {
    private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGTSTP, SIGWINCH]

    private let pipe = SignalPipe()
    private let crashes: CrashRestoration

    /// Begins to handle signals.
    ///
    /// - Parameters:
    ///   - session: The session to restore.
    ///   - excluded: Signals that the program handles itself, by ending the session.
    ///   - onEnd: Called on a thread of its own before a signal ends the process, when the terminal has been restored.
    ///   - onChange: Called on a thread of its own when the size has changed or the process continues: everything must be
    ///     shown again.
    public init(
        _ session: TerminalSession, except excluded: Set<Int32> = [], onEnd: @escaping @Sendable () -> Void = {},
        onChange: @escaping @Sendable () -> Void
    ) {
        pipe.forward(Self.signals.filter { !excluded.contains($0) }) { [pipe] number in
            switch number {
            case SIGWINCH: session.resize()
            case SIGTSTP:
                session.suspend()
                pipe.raise(number)
                // The process continues here.
                pipe.reinstall(number)
                try? session.resume()
            default:
                session.end()
                onEnd()
                pipe.raise(number)
            }
            onChange()
        }
        crashes = CrashRestoration(session)
    }

    deinit {
        pipe.end()
        crashes.end()
    }
}

/// Passes signals from their handler, which may do next to nothing, to a thread (the self-pipe trick of D. J. Bernstein). One
/// object at a time does.
final class SignalPipe: Sendable {
    // Unsafe because a handler of a signal cannot take a lock. It is set once, before handlers are installed. The pipe stays
    // open: a handler on another thread may still write to it when the signals have their former effects back.
    private nonisolated(unsafe) static var input: Int32 = -1

    /// What is done with the signals; `nil` if they have their former effects.
    private static let action = Locked<(@Sendable (Int32) -> Void)?>(nil)
    private static let isOpen = open()

    private let handlers = SignalHandlers()

    /// Calls `action` with the number of each signal, on a thread of its own, until ``end()``. Signals that the parent process
    /// ignores, as nohup does, stay ignored.
    func forward(_ signals: [Int32], to action: @escaping @Sendable (Int32) -> Void) {
        guard Self.isOpen else { return }
        Self.action.withLock { $0 = action }
        for number in signals where !SignalHandlers.isIgnored(number) {
            handlers.replace(number) { Self.install(number) }
        }
    }

    private static func open() -> Bool {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return false }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        input = ends[1]
        let output = ends[0]
        Thread.detachNewThread { receive(from: output) }
        return true
    }

    private static func receive(from output: Int32) {
        var number: UInt8 = 0
        while true {
            let count = Foundation.read(output, &number, 1)
            if count < 0, errno == EINTR { continue }
            guard count == 1 else { return }
            let action = action.withLock { $0 }
            // Without an action, the signal came just before its former effect was back.
            if let action { action(Int32(number)) } else { SignalHandlers().raise(Int32(number)) }
        }
    }

    /// Gives signals their former effects back.
    func end() {
        handlers.restore()
        Self.action.withLock { $0 = nil }
    }

    /// Installs the handler of a signal again, unless the signals have their former effects back: the handler would have no
    /// pipe to write to.
    func reinstall(_ number: Int32) {
        handlers.replaceAgain(number) { Self.install(number) }
    }

    /// Installs the handler of a signal.
    private static func install(_ number: Int32) {
        signal(number) { number in
            let error = errno
            var byte = UInt8(truncatingIfNeeded: number)
            _ = Foundation.write(SignalPipe.input, &byte, 1)
            errno = error
        }
    }

    /// Lets a signal have its usual effect on the process; after ``end()``, its former one.
    func raise(_ number: Int32) {
        handlers.raise(number)
    }
}

/// The effects of some signals before their handlers were installed.
package final class SignalHandlers: Sendable {
    /// Unchecked because it is a copy of plain values and addresses, which is only passed back to the kernel.
    private struct Action: @unchecked Sendable {
        var value = sigaction()
    }

    private let former = Locked<[Int32: Action]>([:])

    /// Whether the process ignores a signal.
    package static func isIgnored(_ number: Int32) -> Bool { (address(of: number) ?? 1) == 1 }

    /// Whether a signal has its usual effect on the process.
    static func isDefault(_ number: Int32) -> Bool { address(of: number) == 0 }

    /// Returns the address of the handler of a signal: functions cannot be compared. Those that stand for the usual effect and
    /// for "ignore" have the addresses 0 and 1.
    private static func address(of number: Int32) -> Int? {
        var action = sigaction()
        guard sigaction(number, nil, &action) == 0 else { return nil }
        return unsafeBitCast(action.__sigaction_handler.sa_handler, to: Int.self)
    }

    /// Keeps the effect of a signal, and runs `install`, which changes it.
    func replace(_ number: Int32, install: () -> Void) {
        var action = Action()
        guard sigaction(number, nil, &action.value) == 0 else { return }
        former.withLock { $0[number] = action }
        install()
    }

    /// Runs `install` again for a signal that was replaced, unless its effect has been restored meanwhile.
    func replaceAgain(_ number: Int32, install: () -> Void) {
        former.withLock { former in
            if former[number] != nil { install() }
        }
    }

    /// Lets a signal have its usual effect on the process; after ``restore()``, its former one.
    func raise(_ number: Int32) {
        replaceAgain(number) { signal(number, SIG_DFL) }
        // Sent to this thread, it takes effect before the call returns. Sent to the process, it may wait for another thread until
        // its handler is installed again, and does not stop the process.
        var (signals, mask) = (sigset_t(), sigset_t())
        sigemptyset(&signals)
        sigaddset(&signals, number)
        pthread_sigmask(SIG_UNBLOCK, &signals, &mask)
        pthread_kill(pthread_self(), number)
        pthread_sigmask(SIG_SETMASK, &mask, nil)
    }

    /// Gives all signals their former effects back. Under the lock, so that ``replaceAgain(_:install:)`` comes before or after.
    func restore() {
        former.withLock { former in
            for (number, var action) in former { sigaction(number, &action.value, nil) }
            former = [:]
        }
    }
}
