/// Pixels with more than 8 bits per channel: RGBA of 16-bit floats, premultiplied by alpha, top row first.
///
/// The channels are linear light with the primaries of sRGB. 1 is reference white (203 cd/m²: Rec. ITU-R BT.2408-7,
/// 2.2); brighter light has greater values. Colours outside the sRGB gamut have channels below 0.
public struct HighRangePixels: Sendable {
    /// The number of bytes of one pixel.
    package static let bytesPerPixel = 8

    /// The size in pixels, with the orientation applied.
    public let size: PixelSize
    /// The same memory as 4-byte pixels, so twice as many per row.
    package let rows: PixelBuffer

    /// The number of bytes from the start of one row to the start of the next, a multiple of 64.
    public var bytesPerRow: Int { rows.bytesPerRow }
    /// The number of bytes of memory that the pixels occupy, padding included.
    package var byteCount: Int { rows.byteCount }

    /// Creates pixels over a bitmap of twice the width that contains 16-bit floats.
    ///
    /// - Precondition: the width of `rows` is even.
    package init(rows: PixelBuffer) {
        precondition(rows.size.width % 2 == 0, "the width must be even, not \(rows.size.width)")
        size = PixelSize(width: rows.size.width / 2, height: rows.size.height)
        self.rows = rows
    }

    /// Returns a writer with room for pixels of this size. Pass its buffer to ``init(rows:)``.
    ///
    /// - Throws: The errors of ``PixelWriter/init(size:)``.
    package static func writer(_ size: PixelSize) throws(TintypeError) -> PixelWriter {
        try PixelWriter(size: PixelSize(width: size.width * 2, height: size.height))
    }

    /// The premultiplied channels at a position: red, green, blue, alpha.
    ///
    /// - Precondition: the position lies inside the image.
    public subscript(x: Int, y: Int) -> SIMD4<Float> {
        precondition(x >= 0 && x < size.width, "column \(x) lies outside an image of \(size)")
        return rows.withUnsafeRow(y) { row in
            let start = x * Self.bytesPerPixel
            return SIMD4(
                row.loadUnaligned(fromByteOffset: start, as: Float16.self),
                row.loadUnaligned(fromByteOffset: start + 2, as: Float16.self),
                row.loadUnaligned(fromByteOffset: start + 4, as: Float16.self),
                row.loadUnaligned(fromByteOffset: start + 6, as: Float16.self)
            ).asFloats
        }
    }

    /// Calls `body` with all rows, padding included. The pointer is valid only during the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try rows.withUnsafeBytes(body)
    }
}

extension SIMD4<Float16> {
    fileprivate var asFloats: SIMD4<Float> { SIMD4<Float>(self) }
}

// MARK: - Geometry

extension HighRangePixels {
    /// Returns the upright image of pixels that are stored with `orientation`.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func oriented(_ orientation: Orientation) throws(TintypeError) -> HighRangePixels {
        guard orientation != .up else { return self }
        let shown = orientation.displayed(size)
        return try HighRangePixels(size: shown) { x, y in
            let stored = orientation.stored(PixelRect(x: x, y: y, size: PixelSize(width: 1, height: 1)), in: shown)
            return self[stored.x, stored.y]
        }
    }

    /// Returns a part of this image.
    ///
    /// - Precondition: The part lies inside the image.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    func cropped(to part: PixelRect) throws(TintypeError) -> HighRangePixels {
        guard part.size != size else { return self }
        return try HighRangePixels(size: part.size) { x, y in self[part.x + x, part.y + y] }
    }
}

extension HighRangePixels {
    /// Creates an image of computed pixels.
    ///
    /// - Parameters:
    ///   - size: The size in pixels.
    ///   - pixel: Returns the premultiplied channels at a column and a row: red, green, blue, alpha, as in
    ///     ``subscript(_:_:)``. Called once for each pixel, row by row.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    public init(size: PixelSize, _ pixel: (_ x: Int, _ y: Int) -> SIMD4<Float>) throws(TintypeError) {
        var writer = try Self.writer(size)
        for y in 0..<size.height {
            if y % 16 == 0 { try TransformContext.current.checkCancelled() }
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    row.storeBytes(
                        of: SIMD4<Float16>(pixel(x, y)), toByteOffset: x * Self.bytesPerPixel, as: SIMD4<Float16>.self)
                }
            }
        }
        self.init(rows: writer.finish())
    }
}
