public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of WebP.
    public static let webp = ImageCoderRegistry(decoders: [WebPDecoder()], encoders: [WebPEncoder()])
}
