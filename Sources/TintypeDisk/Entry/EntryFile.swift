import Foundation
import TintypeCore

/// Reading, verifying and writing the files of entries.
enum EntryFile {
    /// The result of reading a file.
    enum ReadResult<Bytes> {
        /// The header and bytes of a sound file, and its last recorded use, which is the file's access time.
        case file(EntryHeader, Bytes, accessed: DiskTime)
        case missing
        /// A file that is not a complete, undamaged entry of this key.
        case damaged
    }

    /// Opens one file, reads it and verifies every byte. Touches no other file.
    ///
    /// - Parameter key: The key that the entry must have; `nil` accepts any key.
    static func read<Bytes: EntryBytes>(
        _ name: EntryName, in entries: EntriesHandle, for key: CacheKey?, as type: Bytes.Type = Data.self
    ) -> ReadResult<Bytes> {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return isForeign(errno) ? .damaged : .missing }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, entries.accepts(status),
            status.st_size >= EntryHeader.fixedLength, status.st_size <= EntryHeader.maximumFileLength
        else { return .damaged }
        guard let bytes = Bytes(descriptor, count: Int(status.st_size), mapsFrom: entries.mappingThreshold) else {
            return .missing
        }
        guard let header = bytes.withBytes({ verified($0, for: key) }) else { return .damaged }
        return .file(header, bytes, accessed: DiskTime(status.st_atim))
    }

    /// The result of reading a header.
    enum HeadResult {
        /// A sound header and the last recorded use.
        case sound(EntryHeader, accessed: DiskTime)
        case missing
        case damaged
    }

    /// Reads and verifies the header only.
    static func readHead(_ name: EntryName, in entries: EntriesHandle) -> HeadResult {
        let descriptor = entries.open(name)
        guard descriptor >= 0 else { return isForeign(errno) ? .damaged : .missing }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, entries.accepts(status) else { return .damaged }
        guard let start = Data(reading: descriptor, min(4096, Int(status.st_size))) else { return .missing }
        guard let lengths = start.withUnsafeBytes(EntryHeader.Lengths.init), lengths.file == status.st_size else {
            return .damaged
        }
        guard let head = lengths.head <= start.count ? start : Data(reading: descriptor, lengths.head) else {
            return .missing
        }
        guard let header = head.withUnsafeBytes({ EntryHeader(decoding: $0) }) else { return .damaged }
        return .sound(header, accessed: DiskTime(status.st_atim))
    }

    /// Whether a file could not be opened because it is a symbolic link or a socket, which a cache never creates.
    private static func isForeign(_ number: Int32) -> Bool { number == ELOOP || number == ENXIO }

    /// Returns the header of a complete file if the whole file is sound.
    private static func verified(_ bytes: UnsafeRawBufferPointer, for key: CacheKey?) -> EntryHeader? {
        guard let lengths = EntryHeader.Lengths(bytes), lengths.file == bytes.count,
            let header = EntryHeader(decoding: bytes, for: key),
            Checksum.of(UnsafeRawBufferPointer(rebasing: bytes[lengths.head...])) == header.payloadChecksum
        else { return nil }
        return header
    }
}

/// The bytes of a file, read into memory or mapped.
protocol EntryBytes: Sendable {
    /// Reads or maps a file.
    ///
    /// - Parameters:
    ///   - descriptor: The open file. It may be closed afterwards.
    ///   - count: The size of the file, in bytes.
    ///   - threshold: The size from which the file may be mapped.
    /// - Returns: `nil` if there is no memory or reading fails. The contents may still be sound.
    init?(_ descriptor: Int32, count: Int, mapsFrom threshold: Int)

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result
}

/// Reads files into memory, and maps those larger than nearly all images, because mapping pays off only for them.
extension Data: EntryBytes {
    init?(_ descriptor: Int32, count: Int, mapsFrom threshold: Int) {
        if count > threshold {
            self.init(mapping: descriptor, count: count)
        } else {
            self.init(reading: descriptor, count)
        }
    }

    init?(reading descriptor: Int32, _ count: Int) {
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

    /// Maps a file. Mapping is safe because the cache never writes or truncates a file once it has its name. A removed
    /// file keeps its pages while they are mapped.
    private init?(mapping descriptor: Int32, count: Int) {
        guard let memory = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), memory != MAP_FAILED
        else { return nil }
        self.init(bytesNoCopy: memory, count: count, deallocator: .unmap)
    }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result { withUnsafeBytes(body) }
}

/// Maps a file whose bytes are used in place, or reads it if mapping fails.
///
/// Mapping is safe because the cache never writes or truncates a file once it has its name: see ``MappedBytes``.
enum InPlaceBytes: EntryBytes {
    case mapped(MappedBytes)
    case copied(Data)

    init?(_ descriptor: Int32, count: Int, mapsFrom threshold: Int) {
        if threshold < .max, let mapped = MappedBytes(descriptor, count: count) {
            self = .mapped(mapped)
        } else if let data = Data(descriptor, count: count, mapsFrom: threshold) {
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
