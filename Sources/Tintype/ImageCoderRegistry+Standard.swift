public import TintypeCore
import TintypeGIF
import TintypeJPEG
import TintypePNG
import TintypeWebP

extension ImageCoderRegistry {
    /// Every format that Tintype has.
    public static let standard = ImageCoderRegistry(
        decoders: [GIFDecoder(), JPEGDecoder(), PNGDecoder(), WebPDecoder()], encoders: [JPEGEncoder(), PNGEncoder()])
}
