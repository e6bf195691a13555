public import Foundation
public import TintypeCore

/// Encodes BMP: 24 bits a pixel where every one is opaque, as every program reads it; 32 with alpha and a header of
/// version 5 otherwise. Lossless, and not compressed.
public struct BMPEncoder: ImageEncoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.bmp] }

    /// Bytes that a file can have: its fields have 32 bits, some of which programs read as signed.
    private static let mostBytes = Int(Int32.max)

    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let isOpaque = pixels.isOpaque
        let straight = isOpaque ? pixels : try pixels.unpremultiplied()
        let depth = isOpaque ? 24 : 32
        let rowLength = (pixels.size.width * depth + 31) / 32 * 4
        var file = BMPFile(pixels.size, depth: depth, pixelBytes: rowLength * pixels.size.height)
        guard file.byteCount <= Self.mostBytes else {
            throw TintypeError(.encodeFailed, stage: .encode, "\(pixels.size) are too many pixels for a BMP")
        }
        for y in (0..<pixels.size.height).reversed() {
            straight.withUnsafeRow(y) { file.append($0.bindMemory(to: Pixel.self), length: rowLength) }
        }
        return file.data
    }
}
