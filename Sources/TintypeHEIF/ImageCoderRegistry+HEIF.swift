public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of HEIC.
    public static let heic = ImageCoderRegistry(decoders: [HEIFDecoder()], encoders: [HEIFEncoder()])
}
