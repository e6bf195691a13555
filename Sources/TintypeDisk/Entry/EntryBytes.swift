import Foundation
import TintypeCore

/// The bytes of a file, read into memory or mapped.
protocol EntryBytes: Sendable {
    /// Reads or maps a file.
    ///
    /// - Parameters:
    ///   - descriptor: The open file. It may be closed afterwards.
    ///   - count: The size of the file, in bytes.
    ///   - threshold: The size from which the file may be mapped.
    /// - Returns: `nil` if there is not enough memory or reading fails. The contents may still be sound.
    init?(_ descriptor: Int32, count: Int, mapsFrom threshold: Int)

    /// Takes over a copy of the bytes.
    init(copy: Data)

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

    init(copy: Data) { self = copy }

    init?(reading descriptor: Int32, from start: Int = 0, _ count: Int) {
        guard let memory = malloc(Swift.max(1, count)) else { return nil }
        var filled = 0
        while filled < count {
            let result = pread(descriptor, memory + filled, count - filled, off_t(start + filled))
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

    init(copy: Data) { self = .copied(copy) }

    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .mapped(let mapped): body(mapped.bytes)
        case .copied(let data): data.withUnsafeBytes(body)
        }
    }
}
