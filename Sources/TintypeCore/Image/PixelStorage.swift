import Foundation

/// The memory of one bitmap: the project's only allocation of pixels, through the ``PixelPool``.
///
/// `@unchecked Sendable` because the bytes are written only through the ``PixelWriter`` that made the storage, which
/// is consumed when it becomes a ``PixelBuffer``; from then on nothing writes, so every thread may read.
final class PixelStorage: @unchecked Sendable {
    /// Rows begin on a cache line, which the widest vector registers of x86-64 and arm64 also like.
    static let alignment = 64

    let bytes: UnsafeMutableRawBufferPointer
    private let block: PixelBlock

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(byteCount: Int) throws(TintypeError) {
        guard let block = PixelPool.shared.take(byteCount) else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for a bitmap of \(byteCount) bytes")
        }
        self.block = block
        bytes = UnsafeMutableRawBufferPointer(start: block.pointer, count: byteCount)
    }

    deinit {
        PixelPool.shared.put(block)
    }
}
