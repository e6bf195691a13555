import Foundation
import TintypeCore

/// Hands exchanges to the thread that performs them, and starts that thread when it is needed. Callable from any
/// thread.
final class CurlDriver: Sendable {
    enum Command: Sendable {
        case start(CurlExchange)
        case cancel(CurlExchange)
        case resume(CurlExchange)
    }

    /// What other threads hand to the thread.
    private struct Inbox: Sendable {
        var commands: [Command] = []
        /// `nil` while no thread runs.
        var wakeup: WakeupDescriptor?
        /// Whether the thread waits, and must be woken.
        var isWaiting = false
    }

    private let inbox = Locked(Inbox())

    /// Hands a command to the thread, and starts it if there is none.
    func submit(_ command: Command) {
        let (isRunning, woken) = inbox.withLock { inbox -> (Bool, WakeupDescriptor?) in
            inbox.commands.append(command)
            let isRunning = inbox.wakeup != nil
            if !isRunning { inbox.wakeup = WakeupDescriptor() }
            defer { inbox.isWaiting = false }
            return (isRunning, inbox.isWaiting ? inbox.wakeup : nil)
        }
        woken?.signal()
        if !isRunning { Thread.detachNewThread { self.run() } }
    }

    private func run() {
        ThreadName.set("tintype.http")
        do throws(TintypeError) {
            guard let wakeup = inbox.withLock({ $0.wakeup }) else { return }
            let loop = try CurlLoop(wakeup)
            repeat { loop.turn(takeCommands()) } while wait(in: loop)
        } catch {
            for case .start(let exchange) in takeLastCommands() { exchange.response.finish(error) }
        }
    }

    private func takeCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox.commands = [] }
            return inbox.commands
        }
    }

    /// Takes the commands, and lets the next one start a thread.
    private func takeLastCommands() -> [Command] {
        inbox.withLock { inbox in
            defer { inbox = Inbox() }
            return inbox.commands
        }
    }

    /// Waits for something to do.
    ///
    /// - Returns: `false` when there was nothing to do for so long that the thread is to end.
    private func wait(in loop: CurlLoop) -> Bool {
        let waits = inbox.withLock { inbox in
            inbox.isWaiting = inbox.commands.isEmpty
            return inbox.isWaiting
        }
        let wasIdle = loop.wait(hasCommands: !waits)
        guard waits else { return true }
        return inbox.withLock { inbox in
            inbox.isWaiting = false
            guard wasIdle, inbox.commands.isEmpty else { return true }
            inbox.wakeup = nil
            return false
        }
    }
}
