public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of ICO and CUR.
    public static let ico = ImageCoderRegistry(decoders: [ICODecoder()])
}
