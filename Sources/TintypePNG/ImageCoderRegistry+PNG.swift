public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of PNG, still and animated.
    public static let png = ImageCoderRegistry(decoders: [PNGDecoder()], encoders: [PNGEncoder()])
}
