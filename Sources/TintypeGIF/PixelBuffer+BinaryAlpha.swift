import TintypeCore

extension PixelBuffer {
    /// The picture as a GIF can have it: straight colours that are opaque, or all zero.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    func withBinaryAlpha() throws(TintypeError) -> PixelBuffer {
        if isOpaque { return self }
        let straight = try unpremultiplied()
        return try .painted(size) { y, row in
            straight.withUnsafeRow(y) { source in
                let source = source.bindMemory(to: UInt32.self)
                for x in row.indices { row[x] = source[x] >= Self.halfOpaque ? source[x] | Self.opaque : 0 }
            }
        }
    }

    /// A picture that is written row by row, as words of red, green, blue and alpha, which is the highest byte.
    static func painted(
        _ size: PixelSize, _ paint: (_ y: Int, _ row: UnsafeMutableBufferPointer<UInt32>) -> Void
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow / bytesPerPixel
        writer.withRows { rows in
            let words = rows.bindMemory(to: UInt32.self)
            for y in 0..<size.height {
                paint(y, UnsafeMutableBufferPointer(rebasing: words[y * stride..<y * stride + size.width]))
            }
        }
        return writer.finish()
    }

    /// The words of a row; see ``painted(_:_:)``.
    func withWords<Value>(_ y: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Value) -> Value {
        withUnsafeRow(y) { body($0.bindMemory(to: UInt32.self)) }
    }

    private static let opaque: UInt32 = 0xFF00_0000
    private static let halfOpaque: UInt32 = 0x8000_0000
}
