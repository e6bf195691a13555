public import TintypeCore
import TintypeJPEG
import TintypePNG

extension ImageCoderRegistry {
    /// Every format that Tintype has.
    public static let standard = ImageCoderRegistry(
        decoders: [JPEGDecoder(), PNGDecoder()], encoders: [JPEGEncoder(), PNGEncoder()])
}
