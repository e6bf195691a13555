import CTintypeKernels
import Foundation

extension PixelBuffer {
    /// This picture, stored with `orientation`, turned upright.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func oriented(_ orientation: Orientation) throws(TintypeError) -> PixelBuffer {
        guard orientation != .up else { return self }
        return try copied(to: orientation.displayed(size)) { source, target, stride in
            tintype_kernels_current().pointee.orient(
                source, bytesPerRow, target, stride, size.width, size.height, Int32(orientation.rawValue))
        }
    }

    /// This picture on an opaque background.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func flattened(on background: Pixel) throws(TintypeError) -> PixelBuffer {
        try copied(to: size) { source, target, stride in
            Swift.withUnsafeBytes(of: background) { color in
                tintype_kernels_current().pointee.flatten(
                    source, bytesPerRow, target, stride, size.width, size.height,
                    color.bindMemory(to: UInt8.self).baseAddress)
            }
        }
    }

    /// A part of this picture.
    ///
    /// - Precondition: it lies inside.
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func cropped(to rect: PixelRect) throws(TintypeError) -> PixelBuffer {
        if rect.size == size { return self }
        let start = rect.y * bytesPerRow + rect.x * Self.bytesPerPixel
        return try copied(to: rect.size) { source, target, stride in
            for y in 0..<rect.size.height {
                memcpy(
                    target + y * stride, source + start + y * bytesPerRow, rect.size.width * Self.bytesPerPixel)
            }
        }
    }

    /// This picture with colour not multiplied by alpha, as file formats have it. Only for handing on to an encoder.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func unpremultiplied() throws(TintypeError) -> PixelBuffer {
        try copied(to: size) { source, target, stride in
            tintype_kernels_current().pointee.unpremultiply(
                source, bytesPerRow, target, stride, size.width, size.height)
        }
    }

    /// Whether every pixel is opaque.
    public var isOpaque: Bool {
        (0..<size.height).allSatisfy { y in
            withUnsafeRow(y) { row in
                stride(from: 3, to: row.count, by: Self.bytesPerPixel).allSatisfy { row[$0] == 255 }
            }
        }
    }

    /// A new picture that `kernel` writes: it is given the first byte of this one's rows, that of the new one's, and the
    /// bytes from one of those to the next.
    func copied(
        to target: PixelSize,
        _ kernel: (UnsafePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int) -> Void
    ) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: target)
        let stride = writer.bytesPerRow
        withUnsafeBytes { source in
            writer.withRows { rows in
                guard let from = source.bindMemory(to: UInt8.self).baseAddress,
                    let to = rows.bindMemory(to: UInt8.self).baseAddress
                else { return }
                kernel(from, to, stride)
            }
        }
        return writer.finish()
    }
}

extension PixelWriter {
    /// Multiplies colour by alpha, once all rows are written straight.
    public mutating func premultiply(rows: Int) {
        premultiply(rows: rows, from: 0)
    }

    /// The same for rows from one on.
    package mutating func premultiply(rows: Int, from first: Int) {
        let (stride, width) = (bytesPerRow, size.width)
        withRows(from: first) { bytes in
            tintype_kernels_current().pointee.premultiply(
                bytes.bindMemory(to: UInt8.self).baseAddress, stride, width, rows)
        }
    }

    /// Divides colour by alpha, where it stands.
    package mutating func unpremultiply(rows: Int, from first: Int) {
        let (stride, width) = (bytesPerRow, size.width)
        withRows(from: first) { bytes in
            let pixels = bytes.bindMemory(to: UInt8.self).baseAddress
            tintype_kernels_current().pointee.unpremultiply(pixels, stride, pixels, stride, width, rows)
        }
    }
}
