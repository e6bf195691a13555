import Foundation
import Testing

/// Counts how often a file is opened, by inotify(7).
final class FileOpens {
    private let descriptor: Int32

    init(of file: URL) throws {
        descriptor = inotify_init1(Int32(O_NONBLOCK))
        // Without the events in between, the kernel would report two equal events as one.
        let events = UInt32(IN_OPEN | IN_ACCESS | IN_CLOSE_NOWRITE)
        try #require(inotify_add_watch(descriptor, file.path(percentEncoded: false), events) >= 0)
    }

    deinit { close(descriptor) }

    /// The number of times since the last call.
    var count: Int {
        // The event of a watched file has no name, so all have the same size.
        let size = MemoryLayout<inotify_event>.size
        return withUnsafeTemporaryAllocation(byteCount: 100 * size, alignment: 8) { buffer in
            let events = max(0, read(descriptor, buffer.baseAddress, buffer.count)) / size
            let masks = (0..<events).map { buffer.load(fromByteOffset: $0 * size, as: inotify_event.self).mask }
            return masks.count { $0 & UInt32(IN_OPEN) != 0 }
        }
    }
}
