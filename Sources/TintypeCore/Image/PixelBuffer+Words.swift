// Pixels as words: red is the lowest byte, alpha the highest.

extension PixelBuffer {
    /// Returns the image for formats without translucency, such as GIF and Sixel: straight colours that are either opaque or
    /// all zero. Pixels that are at least half opaque become opaque.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func withBinaryAlpha() throws(TintypeError) -> PixelBuffer {
        if isOpaque { return self }
        let straight = try unpremultiplied()
        return try .makeRows(size) { y, row in
            straight.withUnsafeRow(y) { source in
                let source = source.bindMemory(to: UInt32.self)
                for x in row.indices { row[x] = source[x] >= Self.halfOpaque ? source[x] | Self.opaque : 0 }
            }
        }
    }

    /// Creates an image whose rows `fillRow` writes as words of red, green, blue and alpha, the highest byte.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package static func makeRows(
        _ size: PixelSize, _ fillRow: (_ y: Int, _ row: UnsafeMutableBufferPointer<UInt32>) -> Void
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow / bytesPerPixel
        writer.withRows { rows in
            let words = rows.bindMemory(to: UInt32.self)
            for y in 0..<size.height {
                fillRow(y, UnsafeMutableBufferPointer(rebasing: words[y * stride..<y * stride + size.width]))
            }
        }
        return writer.finish()
    }

    /// Calls `body` with the words of a row; see ``makeRows(_:_:)``.
    package func withWords<Value>(_ y: Int, _ body: (UnsafeBufferPointer<UInt32>) -> Value) -> Value {
        withUnsafeRow(y) { body($0.bindMemory(to: UInt32.self)) }
    }

    private static let opaque: UInt32 = 0xFF00_0000
    private static let halfOpaque: UInt32 = 0x8000_0000
}
