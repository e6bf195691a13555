import Foundation
import TintypeCore

extension EntryFile {
    /// Writes an entry under a temporary name and renames it, so that a reader sees the complete entry or none.
    ///
    /// - Throws: ``DiskFailure``. Nothing is left behind.
    static func write(
        _ header: EntryHeader, _ payload: Data, as name: EntryName, in folders: WriterFolders, temporary: String
    ) throws(DiskFailure) {
        try write(header.times, as: name, in: folders, temporary: temporary) { descriptor throws(DiskFailure) in
            try writeAll(header, payload, to: descriptor, folders.path)
        }
    }

    /// Creates a temporary file, fills it, sets its access time and renames it.
    ///
    /// - Parameter fill: Writes the file through its descriptor.
    static func write(
        _ times: EntryTimes, as name: EntryName, in folders: WriterFolders, temporary: String,
        _ fill: (Int32) throws(DiskFailure) -> Void
    ) throws(DiskFailure) {
        let descriptor = folders.temporary.open(temporary, O_WRONLY | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { throw DiskFailure(errno, folders.path) }
        defer { close(descriptor) }
        try complete(descriptor, times, as: name, in: folders, temporary: temporary, fill)
    }

    /// Fills a temporary file, sets its access time and renames it. Removes it after a failure.
    static func complete(
        _ descriptor: Int32, _ times: EntryTimes, as name: EntryName, in folders: WriterFolders, temporary: String,
        _ fill: (Int32) throws(DiskFailure) -> Void
    ) throws(DiskFailure) {
        do throws(DiskFailure) {
            try fill(descriptor)
            // By the cache's clock: an equal time means that the entry was never used
            // (``EntryTimes/isUnused(accessed:)``).
            _ = withAccessTimes(times.changed) { futimens(descriptor, $0) }
            try folders.entries.publish(temporary, in: folders.temporary, as: name)
        } catch {
            folders.temporary.remove(temporary)
            throw error
        }
    }

    /// Calls a closure with the argument of `futimens` that sets the access time and leaves the modification time.
    static func withAccessTimes(_ time: DiskTime, _ body: (UnsafePointer<timespec>?) -> Int32) -> Int32 {
        withUnsafeTemporaryAllocation(of: timespec.self, capacity: 2) { times in
            times.initializeElement(at: 0, to: time.timespec)
            times.initializeElement(at: 1, to: timespec(tv_sec: 0, tv_nsec: omitTime))
            return body(times.baseAddress)
        }
    }

    /// `UTIME_OMIT`, which the Glibc module does not export.
    private static let omitTime = (1 << 30) - 2

    /// Writes header and payload with one call, and the rest with more calls after a short write.
    private static func writeAll(
        _ header: EntryHeader, _ payload: Data, to descriptor: Int32, _ path: String
    ) throws(DiskFailure) {
        let number = header.withEncoded { head in
            payload.withUnsafeBytes { payload -> Int32 in
                let written = writeOnce(head, payload, descriptor)
                guard written >= 0 else { return errno }
                let number = UnsafeRawBufferPointer(rebasing: head.dropFirst(written)).write(to: descriptor)
                guard number == 0 else { return number }
                let rest = payload.dropFirst(max(0, written - head.count))
                return UnsafeRawBufferPointer(rebasing: rest).write(to: descriptor)
            }
        }
        if number != 0 { throw DiskFailure(number, path) }
    }

    private static func writeOnce(
        _ head: UnsafeRawBufferPointer, _ payload: UnsafeRawBufferPointer, _ descriptor: Int32
    ) -> Int {
        return withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
            parts.initializeElement(at: 0, to: iovec(head))
            parts.initializeElement(at: 1, to: iovec(payload))
            while true {
                let result = writev(descriptor, parts.baseAddress, Int32(parts.count))
                if result >= 0 || errno != EINTR { return result }
            }
        }
    }
}
