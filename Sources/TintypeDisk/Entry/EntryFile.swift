import Foundation
import TintypeCore

/// Reads the files of entries.
enum EntryFile {
    enum Reading {
        /// `accessed` is the last use that was recorded: the file's own time of access.
        case entry(CacheEntry, EntryHeader, accessed: DiskTime)
        case missing
        /// Not a whole, undamaged entry of this key.
        case damaged
    }

    /// How the bytes come into memory.
    enum Access {
        /// Into memory of their own.
        case copied
        /// Mapped: nothing is copied, and the pages are shared with the page cache.
        case mapped
    }

    /// Opens one file, reads it whole and verifies every byte of it; touches nothing else.
    ///
    /// - Parameter key: whose entry it must be; `nil` takes that of any key.
    static func read(
        _ name: EntryName, in entries: EntriesHandle, for key: CacheKey?, _ access: Access = .copied
    ) -> Reading {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return .missing }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            let bytes = bytes(descriptor, count: Int(facts.st_size), access),
            let (header, start) = verified(bytes, for: key)
        else { return .damaged }
        // A slice: the payload is not copied.
        let entry = CacheEntry(
            data: bytes[start...], format: header.format, metadata: header.metadata, extended: header.extended,
            created: header.times.created.date, expires: header.times.expires?.date)
        return .entry(entry, header, accessed: DiskTime(facts.st_atim))
    }

    /// The head alone, verified, and what the file system says; `nil` when it is missing or damaged.
    static func readHead(_ name: EntryName, in entries: EntriesHandle) -> (header: EntryHeader, accessed: DiskTime)? {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG,
            let start = readAll(descriptor, count: min(4096, Int(facts.st_size))),
            let lengths = start.withUnsafeBytes(EntryHeader.Lengths.init), lengths.file == facts.st_size,
            let head = lengths.head <= start.count ? start : readAll(descriptor, count: lengths.head),
            let header = head.withUnsafeBytes({ EntryHeader(decoding: $0) })
        else { return nil }
        return (header, DiskTime(facts.st_atim))
    }

    /// What is larger than nearly all pictures, 8 MB, is never worth memory of its own.
    private static let large = 8 << 20

    private static func bytes(_ descriptor: Int32, count: Int, _ access: Access) -> Data? {
        guard count >= EntryHeader.fixedLength, count <= EntryHeader.maximumFileLength else { return nil }
        return access == .copied && count <= large
            ? readAll(descriptor, count: count) : mapAll(descriptor, count: count)
    }

    private static func readAll(_ descriptor: Int32, count: Int) -> Data? {
        guard let memory = malloc(max(1, count)) else { return nil }
        var filled = 0
        while filled < count {
            let result = pread(descriptor, memory + filled, count - filled, off_t(filled))
            if result < 0 && errno == EINTR { continue }
            guard result > 0 else { break }
            filled += result
        }
        return Data(bytesNoCopy: memory, count: filled, deallocator: .free)
    }

    /// Safe because a file of ours is never written again once it has its name, and one that is removed keeps its pages
    /// while they are mapped.
    private static func mapAll(_ descriptor: Int32, count: Int) -> Data? {
        let flags = MAP_PRIVATE | (count <= large ? Int32(MAP_POPULATE) : 0)
        guard let memory = mmap(nil, count, PROT_READ, flags, descriptor, 0),
            memory != MAP_FAILED
        else { return nil }
        return Data(bytesNoCopy: memory, count: count, deallocator: .unmap)
    }

    private static func verified(_ bytes: Data, for key: CacheKey?) -> (EntryHeader, Int)? {
        bytes.withUnsafeBytes { buffer in
            guard let lengths = EntryHeader.Lengths(buffer), lengths.file == buffer.count,
                let header = EntryHeader(decoding: buffer, for: key),
                Checksum.of(UnsafeRawBufferPointer(rebasing: buffer[lengths.head...])) == header.payloadChecksum
            else { return nil }
            return (header, lengths.head)
        }
    }
}
