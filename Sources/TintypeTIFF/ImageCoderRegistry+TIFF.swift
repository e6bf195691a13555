public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of TIFF.
    public static let tiff = ImageCoderRegistry(decoders: [TIFFDecoder()], encoders: [TIFFEncoder()])
}
