public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of BMP.
    public static let bmp = ImageCoderRegistry(decoders: [BMPDecoder()], encoders: [BMPEncoder()])
}
