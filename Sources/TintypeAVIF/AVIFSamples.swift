import CLibAVIF
import TintypeCore

/// The layout and meaning of the RGBA samples that are encoded.
struct AVIFSamples {
    /// The size of the image in pixels.
    let size: PixelSize
    /// The distance between rows in bytes.
    let bytesPerRow: Int
    /// Whether alpha is omitted.
    let isOpaque: Bool
    /// Whether the brightness alone is encoded.
    let isGrey: Bool
    /// Bits of a sample, before and after encoding.
    let depth: (stored: UInt32, encoded: UInt32)
    /// Code points (ITU-T H.273), the matrix for lossy images.
    let primaries: Int
    let transfer: Int
    let matrix: Int

    /// Straight 8-bit pixels.
    init(_ pixels: PixelBuffer, isOpaque: Bool, isGrey: Bool, _ colorSpace: EncodeOptions.ColorSpace) {
        (size, bytesPerRow, depth) = (pixels.size, pixels.bytesPerRow, (8, 8))
        (self.isOpaque, self.isGrey) = (isOpaque, isGrey)
        primaries = colorSpace == .displayP3 ? AVIF_COLOR_PRIMARIES_SMPTE432 : AVIF_COLOR_PRIMARIES_BT709
        (transfer, matrix) = (AVIF_TRANSFER_CHARACTERISTICS_SRGB, AVIF_MATRIX_COEFFICIENTS_BT601)
    }

    /// Straight 16-bit pixels without padding. Programs that show AVIF have decoders for ten bits.
    init(_ samples: DeepSamples, isGrey: Bool, _ colorSpace: EncodeOptions.ColorSpace) {
        (size, bytesPerRow, depth) = (samples.size, samples.size.width * 8, (16, 10))
        (isOpaque, self.isGrey) = (samples.isOpaque, isGrey)
        primaries = colorSpace == .displayP3 ? AVIF_COLOR_PRIMARIES_SMPTE432 : AVIF_COLOR_PRIMARIES_BT709
        (transfer, matrix) = (AVIF_TRANSFER_CHARACTERISTICS_SRGB, AVIF_MATRIX_COEFFICIENTS_BT601)
    }

    /// Straight 16-bit pixels without padding, in PQ with the primaries of BT.2100. Ten bits are enough for PQ.
    init(pq size: PixelSize, isOpaque: Bool) {
        (self.size, bytesPerRow, depth) = (size, size.width * 8, (16, 10))
        (self.isOpaque, isGrey) = (isOpaque, false)
        (primaries, transfer, matrix) = (
            AVIF_COLOR_PRIMARIES_BT2020, AVIF_TRANSFER_CHARACTERISTICS_SMPTE2084, AVIF_MATRIX_COEFFICIENTS_BT2020_NCL
        )
    }
}
