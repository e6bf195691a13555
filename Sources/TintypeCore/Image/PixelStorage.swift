import Foundation

/// The memory of one bitmap: the project's only allocation of pixels, through the ``PixelPool``; or pixels where they lie
/// in a mapped file.
///
/// `@unchecked Sendable` because the bytes are written only through the ``PixelWriter`` that made the storage, which
/// is consumed when it becomes a ``PixelBuffer``; from then on nothing writes, so every thread may read. Those of a file
/// have no writer.
final class PixelStorage: @unchecked Sendable {
    /// Rows begin on a cache line, which the widest vector registers of x86-64 and arm64 also like.
    static let alignment = 64

    let bytes: UnsafeMutableRawBufferPointer
    private let owner: Owner

    private enum Owner {
        case pool(PixelBlock)
        case file(MappedBytes)
    }

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(byteCount: Int) throws(TintypeError) {
        guard let block = PixelPool.shared.take(byteCount) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a bitmap of \(byteCount) bytes")
        }
        owner = .pool(block)
        bytes = UnsafeMutableRawBufferPointer(start: block.pointer, count: byteCount)
    }

    /// Only for reading.
    init(_ mapped: MappedBytes, from offset: Int) {
        owner = .file(mapped)
        bytes = UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(rebasing: mapped.bytes[offset...]))
    }

    deinit {
        if case .pool(let block) = owner { PixelPool.shared.put(block) }
    }
}
