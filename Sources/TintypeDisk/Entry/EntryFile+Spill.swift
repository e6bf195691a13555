import Foundation
package import TintypeCore

/// Entries whose bytes are in a spill file. The file becomes the entry if it is in the folder of this cache. Otherwise
/// the bytes are copied in pieces, so that memory use does not grow with their size.
extension EntryFile {
    /// The size of one piece: 1 MB.
    private static let pieceSize = 1 << 20

    /// Stores an entry under a temporary name and renames it. The header is written last, because it contains the
    /// checksum.
    ///
    /// - Parameter header: The header, without the checksum of the payload.
    /// - Returns: The header of the entry.
    /// - Throws: ``DiskFailure``. Nothing is left behind.
    static func write(
        _ header: EntryHeader, from file: SpillFile, as name: EntryName, in folders: WriterFolders, temporary: String
    ) throws(DiskFailure) -> EntryHeader {
        if let header = try adopt(file, header, as: name, in: folders, temporary: temporary) { return header }
        var header = header
        try write(header.times, as: name, in: folders, temporary: temporary) { descriptor throws(DiskFailure) in
            header.payloadChecksum = try copy(
                header.payloadLength, from: file, to: descriptor, at: header.length, folders.path)
            try write(header, to: descriptor, folders.path)
        }
        return header
    }

    /// Gives the spill file its header and a name.
    ///
    /// - Returns: The header; `nil` if the file cannot become the entry, because it is in another file system, belongs
    ///   to an entry already, or has other bytes.
    private static func adopt(
        _ file: SpillFile, _ header: EntryHeader, as name: EntryName, in folders: WriterFolders, temporary: String
    ) throws(DiskFailure) -> EntryHeader? {
        var header = header
        header.payloadPlace = .ofSpillFile
        guard header.length == SpillFile.bytesOffset, let follower = file.follower as? RunningChecksum,
            let checksum = follower.value(ofFirst: header.payloadLength), let descriptor = file.claim()
        else { return nil }
        guard
            linkat(
                AT_FDCWD, "/proc/self/fd/\(descriptor)", folders.temporary.descriptor, temporary, AT_SYMLINK_FOLLOW)
                == 0
        else {
            file.returnClaim()
            return nil
        }
        header.payloadChecksum = checksum
        try complete(descriptor, header.times, as: name, in: folders, temporary: temporary) {
            [header] descriptor throws(DiskFailure) in try write(header, to: descriptor, folders.path)
        }
        return header
    }

    private static func write(_ header: EntryHeader, to descriptor: Int32, _ path: String) throws(DiskFailure) {
        let result = header.encoded.withUnsafeBytes { head in
            Result { () throws(DiskFailure) in try write(head, to: descriptor, at: 0, path) }
        }
        try result.get()
    }

    /// Copies a payload and returns its checksum.
    private static func copy(
        _ count: Int, from file: SpillFile, to descriptor: Int32, at start: Int, _ path: String
    ) throws(DiskFailure) -> UInt64 {
        let checksum = RunningChecksum()
        let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: min(count, pieceSize), alignment: 64)
        defer { buffer.deallocate() }
        var copied = 0
        while copied < count {
            let part = UnsafeMutableRawBufferPointer(rebasing: buffer.prefix(count - copied))
            guard file.read(into: part, at: copied) == part.count else { throw DiskFailure(EIO, path) }
            checksum.didWrite(UnsafeRawBufferPointer(part), at: copied)
            try write(UnsafeRawBufferPointer(part), to: descriptor, at: start + copied, path)
            copied += part.count
        }
        return checksum.value(ofFirst: count) ?? 0
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

extension DiskCache: SpillFileMaker {
    /// Creates a file for a large body in the folder for temporary files, which ``store(_:for:)`` makes an entry.
    package func makeSpillFile(for byteCount: Int) -> SpillFile? {
        guard byteCount <= limits.byteCount,
            state.withLock({ [now = time.uptime()] in $0.health.allowsWriting(at: now) }),
            let folder = try? layout.makeHome().makeFolder(CacheLayout.temporaryName)
        else { return nil }
        let descriptor = folder.open(".", O_RDWR | SpillFile.withoutName)
        guard descriptor >= 0 else { return nil }
        // So that a full disk is noticed before the body is there.
        guard posix_fallocate(descriptor, 0, off_t(SpillFile.bytesOffset)) == 0 else {
            close(descriptor)
            return nil
        }
        return SpillFile(descriptor, follower: RunningChecksum())
    }
}
