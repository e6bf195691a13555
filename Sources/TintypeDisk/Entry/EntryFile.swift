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

/// The bytes of a file in memory, one way or another.
protocol EntryBytes: Sendable {
    /// - Parameter count: of the file.
    /// - Returns: `nil` when there is no memory, or the file cannot be read: which says nothing of what is in it.
    init?(_ descriptor: Int32, count: Int)

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

/// Read into memory of their own; mapped where they are larger than nearly all pictures, which is never worth that.
extension Data: EntryBytes {
    private static var large: Int { 8 << 20 }

    init?(_ descriptor: Int32, count: Int) {
        if count > Self.large {
            self.init(mapping: descriptor, count: count)
        } else {
            self.init(reading: descriptor, count)
        }
    }

    private init?(reading descriptor: Int32, _ count: Int) {
        guard let memory = malloc(Swift.max(1, count)) else { return nil }
        var filled = 0
        while filled < count {
            let result = pread(descriptor, memory + filled, count - filled, off_t(filled))
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else {
                free(memory)
                return nil
            }
            guard result > 0 else { break }
            filled += result
        }
        self.init(bytesNoCopy: memory, count: filled, deallocator: .free)
    }

    /// Safe because a file of ours is never written or cut again once it has its name, and one that is removed keeps its
    /// pages while they are mapped.
    private init?(mapping descriptor: Int32, count: Int) {
        guard let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
        else { return nil }
        self.init(bytesNoCopy: memory, count: count, deallocator: .unmap)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(body) }
}

/// Mapped, for what is used where it lies; read where no more can be mapped.
///
/// Safe because a file of ours is never written or cut again once it has its name: see ``MappedBytes``.
enum UsedInPlace: EntryBytes {
    case mapped(MappedBytes)
    case copied(Data)

    init?(_ descriptor: Int32, count: Int) {
        if let mapped = MappedBytes(descriptor, count: count) {
            self = .mapped(mapped)
        } else if let data = Data(descriptor, count: count) {
            self = .copied(data)
        } else {
            return nil
        }
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .mapped(let mapped): body(mapped.bytes)
        case .copied(let data): data.withUnsafeBytes(body)
        }
    }
}
