import TintypeAVIF
import TintypeBMP
public import TintypeCore
import TintypeGIF
import TintypeHEIF
import TintypeICO
import TintypeJPEG
import TintypeJXL
import TintypePNG
import TintypeSVG
import TintypeTIFF
import TintypeWebP

extension ImageCoderRegistry {
    /// Every format that Tintype has.
    public static let standard = ImageCoderRegistry(
        decoders: [
            AVIFDecoder(), BMPDecoder(), GIFDecoder(), HEIFDecoder(), ICODecoder(), JPEGDecoder(), JXLDecoder(),
            PNGDecoder(), SVGDecoder(), TIFFDecoder(), WebPDecoder(),
        ],
        encoders: [
            AVIFEncoder(), BMPEncoder(), GIFEncoder(), HEIFEncoder(), JPEGEncoder(), JXLEncoder(), PNGEncoder(),
            TIFFEncoder(),
            WebPEncoder(),
        ])
}
