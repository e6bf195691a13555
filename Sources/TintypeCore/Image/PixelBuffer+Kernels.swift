import CTintypeKernels
import Foundation

extension PixelBuffer {
    /// Returns the upright image of pixels that are stored with `orientation`.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    public func oriented(_ orientation: Orientation) throws(TintypeError) -> PixelBuffer {
        guard orientation != .up else { return self }
        return try copied(to: orientation.displayed(size)) { source, target, stride throws(TintypeError) in
            // A strip is large and consists of whole tiles, because each strip touches all rows of a target that is
            // rotated by 90°.
            let strips = Strips(of: size.height, bytesPerRow: bytesPerRow, byteCount: 8 << 20, multiple: 32)
            try strips.forEachAtOnce { rows in
                // A strip of rows becomes a strip of rows or, if the axes are swapped, of columns.
                let next = orientation.swapsAxes ? Self.bytesPerPixel : stride
                let first = orientation.beginsAtBottom ? size.height - rows.upperBound : rows.lowerBound
                tintype_kernels_current().pointee.orient(
                    source + rows.lowerBound * bytesPerRow, bytesPerRow, target + first * next, stride, size.width,
                    rows.count, Int32(orientation.rawValue))
            }
        }
    }

    /// Returns this image composited over an opaque background. The alpha of `background` is ignored.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    public func flattened(on background: Pixel) throws(TintypeError) -> PixelBuffer {
        let color = [background.red, background.green, background.blue, 255]
        return try copiedInStrips { source, target, stride, height in
            tintype_kernels_current().pointee.flatten(
                source, bytesPerRow, target, stride, size.width, height, color)
        }
    }

    /// Returns the part of this image inside `rect`.
    ///
    /// - Precondition: `rect` lies inside the image.
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func cropped(to rect: PixelRect) throws(TintypeError) -> PixelBuffer {
        if rect.size == size { return self }
        let start = rect.y * bytesPerRow + rect.x * Self.bytesPerPixel
        return try copied(to: rect.size) { source, target, stride throws(TintypeError) in
            try Strips(of: rect.size.height, bytesPerRow: stride).forEachAtOnce { rows in
                tintype_kernels_current().pointee.copy(
                    source + start + rows.lowerBound * bytesPerRow, bytesPerRow, target + rows.lowerBound * stride,
                    stride, rect.size.width, rows.count)
            }
        }
    }

    /// Returns the image with straight colour, not multiplied by alpha, as file formats store it.
    ///
    /// Pass the result only to an encoder: everything else expects premultiplied pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    public func unpremultiplied() throws(TintypeError) -> PixelBuffer {
        try copiedInStrips { source, target, stride, height in
            tintype_kernels_current().pointee.unpremultiply(source, bytesPerRow, target, stride, size.width, height)
        }
    }

    /// Whether every pixel is opaque.
    ///
    /// - Complexity: O(pixels).
    public var isOpaque: Bool {
        // No branch between the pixels of a row, so that the compiler uses vector instructions.
        (0..<size.height).allSatisfy { y in withWords(y) { $0.reduce(.max, &) >> 24 == 255 } }
    }

    /// Whether red, green and blue are equal in every pixel.
    ///
    /// - Complexity: O(pixels), and O(1) for most images with colours.
    package var isGrey: Bool {
        // The two differences are zero if red equals green, and green equals blue.
        (0..<size.height).allSatisfy { y in
            withWords(y) { row in row.allSatisfy { ($0 ^ $0 >> 8) & 0xFFFF == 0 } }
        }
    }

    /// Returns a new image that `kernel` writes.
    ///
    /// - Parameters:
    ///   - target: The size of the new image in pixels.
    ///   - kernel: Receives the first byte of the source, the first byte of the target, and the target's row stride in
    ///     bytes.
    /// - Throws: ``TintypeError/Code/outOfMemory``, and the errors of `kernel`.
    func copied(
        to target: PixelSize,
        _ kernel: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) throws(TintypeError) -> Void
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: target)
        let stride = writer.bytesPerRow
        try withUnsafeBytes { source throws(TintypeError) in
            try writer.withRows { rows throws(TintypeError) in
                guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                    let to = rows.bindMemory(to: UInt8.self).baseAddress
                else { return }
                try kernel(from, to, stride)
            }
        }
        return writer.finish()
    }

    /// Like ``copied(to:_:)``, but strip by strip, for kernels that compute each row from the same row of the source.
    ///
    /// - Parameter kernel: Also receives the number of rows of the strip.
    private func copiedInStrips(
        _ kernel: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int, Int) -> Void
    ) throws(TintypeError) -> PixelBuffer {
        try copied(to: size) { source, target, stride throws(TintypeError) in
            try Strips(of: size.height, bytesPerRow: bytesPerRow).forEachAtOnce { rows in
                kernel(
                    source + rows.lowerBound * bytesPerRow, target + rows.lowerBound * stride, stride, rows.count)
            }
        }
    }
}

extension PixelWriter {
    /// Multiplies the colour of the first `rows` rows by alpha, in place.
    public mutating func premultiply(rows: Int) {
        premultiply(rows: rows, from: 0)
    }

    /// Multiplies the colour of `rows` rows from index `first` on by alpha, in place.
    package mutating func premultiply(rows: Int, from first: Int) {
        let (stride, width) = (bytesPerRow, size.width)
        withRows(from: first) { bytes in
            tintype_kernels_current().pointee.premultiply(
                bytes.bindMemory(to: UInt8.self).baseAddress, stride, width, rows)
        }
    }

    /// Converts cairo's pixels to RGBA, in place. Their 32-bit words have alpha in the highest byte, so that the bytes
    /// of a little-endian machine are BGRA.
    package mutating func convertFromCairo() {
        let (stride, size) = (bytesPerRow, size)
        withRows { bytes in
            let pixels = bytes.bindMemory(to: UInt8.self).baseAddress
            tintype_kernels_current().pointee.swap_red_and_blue(pixels, stride, pixels, stride, size.width, size.height)
        }
    }

    /// Divides the colour of `rows` rows from index `first` on by alpha, in place.
    package mutating func unpremultiply(rows: Int, from first: Int) {
        let (stride, width) = (bytesPerRow, size.width)
        withRows(from: first) { bytes in
            let pixels = bytes.bindMemory(to: UInt8.self).baseAddress
            tintype_kernels_current().pointee.unpremultiply(pixels, stride, pixels, stride, width, rows)
        }
    }
}

// MARK: - Pixels as words: red is the lowest byte, alpha the highest

extension PixelBuffer {
    /// Returns the image for formats without translucency, such as GIF and Sixel: straight colours that are either
    /// opaque or all zero. Pixels that are at least half opaque become opaque.
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
