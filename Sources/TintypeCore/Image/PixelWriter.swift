import Foundation

/// A bitmap under construction: rows are written in place, then it becomes a ``PixelBuffer`` without a copy.
///
/// The type is not copyable, so no writer can remain when the buffer is shared. Use it from one thread at a time.
public struct PixelWriter: ~Copyable {
    /// The size in pixels.
    public let size: PixelSize
    /// The number of bytes from the start of one row to the start of the next, padding included.
    public let bytesPerRow: Int
    private let storage: PixelStorage

    /// Allocates a bitmap with undefined contents.
    ///
    /// - Parameter size: In pixels.
    /// - Throws: ``TintypeError/Code/outOfMemory``; ``TintypeError/Code/limitExceeded`` for a size that is not
    ///   positive or too large to be addressed.
    public init(size: PixelSize) throws(TintypeError) {
        guard size.isPositive, size.area <= Int.max / (2 * PixelBuffer.bytesPerPixel), size.width <= Int(Int32.max)
        else {
            throw TintypeError(.limitExceeded, stage: .decode, "a bitmap cannot have the size \(size)")
        }
        let bytesPerRow = PixelBuffer.bytesPerRow(width: size.width)
        self.init(size: size, bytesPerRow: bytesPerRow, storage: try PixelStorage(byteCount: bytesPerRow * size.height))
    }

    private init(size: PixelSize, bytesPerRow: Int, storage: PixelStorage) {
        self.size = size
        self.bytesPerRow = bytesPerRow
        self.storage = storage
    }

    /// Calls `body` with the rows from index `first` on, padding included. The pointer is valid only during the call.
    ///
    /// - Precondition: `0 <= first <= size.height`.
    public mutating func withRows<Result, Failure: Error>(
        from first: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(first >= 0 && first <= size.height, "row \(first) lies outside an image of \(size)")
        return try body(UnsafeMutableRawBufferPointer(rebasing: storage.bytes[(first * bytesPerRow)...]))
    }

    /// Fills the bitmap with transparent black.
    public mutating func clear() {
        storage.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// Consumes the writer and returns the written pixels. O(1).
    public consuming func finish() -> PixelBuffer {
        PixelBuffer(size: size, bytesPerRow: bytesPerRow, storage: storage)
    }
}

/// The memory of one bitmap: a block of the ``PixelPool``, or a part of a mapped file.
///
/// This is the only place in the project that allocates pixels.
///
/// `@unchecked Sendable` because only the ``PixelWriter`` that created the storage writes to it. The writer is consumed
/// when it becomes a ``PixelBuffer``; from then on the bytes are only read. Storage in a mapped file never has a
/// writer.
final class PixelStorage: @unchecked Sendable {
    /// The alignment of rows in bytes: a cache line, and the widest vector register of x86-64 and arm64.
    static let alignment = 64

    let bytes: UnsafeMutableRawBufferPointer
    private let owner: Owner

    private enum Owner {
        case pool(PixelBlock)
        case file(MappedBytes)
    }

    /// Allocates storage from the shared pool.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    init(byteCount: Int) throws(TintypeError) {
        guard let block = PixelPool.shared.take(byteCount) else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for a bitmap of \(byteCount) bytes")
        }
        owner = .pool(block)
        bytes = UnsafeMutableRawBufferPointer(start: block.pointer, count: byteCount)
    }

    /// Creates read-only storage over a mapped file, from `offset` to the end of the mapping.
    init(_ mapped: MappedBytes, from offset: Int) {
        owner = .file(mapped)
        bytes = UnsafeMutableRawBufferPointer(
            mutating: UnsafeRawBufferPointer(rebasing: mapped.bytes[offset...]))
    }

    deinit {
        if case .pool(let block) = owner { PixelPool.shared.put(block) }
    }
}

extension PixelBuffer {
    /// Returns one transparent pixel.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package static func onePixel() throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: PixelSize(width: 1, height: 1))
        writer.clear()
        return writer.finish()
    }
}
