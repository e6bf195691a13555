import Foundation
import TintypeAVIF
import TintypeBMP
import TintypeCore
import TintypeGIF
import TintypeHEIF
import TintypeICO
import TintypeJPEG
import TintypeJXL
import TintypePNG
import TintypeSVG
import TintypeTIFF
import TintypeWebP

/// One thing that is given bytes of any kind: the decoder of a format, or the sniffer.
enum FuzzTarget: Sendable {
    case sniffer
    case decoder(any ImageDecoder)

    init?(name: String) {
        if name == "sniffer" {
            self = .sniffer
        } else if let decoder = Self.decoders[name] {
            self = .decoder(decoder)
        } else {
            return nil
        }
    }

    static var allNames: [String] { ["sniffer"] + decoders.keys.sorted() }

    /// By the endings of the fixtures that they are seeded with.
    private static let decoders: [String: any ImageDecoder] = [
        "avif": AVIFDecoder(), "bmp": BMPDecoder(), "gif": GIFDecoder(), "heic": HEIFDecoder(), "ico": ICODecoder(),
        "jpg": JPEGDecoder(), "jxl": JXLDecoder(), "png": PNGDecoder(), "svg": SVGDecoder(), "tiff": TIFFDecoder(),
        "webp": WebPDecoder(),
    ]

    func run(_ bytes: Data) {
        switch self {
        case .sniffer: _ = try? Self.all.decoder(for: bytes)
        case .decoder(let decoder):
            DecoderRun(decoder, bytes).run()
            if decoder is PNGDecoder { DecoderRun(decoder, PNGRepair.repaired(bytes)).run() }
        }
    }

    private static let all = ImageCoderRegistry(decoders: Array(decoders.values))
}
