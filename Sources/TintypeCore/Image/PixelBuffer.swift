/// Decoded pixels that no longer change: 8-bit sRGB RGBA, premultiplied by alpha, top row first.
///
/// Rows begin at multiples of ``bytesPerRow``, which is a multiple of 64. Copying a value copies one reference.
public struct PixelBuffer: Sendable {
    /// Bytes of one pixel: red, green, blue, alpha.
    public static let bytesPerPixel = 4

    /// In pixels.
    public let size: PixelSize
    /// Bytes from one row to the next, padding included.
    public let bytesPerRow: Int
    let storage: PixelStorage

    /// The bytes this buffer keeps in memory, padding included.
    public var byteCount: Int { storage.bytes.count }

    /// All rows, padding included. The pointer is valid only inside `body`.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// One row without its padding. The pointer is valid only inside `body`.
    ///
    /// - Precondition: `0 <= y < size.height`.
    public func withUnsafeRow<Result, Failure: Error>(
        _ y: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(y >= 0 && y < size.height, "row \(y) of \(size)")
        let start = y * bytesPerRow
        return try body(
            UnsafeRawBufferPointer(rebasing: storage.bytes[start..<start + size.width * Self.bytesPerPixel]))
    }

    /// The premultiplied pixel at a position.
    ///
    /// - Precondition: the position is inside the picture.
    public subscript(x: Int, y: Int) -> Pixel {
        precondition(x >= 0 && x < size.width, "column \(x) of \(size)")
        return withUnsafeRow(y) { row in row.loadUnaligned(fromByteOffset: x * Self.bytesPerPixel, as: Pixel.self) }
    }

    /// Bytes from one row of `width` pixels to the next.
    static func bytesPerRow(width: Int) -> Int {
        let mask = PixelStorage.alignment - 1
        return (width * bytesPerPixel + mask) & ~mask
    }
}

/// One pixel: 8-bit RGBA, premultiplied by alpha where it comes from a ``PixelBuffer``.
public struct Pixel: Hashable, Sendable, BitwiseCopyable {
    public var red: UInt8
    public var green: UInt8
    public var blue: UInt8
    public var alpha: UInt8

    public init(red: UInt8, green: UInt8, blue: UInt8, alpha: UInt8 = 255) {
        self.red = red
        self.green = green
        self.blue = blue
        self.alpha = alpha
    }
}
