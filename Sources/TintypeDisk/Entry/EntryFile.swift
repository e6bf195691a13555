import Foundation
import TintypeCore

/// Reads the files of entries.
enum EntryFile {
    enum Reading<Bytes> {
        /// Head and bytes of a file, and the last use that was recorded: the file's own time of access.
        case file(EntryHeader, Bytes, accessed: DiskTime)
        case missing
        /// Not a whole, undamaged entry of this key.
        case damaged
    }

    /// Opens one file, reads it whole and verifies every byte of it; touches nothing else.
    ///
    /// - Parameter key: whose entry it must be; `nil` takes that of any key.
    static func read<Bytes: EntryBytes>(
        _ name: EntryName, in entries: EntriesHandle, for key: CacheKey?, as type: Bytes.Type = Data.self
    ) -> Reading<Bytes> {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return .missing }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            facts.st_size >= EntryHeader.fixedLength, facts.st_size <= EntryHeader.maximumFileLength
        else { return .damaged }
        guard let bytes = Bytes(descriptor, count: Int(facts.st_size)) else { return .missing }
        guard let header = bytes.withBytes({ verified($0, for: key) }) else { return .damaged }
        return .file(header, bytes, accessed: DiskTime(facts.st_atim))
    }

    enum HeadReading {
        /// And the last use that was recorded.
        case sound(EntryHeader, accessed: DiskTime)
        case missing
        case damaged
    }

    /// The head alone, verified.
    static func readHead(_ name: EntryName, in entries: EntriesHandle) -> HeadReading {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return .missing }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return .damaged }
        guard let start = Data(descriptor, count: min(4096, Int(facts.st_size))) else { return .missing }
        guard let lengths = start.withUnsafeBytes(EntryHeader.Lengths.init), lengths.file == facts.st_size else {
            return .damaged
        }
        guard let head = lengths.head <= start.count ? start : Data(descriptor, count: lengths.head) else {
            return .missing
        }
        guard let header = head.withUnsafeBytes({ EntryHeader(decoding: $0) }) else { return .damaged }
        return .sound(header, accessed: DiskTime(facts.st_atim))
    }

    private static func verified(_ bytes: UnsafeRawBufferPointer, for key: CacheKey?) -> EntryHeader? {
        guard let lengths = EntryHeader.Lengths(bytes), lengths.file == bytes.count,
            let header = EntryHeader(decoding: bytes, for: key),
            Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[lengths.head...])) == header.payloadChecksum
        else { return nil }
        return header
    }
}
