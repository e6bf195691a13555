import Foundation
import TintypeCore

/// Entries whose bytes lie in a file already: they go from there to the entry's file a piece at a time, so that one takes
/// little memory however large it is.
extension EntryFile {
    /// Bytes that are moved at once: 1 MB.
    private static let piece = 1 << 20

    /// Writes an entry under a temporary name and renames it. Its head is written last, since it has the checksum.
    ///
    /// - Parameter header: without the payload's checksum.
    /// - Throws: then nothing is left behind.
    static func write(
        _ header: EntryHeader, from file: SpillFile, as name: EntryName, in layout: CacheLayout, temporary: String
    ) throws(DiskFailure) {
        try write(header.times, as: name, in: layout, temporary: temporary) { descriptor throws(DiskFailure) in
            var header = header
            header.payloadChecksum = try copy(
                header.payloadLength, from: file, to: descriptor, at: header.length, temporary)
            let result = header.encoded.withUnsafeBytes { head in
                Result { () throws(DiskFailure) in try write(head, to: descriptor, at: 0, temporary) }
            }
            try result.get()
        }
    }

    /// Returns the checksum of what it copied.
    private static func copy(
        _ count: Int, from file: SpillFile, to descriptor: Int32, at start: Int, _ path: String
    ) throws(DiskFailure) -> UInt64 {
        var checksum = RunningChecksum()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(count, piece), alignment: 64)
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
