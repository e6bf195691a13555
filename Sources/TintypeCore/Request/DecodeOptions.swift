/// How the bytes become pixels. Everything here changes pixels, so all of it is in the key.
public struct DecodeOptions: Hashable, Sendable {
    /// How many pixels are wanted. One rule, so that no two can contradict each other; none makes a picture larger.
    public enum Size: Hashable, Sendable {
        /// As many as the picture has.
        case full
        /// At most this wide and high, keeping the aspect ratio; a side of 0 does not limit.
        case fit(PixelSize)
        /// At most this wide and high, each side on its own.
        case stretch(PixelSize)
        /// At most this many bytes decoded, keeping the aspect ratio.
        case atMost(bytes: Int)
    }

    public var size: Size
    /// Pixels a point of the picture: see ``Image/scale``.
    public var scale: Double

    public init(size: Size = .full, scale: Double = 1) {
        self.size = size
        self.scale = scale
    }

    /// A canonical form with every setting that differs from the default; empty when none does.
    public var identifier: String {
        scale == 1
            ? size.identifier : [size.identifier, "scale(\(scale))"].filter { !$0.isEmpty }.joined(separator: ",")
    }
}

extension DecodeOptions.Size {
    /// The size to decode a picture of `source` pixels to; never larger on either side, at least 1×1.
    public func target(for source: PixelSize) -> PixelSize {
        switch self {
        case .full: source
        case .fit(let box): source.fitted(into: box)
        case .stretch(let box): source.clamped(to: box)
        case .atMost(let bytes): shrunk(source, toPixels: bytes / PixelBuffer.bytesPerPixel)
        }
    }

    private func shrunk(_ source: PixelSize, toPixels limit: Int) -> PixelSize {
        guard source.area > limit else { return source }
        let scale = (Double(max(limit, 1)) / Double(source.area)).squareRoot()
        // Rounded down, since the limit is a promise.
        return PixelSize(
            width: max(1, Int(Double(source.width) * scale)), height: max(1, Int(Double(source.height) * scale)))
    }

    fileprivate var identifier: String {
        switch self {
        case .full: ""
        case .fit(let box): "fit(\(box))"
        case .stretch(let box): "stretch(\(box))"
        case .atMost(let bytes): "atMost(\(bytes))"
        }
    }
}
