public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of JPEG 2000.
    public static let jpeg2000 = ImageCoderRegistry(decoders: [JPEG2000Decoder()])
}
