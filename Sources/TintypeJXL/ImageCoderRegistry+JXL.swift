public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of JPEG XL.
    public static let jxl = ImageCoderRegistry(decoders: [JXLDecoder()], encoders: [JXLEncoder()])
}
