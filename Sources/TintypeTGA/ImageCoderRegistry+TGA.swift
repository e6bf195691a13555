public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of TGA.
    public static let tga = ImageCoderRegistry(decoders: [TGADecoder()])
}
