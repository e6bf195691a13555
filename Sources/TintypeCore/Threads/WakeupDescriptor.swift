import CEventFD
import Foundation

/// A descriptor (eventfd(2)) that wakes a thread which waits for it.
package final class WakeupDescriptor: Sendable {
    /// -1 if the process has no descriptor left.
    package let number = eventfd(0, Int32(EFD_CLOEXEC) | Int32(EFD_NONBLOCK))

    package init() {}

    deinit { close(number) }

    /// Makes the descriptor readable until ``clear()``.
    package func signal() { eventfd_write(number, 1) }

    package func clear() {
        var count: eventfd_t = 0
        eventfd_read(number, &count)
    }
}
