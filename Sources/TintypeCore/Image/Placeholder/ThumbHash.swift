/// A picture as about 25 bytes, for a placeholder with its shape and transparency. (github.com/evanw/thumbhash.)
public struct ThumbHash: Hashable, Sendable {
    /// As they are stored and sent.
    public let bytes: [UInt8]

    /// Computed over a copy of at most 100×100 pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public init(_ pixels: PixelBuffer) throws(TintypeError) {
        bytes = ThumbHashEncoder(try StraightPixels(pixels, atMost: 100)).bytes
    }

    /// `nil` unless the bytes are a whole hash.
    public init?(bytes: [UInt8]) {
        guard bytes.count >= 5, bytes.count >= ThumbHashHeader(bytes).byteCount else { return nil }
        self.bytes = bytes
    }

    /// About the picture's width, divided by its height.
    public var aspectRatio: Double {
        let waves = ThumbHashHeader(bytes).storedWaves
        return Double(waves.width) / Double(waves.height)
    }

    /// Whether a pixel may be transparent.
    public var hasAlpha: Bool { ThumbHashHeader(bytes).hasAlpha }

    /// The placeholder, its longer side 32 pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func pixels() throws(TintypeError) -> PixelBuffer {
        try ThumbHashDecoder(bytes).pixels(aspectRatio: aspectRatio)
    }
}
