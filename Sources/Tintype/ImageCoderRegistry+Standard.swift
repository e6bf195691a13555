public import TintypeCore
import TintypeGIF
import TintypeJPEG
import TintypePNG
import TintypeSVG
import TintypeWebP

extension ImageCoderRegistry {
    /// Every format that Tintype has.
    public static let standard = ImageCoderRegistry(
        decoders: [GIFDecoder(), JPEGDecoder(), PNGDecoder(), SVGDecoder(), WebPDecoder()],
        encoders: [JPEGEncoder(), PNGEncoder()])
}
