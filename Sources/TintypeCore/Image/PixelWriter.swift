/// A bitmap in the making: rows are written in place, then it becomes a ``PixelBuffer`` without a copy.
///
/// It cannot be copied, so nothing can still write when the buffer is shared.
public struct PixelWriter: ~Copyable {
    /// In pixels.
    public let size: PixelSize
    /// Bytes from one row to the next, padding included.
    public let bytesPerRow: Int
    private let storage: PixelStorage

    /// Memory for `size`; its contents are not defined until they are written.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, or ``TintypeError/Code/limitExceeded`` for a size that is not
    ///   positive or that no memory can hold.
    public init(size: PixelSize) throws(TintypeError) {
        guard size.isPositive, size.area <= Int.max / (2 * PixelBuffer.bytesPerPixel), size.width <= Int(Int32.max)
        else {
            throw TintypeError(.limitExceeded, stage: .decode, "no bitmap has the size \(size)")
        }
        let bytesPerRow = PixelBuffer.bytesPerRow(width: size.width)
        self.init(size: size, bytesPerRow: bytesPerRow, storage: try PixelStorage(byteCount: bytesPerRow * size.height))
    }

    private init(size: PixelSize, bytesPerRow: Int, storage: PixelStorage) {
        self.size = size
        self.bytesPerRow = bytesPerRow
        self.storage = storage
    }

    /// The rows from `first` on, padding included. The pointer is valid only inside `body`.
    public mutating func withRows<Result, Failure: Error>(
        from first: Int = 0, _ body: (UnsafeMutableRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(first >= 0 && first <= size.height, "row \(first) of \(size)")
        return try body(UnsafeMutableRawBufferPointer(rebasing: storage.bytes[(first * bytesPerRow)...]))
    }

    /// Makes every byte zero: transparent black.
    public mutating func clear() {
        storage.bytes.initializeMemory(as: UInt8.self, repeating: 0)
    }

    /// The finished picture.
    public consuming func finish() -> PixelBuffer {
        PixelBuffer(size: size, bytesPerRow: bytesPerRow, storage: storage)
    }
}
