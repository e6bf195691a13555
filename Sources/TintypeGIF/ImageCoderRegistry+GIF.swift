public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of GIF, still and animated.
    public static let gif = ImageCoderRegistry(decoders: [GIFDecoder()], encoders: [GIFEncoder()])
}
