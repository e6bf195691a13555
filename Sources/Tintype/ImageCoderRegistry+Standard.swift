import TintypeBMP
public import TintypeCore
import TintypeGIF
import TintypeICO
import TintypeJPEG
import TintypePNG
import TintypeSVG
import TintypeTIFF
import TintypeWebP

extension ImageCoderRegistry {
    /// Every format that Tintype has.
    public static let standard = ImageCoderRegistry(
        decoders: [
            BMPDecoder(), GIFDecoder(), ICODecoder(), JPEGDecoder(), PNGDecoder(), SVGDecoder(), TIFFDecoder(),
            WebPDecoder(),
        ],
        encoders: [BMPEncoder(), JPEGEncoder(), PNGEncoder(), TIFFEncoder()])
}
