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
        do throws(DiskFailure) {
            defer { close(descriptor) }
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

/// Entries whose bytes are in a spill file. They are copied in pieces, so that memory use does not grow with their
/// size.
extension EntryFile {
    /// The size of one piece: 1 MB.
    private static let pieceSize = 1 << 20

    /// Writes an entry under a temporary name and renames it. The header is written last, because it contains the
    /// checksum.
    ///
    /// - Parameter header: The header, without the checksum of the payload.
    /// - Throws: ``DiskFailure``. Nothing is left behind.
    static func write(
        _ header: EntryHeader, from file: SpillFile, as name: EntryName, in folders: WriterFolders, temporary: String
    ) throws(DiskFailure) {
        try write(header.times, as: name, in: folders, temporary: temporary) { descriptor throws(DiskFailure) in
            var header = header
            header.payloadChecksum = try copy(
                header.payloadLength, from: file, to: descriptor, at: header.length, folders.path)
            let result = header.encoded.withUnsafeBytes { head in
                Result { () throws(DiskFailure) in try write(head, to: descriptor, at: 0, folders.path) }
            }
            try result.get()
        }
    }

    /// Copies a payload and returns its checksum.
    private static func copy(
        _ count: Int, from file: SpillFile, to descriptor: Int32, at start: Int, _ path: String
    ) throws(DiskFailure) -> UInt64 {
        var checksum = RunningChecksum()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(count, pieceSize), alignment: 64)
        defer { buffer.deallocate() }
        var copied = 0
        while copied < count {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - copied))
            guard file.read(into: part, at: copied) == part.count else { throw DiskFailure(EIO, path) }
            checksum.add(UnsafeRawBufferPointer(part))
            try write(UnsafeRawBufferPointer(part), to: descriptor, at: start + copied, path)
            copied += part.count
        }
        return checksum.value
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, to descriptor: Int32, at offset: Int, _ path: String
    ) throws(DiskFailure) {
        var written = 0
        while written < bytes.count {
            let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
            let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskFailure(count < 0 ? errno : ENOSPC, path) }
            written += count
        }
    }
}
