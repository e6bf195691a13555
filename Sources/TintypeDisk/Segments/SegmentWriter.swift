import CFileSystem
import Foundation
import TintypeCore

/// The one writer of a segment: it holds the lock of the file until it is released.
final class SegmentWriter: Sendable {
    let segment: Segment
    private let folder: OwnedFolder
    private let descriptor: Int32

    /// Locks a segment. `nil` if another writer holds it, or if it is gone.
    init?(_ segment: Segment, in folder: OwnedFolder) {
        let descriptor = folder.open(segment.number.fileName, O_RDWR)
        guard descriptor >= 0 else { return nil }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0, InodeIdentity(descriptor) == segment.identity,
            folder.status(of: segment.number.fileName).map({ InodeIdentity($0) }) == segment.identity
        else {
            close(descriptor)
            return nil
        }
        (self.segment, self.folder, self.descriptor) = (segment, folder, descriptor)
    }

    deinit {
        close(descriptor)
    }

    /// Appends a record, for which the segment has room.
    ///
    /// - Parameter insert: Inserts the key of the record into the table of presence, and removes the former entry of
    ///   that key. If the process is stopped before that, the next writer of the segment does it.
    /// - Throws: ``DiskFailure``. What was written is overwritten by the next record.
    func append(_ record: SegmentRecord, insert: (SegmentPlace) -> Void) throws(DiskFailure) {
        try write(record, at: SegmentLayout.recordsOffset + segment.recordsEnd)
        let slot = segment.publish(record)
        insert(SegmentPlace(segment.number, slot))
        segment.finish()
    }

    private func write(_ record: SegmentRecord, at start: Int) throws(DiskFailure) {
        var written = 0
        while written < record.length {
            let count = withUnsafeTemporaryAllocation(of: iovec.self, capacity: 2) { parts in
                let head = record.head.dropFirst(written)
                let payload = record.payload.dropFirst(max(0, written - record.head.count))
                parts.initializeElement(at: 0, to: iovec(UnsafeRawBufferPointer(rebasing: head)))
                parts.initializeElement(at: 1, to: iovec(UnsafeRawBufferPointer(rebasing: payload)))
                return pwritev(descriptor, parts.baseAddress, 2, off_t(start + written))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw DiskFailure(count < 0 ? errno : ENOSPC, folder.path) }
            written += count
        }
    }

    /// Removes the file if no entry lives. Returns whether it is gone.
    func removeFile() -> Bool {
        guard segment.isDead else { return false }
        let name = segment.number.fileName
        guard folder.status(of: name).map({ InodeIdentity($0) }) == segment.identity else { return true }
        return folder.remove(name) == 0 || errno == ENOENT
    }

    // MARK: Creating

    /// Creates an empty segment.
    ///
    /// - Throws: ``DiskFailure``. Nothing is left behind.
    static func make(in folder: OwnedFolder, _ temporary: OwnedFolder) throws(DiskFailure) -> SegmentNumber {
        // The form of a temporary file of a writer that has ended, so that the next recovery removes what is left.
        let name = "\(UUID().uuidString)-0"
        let descriptor = temporary.open(name, O_RDWR | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { throw DiskFailure(errno, temporary.path) }
        defer {
            close(descriptor)
            temporary.remove(name)
        }
        try fill(descriptor, temporary.path)
        while true {
            let number = SegmentNumber.make()
            if linkat(temporary.descriptor, name, folder.descriptor, number.fileName, 0) == 0 {
                return number
            }
            guard errno == EEXIST else { throw DiskFailure(errno, folder.path) }
        }
    }

    /// Writes every byte of the slots, so that storing a word in the mapping allocates no block. On a full disk, that
    /// would end the process.
    private static func fill(_ descriptor: Int32, _ path: String) throws(DiskFailure) {
        var start = [UInt8](repeating: 0, count: SegmentLayout.recordsOffset)
        start.withUnsafeMutableBytes { $0.storeBytes(of: SegmentLayout.magic, as: UInt64.self) }
        let number = start.withUnsafeBytes { $0.write(to: descriptor) }
        guard number == 0 else { throw DiskFailure(number, path) }
        guard ftruncate(descriptor, off_t(SegmentLayout.fileLength)) == 0 else { throw DiskFailure(errno, path) }
    }
}

/// A record to append to a segment.
struct SegmentRecord {
    /// The encoded ``EntryHeader``.
    let head: UnsafeRawBufferPointer
    let payload: UnsafeRawBufferPointer
    let name: EntryName
    let changed: DiskTime
    let expires: DiskTime?
    /// The last use.
    let accessed: DiskTime

    /// The length of the record, in bytes.
    var length: Int { head.count + payload.count }
}

extension iovec {
    init(_ bytes: UnsafeRawBufferPointer) {
        self.init(iov_base: UnsafeMutableRawPointer(mutating: bytes.baseAddress), iov_len: bytes.count)
    }
}
