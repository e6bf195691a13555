public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder of OpenEXR.
    public static let exr = ImageCoderRegistry(decoders: [EXRDecoder()])
}
