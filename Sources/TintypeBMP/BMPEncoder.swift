package import Foundation
package import TintypeCore

/// Encodes uncompressed, lossless BMP.
///
/// An opaque image is written with 24 bits per pixel, which every program reads. Other images are written with 32 bits
/// per pixel, alpha and a version 5 header. Any thread may use an encoder.
package struct BMPEncoder: ImageEncoder {
    /// Creates a BMP encoder.
    package init() {}

    /// The formats that this encoder writes: BMP.
    package var formats: Set<ImageFormat> { [.bmp] }

    /// The largest file, in bytes. Size fields have 32 bits, and some programs read them as signed.
    private static let maximumByteCount = Int(Int32.max)

    /// Encodes `pixels`; `options` has no effect on BMP.
    ///
    /// - Throws: `TintypeError.Code.encodeFailed` if the file would exceed 2 GB, `TintypeError.Code.outOfMemory`.
    package func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        let depth = isOpaque ? 24 : 32
        let rowLength = (pixels.size.width * depth + 31) / 32 * 4
        var file = BMPFile(pixels.size, depth: depth, pixelBytes: rowLength * pixels.size.height)
        guard file.byteCount <= Self.maximumByteCount else {
            throw TintypeError(
                .encodeFailed, stage: .encode, "an image of \(pixels.size) pixels is too large for a BMP file")
        }
        for y in (0..<pixels.size.height).reversed() {
            straight.withUnsafeRow(y) { file.append($0.bindMemory(to: Pixel.self), length: rowLength) }
        }
        return file.data
    }
}

/// A BMP file under construction: its headers, followed by rows from the bottom up.
struct BMPFile {
    private(set) var data = Data()
    let byteCount: Int
    private let depth: Int

    /// Constants of the Windows headers: `BI_BITFIELDS` and `LCS_sRGB`.
    private static let bitFields: UInt32 = 3
    private static let sRGB: UInt32 = 0x7352_4742

    init(_ size: PixelSize, depth: Int, pixelBytes: Int) {
        self.depth = depth
        let headerLength = depth == 32 ? 124 : 40
        let start = 14 + headerLength
        byteCount = start + pixelBytes
        data.append(contentsOf: "BM".utf8)
        append(UInt32(clamping: byteCount), 0, UInt32(start), UInt32(headerLength))
        append(UInt32(clamping: size.width), UInt32(clamping: size.height))
        append(UInt32(depth) << 16 | 1, depth == 32 ? Self.bitFields : 0, UInt32(clamping: pixelBytes))
        // 72 dots per inch in dots per metre; no palette.
        append(2835, 2835, 0, 0)
        if depth == 32 {
            append(0xFF_0000, 0xFF00, 0xFF, 0xFF00_0000, Self.sRGB)
            append(contentsOf: repeatElement(0, count: 16))
        }
        if byteCount <= Int(Int32.max) { data.reserveCapacity(byteCount) }
    }

    /// Appends a row of straight pixels, padded to `length` bytes.
    mutating func append(_ row: UnsafeBufferPointer<Pixel>, length: Int) {
        var bytes = [UInt8](repeating: 0, count: length)
        let step = depth / 8
        for (x, pixel) in row.enumerated() {
            (bytes[x * step], bytes[x * step + 1], bytes[x * step + 2]) = (pixel.blue, pixel.green, pixel.red)
            if step == 4 { bytes[x * step + 3] = pixel.alpha }
        }
        data.append(contentsOf: bytes)
    }

    private mutating func append(_ numbers: UInt32...) {
        append(contentsOf: numbers)
    }

    private mutating func append(contentsOf numbers: some Sequence<UInt32>) {
        for number in numbers { withUnsafeBytes(of: number.littleEndian) { data.append(contentsOf: $0) } }
    }
}
