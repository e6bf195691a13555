import CZlib
package import TintypeCore

/// Pixels in a format of the kitty graphics protocol.
package struct KittyPixels: Sendable {
    /// A pixel format; the raw value is the one of the key `f`.
    package enum Format: Int, Sendable {
        case rgb = 24
        /// Straight alpha. The protocol does not say so, but kitty shows premultiplied pixels too dark.
        case rgba = 32
    }

    /// How the bytes are packed.
    package enum Compression: Hashable, Sendable {
        /// Not at all.
        case none
        /// By zlib, quickly. It pays over a slow connection.
        case zlib
    }

    /// The size in pixels.
    package let size: PixelSize
    /// The format of the bytes before they are packed.
    package let format: Format
    /// How the bytes are packed.
    package let compression: Compression
    /// The pixels, row by row without padding.
    package let bytes: [UInt8]

    /// Converts an image: without an alpha channel if it is opaque, which saves a quarter.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`, `TintypeError.Code.cancelled`.
    package init(_ pixels: PixelBuffer, compression: Compression = .none) throws(TintypeError) {
        size = pixels.size
        let isOpaque = pixels.isOpaque
        format = isOpaque ? .rgb : .rgba
        let plain = isOpaque ? Self.rgb(pixels) : Self.rgba(try pixels.unpremultiplied())
        let packed = compression == .zlib ? try Zlib.compress(plain, level: 1) : nil
        bytes = packed ?? plain
        self.compression = compression
    }

    private static func rgb(_ pixels: PixelBuffer) -> [UInt8] {
        let width = pixels.size.width
        return [UInt8](unsafeUninitializedCapacity: pixels.size.area * 3) { target, count in
            for y in 0..<pixels.size.height {
                pixels.withUnsafeRow(y) { row in
                    var (from, to) = (0, y * width * 3)
                    for _ in 0..<width {
                        target[to] = row[from]
                        target[to + 1] = row[from + 1]
                        target[to + 2] = row[from + 2]
                        from += 4
                        to += 3
                    }
                }
            }
            count = target.count
        }
    }

    private static func rgba(_ pixels: PixelBuffer) -> [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(pixels.size.area * 4)
        for y in 0..<pixels.size.height { pixels.withUnsafeRow(y) { bytes.append(contentsOf: $0) } }
        return bytes
    }
}

/// The compression of zlib (RFC 1950).
enum Zlib {
    /// Returns the bytes as one zlib stream.
    ///
    /// - Parameter level: From 1 for the fastest to 9 for the smallest.
    /// - Throws: `TintypeError.Code.outOfMemory`.
    static func compress(_ bytes: [UInt8], level: Int32) throws(TintypeError) -> [UInt8] {
        var packed = [UInt8](repeating: 0, count: Int(compressBound(uLong(bytes.count))))
        var count = uLongf(packed.count)
        guard compress2(&packed, &count, bytes, uLong(bytes.count), level) == Z_OK else {
            throw TintypeError(.outOfMemory, stage: .encode, "not enough memory to compress \(bytes.count) bytes")
        }
        packed.removeSubrange(Int(count)...)
        return packed
    }
}
