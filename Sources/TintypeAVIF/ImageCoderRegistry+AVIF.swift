public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of AVIF.
    public static let avif = ImageCoderRegistry(decoders: [AVIFDecoder()], encoders: [AVIFEncoder()])
}
