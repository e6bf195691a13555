import CEventFD
import Foundation

/// Wakes a thread that waits in poll(2).
final class WakeSignal: Sendable {
    /// Readable after ``send()``, until ``clear()``; -1 if the process has no descriptor left.
    let descriptor: Int32

    init() {
        descriptor = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))
    }

    deinit {
        close(descriptor)
    }

    func send() {
        var one: UInt64 = 1
        _ = Foundation.write(descriptor, &one, MemoryLayout.size(ofValue: one))
    }

    func clear() {
        var count: UInt64 = 0
        _ = Foundation.read(descriptor, &count, MemoryLayout.size(ofValue: count))
    }
}
