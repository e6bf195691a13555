public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of JPEG.
    public static let jpeg = ImageCoderRegistry(decoders: [JPEGDecoder()], encoders: [JPEGEncoder()])
}
