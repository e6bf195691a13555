public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of SVG.
    public static let svg = ImageCoderRegistry(decoders: [SVGDecoder()])
}
