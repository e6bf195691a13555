/// What a picture has beyond 8 bits: RGBA of 16-bit floats, as linear light of sRGB's primaries, premultiplied by alpha,
/// top row first.
///
/// 1 is the white of paper (203 cd/m²: Rec. ITU-R BT.2408-7, 2.2). What is brighter has more, and a colour that sRGB does
/// not have is told by channels below 0.
public struct HighRangePixels: Sendable {
    /// Bytes of one pixel.
    public static let bytesPerPixel = 8

    /// In pixels, orientation applied.
    public let size: PixelSize
    /// Rows of twice as many pixels of half the size.
    let rows: PixelBuffer

    /// Bytes from one row to the next, a multiple of 64.
    public var bytesPerRow: Int { rows.bytesPerRow }
    /// The bytes this keeps in memory, padding included.
    public var byteCount: Int { rows.byteCount }

    /// - Parameter rows: halves, in a bitmap of twice the width.
    /// - Precondition: its width is even.
    package init(rows: PixelBuffer) {
        precondition(rows.size.width % 2 == 0, "no pixels of \(Self.bytesPerPixel) bytes: \(rows.size)")
        size = PixelSize(width: rows.size.width / 2, height: rows.size.height)
        self.rows = rows
    }

    /// Room for such pixels, to be made `HighRangePixels` of when it is filled.
    ///
    /// - Throws: as ``PixelWriter``.
    package static func writer(_ size: PixelSize) throws(TintypeError) -> PixelWriter {
        try PixelWriter(size: PixelSize(width: size.width * 2, height: size.height))
    }

    /// The premultiplied channels at a position: red, green, blue, alpha.
    ///
    /// - Precondition: the position is inside the picture.
    public subscript(x: Int, y: Int) -> SIMD4<Float> {
        precondition(x >= 0 && x < size.width, "column \(x) of \(size)")
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

    /// All rows, padding included. The pointer is valid only inside `body`.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try rows.withUnsafeBytes(body)
    }
}

extension SIMD4<Float16> {
    fileprivate var asFloats: SIMD4<Float> { SIMD4<Float>(self) }
}
