public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of the raw images of cameras.
    public static let raw = ImageCoderRegistry(decoders: [RAWDecoder()])
}
