import ArgumentParser
import Foundation
import Tintype

/// What a picture is, as `--json` writes it.
struct InfoRecord: Encodable {
    let url: String
    let source: String
    let format: String
    let width: Int
    let height: Int
    let frameCount: Int
    let loopCount: Int
    let durations: [Double]
    let hasAlpha: Bool
    let orientation: Int
    let bytes: Int
    /// Pixels an inch, across and down, where the file says it.
    let density: [Double]?
    /// Set where only a part of the picture could be shown.
    var isPartial: Bool?
    /// What the picture looks like, as far as it was asked for.
    var palette: [PictureLook.Share]?
    var blurHash: String?
    var thumbHash: String?

    init(_ url: String, _ info: ImageInfo, origin: ImageOrigin, bytes: Int) {
        self.url = url
        self.bytes = bytes
        source = origin.rawValue
        format = info.format.rawValue
        width = info.size.width
        height = info.size.height
        frameCount = info.frameCount
        loopCount = info.loopCount
        durations = info.durations
        hasAlpha = info.hasAlpha
        orientation = info.orientation.rawValue
        density = info.density.map { [$0.across, $0.down] }
    }

    /// For a person.
    var lines: [String] {
        let lines: [String?] = [
            url,
            "  format       \(format)",
            "  size         \(width) × \(height) pixels",
            "  bytes        \(HumanFormat.bytes(bytes)) (\(bytes))",
            "  transparent  \(hasAlpha ? "yes" : "no")",
            "  orientation  \(orientation)",
            density.map { "  density      \($0.map(Self.rounded).joined(separator: " × ")) pixels an inch" },
            frameCount > 1 ? "  frames       \(frameCount), \(seconds) s, \(plays)" : nil,
            isPartial == true ? "  partial      yes" : nil,
            "  source       \(source)",
            palette.map { "  palette      \($0.map(\.text).joined(separator: ", "))" },
            blurHash.map { "  blurhash     \($0)" },
            thumbHash.map { "  thumbhash    \($0)" },
        ]
        return lines.compactMap(\.self)
    }

    private static func rounded(_ number: Double) -> String { String((number * 100).rounded() / 100) }
    private var seconds: String { String((durations.reduce(0, +) * 1000).rounded() / 1000) }
    private var plays: String {
        switch loopCount {
        case 0: "played for ever"
        case 1: "played once"
        default: "played \(loopCount) times"
        }
    }
}

/// What `info` tells of how a picture looks, for which it has to be decoded.
struct LookOptions: ParsableArguments {
    @Flag(help: "The colours that stand for it, with their shares.")
    var palette = false

    @Flag(help: "Its BlurHash, of 4 by 3 waves.")
    var blurhash = false

    @Flag(help: "Its ThumbHash, in Base64.")
    var thumbhash = false

    var isAskedFor: Bool { palette || blurhash || thumbhash }
}

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
