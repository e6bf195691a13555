/// How the bytes become pixels. Everything here changes pixels, so all of it is in the key.
public struct DecodeOptions: Hashable, Sendable {
    public var size: Size
    public var frames: Frames
    public var range: DynamicRange
    /// Pixels a point of the picture: see ``Image/scale``. `nil` reads it from the source's name, as in `logo@2x.png`.
    public var scale: Double?
    /// Instead of the one that the pipeline's ``ImageCoderRegistry`` finds; it is given the bytes whatever they are.
    public var decoder: NamedDecoder?

    public init(
        size: Size = .full, frames: Frames = .all, range: DynamicRange = .standard, scale: Double? = nil,
        decoder: NamedDecoder? = nil
    ) {
        self.size = size
        self.frames = frames
        self.range = range
        self.scale = scale
        self.decoder = decoder
    }

    /// A canonical form with every setting that differs from the default; empty when none does.
    public var identifier: String {
        var parts = [size.identifier, frames.identifier, range.identifier].filter { !$0.isEmpty }
        if let scale { parts.append("scale(\(scale))") }
        if let decoder { parts.append("decoder(\(decoder.id.utf8.count):\(decoder.id))") }
        return parts.joined(separator: ",")
    }
}

extension DecodeOptions {
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

    /// Which frames of an animated picture are wanted.
    public enum Frames: Hashable, Sendable {
        /// All that it has.
        case all
        /// The first, as a still picture.
        case first
        /// All; a still picture is ``TintypeError/Code/notAnimated``.
        case animatedOnly
    }

    /// How bright and how finely graded pixels may be.
    public enum DynamicRange: Hashable, Sendable {
        /// sRGB of 8 bits a channel.
        case standard
        /// What the source has, where its decoder can keep it.
        case high
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

extension DecodeOptions.Frames {
    fileprivate var identifier: String {
        switch self {
        case .all: ""
        case .first: "first"
        case .animatedOnly: "animated"
        }
    }
}

extension DecodeOptions.DynamicRange {
    fileprivate var identifier: String { self == .high ? "high" : "" }
}
