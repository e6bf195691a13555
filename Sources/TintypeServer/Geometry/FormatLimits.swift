package import TintypeCore

/// The largest images that a format can hold.
package struct FormatLimits: Hashable, Sendable {
    /// The largest side in pixels; 0 for no limit.
    package var side: Int
    /// The largest number of pixels; 0 for no limit.
    package var pixels: Int

    /// Creates limits.
    package init(side: Int = 0, pixels: Int = 0) {
        self.side = side
        self.pixels = pixels
    }

    /// Creates the limits of a format.
    package init(of format: ImageFormat) {
        switch format {
        // WEBP_MAX_DIMENSION of libwebp.
        case .webp: self.init(side: 16_383)
        // The largest side that AV1 and HEVC encoders take in one piece.
        case .avif, .heic: self.init(side: 16_384)
        // The sides have 16 bits (GIF 89a, section 18).
        case .gif: self.init(side: 65_535)
        // JPEG_MAX_DIMENSION of libjpeg.
        case .jpeg: self.init(side: 65_500)
        // The sides have 8 bits, where 0 is 256.
        case .ico: self.init(side: 256)
        default: self.init()
        }
    }

    /// Returns the size to which an image is reduced for the format; `nil` if it is small enough.
    func reduced(_ size: PixelSize) -> PixelSize? {
        var factor = 1.0
        if side > 0 { factor = min(factor, Double(side) / Double(max(size.width, size.height))) }
        if pixels > 0 { factor = min(factor, (Double(pixels) / Double(size.area)).squareRoot()) }
        return factor < 1 ? size.scaled(by: factor) : nil
    }
}
