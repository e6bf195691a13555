import Foundation
import TintypeCore

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
