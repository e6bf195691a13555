import Foundation

/// Waits for files by poll(2).
enum Polling {
    /// Waits until one of several files can be read, or has failed.
    ///
    /// - Parameter end: When to give up; `nil` for never.
    /// - Returns: The first descriptor that is ready; `nil` if none was in time, or poll(2) failed.
    static func wait(for descriptors: [Int32], until end: ContinuousClock.Instant?) -> Int32? {
        wait(descriptors.map { ($0, Int16(POLLIN)) }, until: end)
    }

    /// Waits until one of several files is ready for its events, or has failed.
    static func wait(
        _ files: [(descriptor: Int32, events: Int16)], until end: ContinuousClock.Instant?
    ) -> Int32? {
        var entries = files.map { pollfd(fd: $0.descriptor, events: $0.events, revents: 0) }
        while true {
            let status = poll(&entries, nfds_t(entries.count), milliseconds(until: end))
            if status > 0 { return entries.first { $0.revents != 0 }?.fd }
            if status < 0 && errno != EINTR { return nil }
            if let end, ContinuousClock.now >= end { return nil }
        }
    }

    /// Returns the time that is left, rounded up; -1 for no end.
    private static func milliseconds(until end: ContinuousClock.Instant?) -> Int32 {
        guard let end else { return -1 }
        let left = max(.zero, ContinuousClock.now.duration(to: end))
        let (seconds, attoseconds) = left.components
        return Int32(clamping: seconds * 1000 + (attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    }
}
