import Foundation
import Tintype

/// How a picture looks, as far as it was asked for.
struct PictureLook {
    /// A colour of the palette, as `--json` writes it.
    struct Share: Encodable {
        let color: String
        let share: Double

        init(_ color: PaletteColor) {
            self.color = String(color.color.description.prefix(7))
            share = (color.share * 1000).rounded() / 1000
        }

        /// For a person.
        var text: String { "\(color) \(Int((share * 100).rounded())) %" }
    }

    let palette: [Share]?
    let blurHash: String?
    let thumbHash: String?

    init(_ pixels: PixelBuffer, _ options: LookOptions) throws(TintypeError) {
        palette = options.palette ? try pixels.palette().map(Share.init) : nil
        blurHash = options.blurhash ? try BlurHash(pixels).text : nil
        thumbHash = options.thumbhash ? Data(try ThumbHash(pixels).bytes).base64EncodedString() : nil
    }
}
