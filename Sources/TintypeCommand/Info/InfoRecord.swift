import ArgumentParser
import Foundation
import Tintype

/// The properties of an image, as `--json` writes them.
struct InfoRecord: Encodable {
    let url: String
    let source: String
    let format: String
    let width: Int
    let height: Int
    let frameCount: Int
    /// How often an animation plays; 0 means forever.
    let loopCount: Int
    /// The delays of the frames in seconds.
    let durations: [Double]
    let hasAlpha: Bool
    /// Bits per channel of the file; 8 if it has fewer.
    let bitDepth: Int
    /// `true` if the colours are in PQ or HLG, otherwise `nil`.
    let isHighRange: Bool?
    let orientation: Int
    let bytes: Int
    /// Pixels per inch, horizontally and vertically, if the file states them.
    let density: [Double]?
    /// `true` if only a part of the image could be decoded, otherwise `nil`.
    var isPartial: Bool?
    /// The damage with which the image still decodes, or `nil` if none was found.
    var warnings: [String]?
    /// `true` if all of the image was decoded, otherwise `nil`.
    var isVerified: Bool?
    var palette: [ImageAppearance.Share]?
    var blurHash: String?
    var thumbHash: String?

    init(_ url: String, _ info: ImageInfo, origin: ImageOrigin, bytes: Int) {
        self.url = SourceArgument.displayName(of: url)
        self.bytes = bytes
        source = origin.rawValue
        format = info.format.rawValue
        width = info.size.width
        height = info.size.height
        frameCount = info.frameCount
        loopCount = info.loopCount
        durations = info.durations
        hasAlpha = info.hasAlpha
        (bitDepth, isHighRange) = (info.bitDepth, info.isHighRange ? true : nil)
        orientation = info.orientation.rawValue
        density = info.density.map { [$0.across, $0.down] }
        note(info.warnings)
    }

    /// Adds damage that was found when the pixels were decoded.
    mutating func note(_ damage: [DamageWarning]) {
        if !damage.isEmpty { warnings = damage.map(\.description) }
    }

    /// The lines of the human-readable output.
    var lines: [StyledText] {
        let properties: [(label: String, value: String?)] = [
            ("format       ", format),
            ("size         ", "\(width) × \(height) pixels"),
            ("bytes        ", "\(HumanFormat.bytes(bytes)) (\(bytes))"),
            ("transparent  ", hasAlpha ? "yes" : "no"),
            (
                "depth        ",
                bitDepth > 8 || isHighRange == true
                    ? "\(bitDepth) bits per channel\(isHighRange == true ? ", HDR" : "")" : nil
            ),
            ("orientation  ", "\(orientation)"),
            ("density      ", density.map { "\($0.map(Self.rounded).joined(separator: " × ")) pixels per inch" }),
            ("frames       ", frameCount > 1 ? "\(frameCount), \(seconds) s, \(plays)" : nil),
            ("partial      ", isPartial == true ? "yes" : nil),
            ("damage       ", warnings?.joined(separator: "; ")),
            ("verified     ", isVerified == true ? (frameCount > 1 ? "\(frameCount) frames" : "yes") : nil),
            ("source       ", source),
            ("palette      ", palette.map { $0.map(\.text).joined(separator: ", ") }),
            ("blurhash     ", blurHash),
            ("thumbhash    ", thumbHash),
        ]
        return [StyledText(url, .heading)]
            + properties.compactMap { label, value in
                value.map { StyledText("  " + label, .secondary) + StyledText($0) }
            }
    }

    private static func rounded(_ number: Double) -> String { String((number * 100).rounded() / 100) }
    private var seconds: String { String((durations.reduce(0, +) * 1000).rounded() / 1000) }
    private var plays: String {
        switch loopCount {
        case 0: "played forever"
        case 1: "played once"
        default: "played \(loopCount) times"
        }
    }
}

/// The properties that `info` reports only on request, because they need the pixels of the image.
struct AppearanceOptions: ParsableArguments {
    @Flag(help: "Report the dominant colours and their shares.")
    var palette = false

    @Flag(help: "Report the BlurHash, with 4 by 3 components.")
    var blurhash = false

    @Flag(help: "Report the ThumbHash, in Base64.")
    var thumbhash = false

    var isRequested: Bool { palette || blurhash || thumbhash }
}

/// The palette and hashes of an image, as far as they are requested.
struct ImageAppearance {
    /// A colour of the palette, as `--json` writes it.
    struct Share: Encodable {
        /// `#RRGGBB`.
        let color: String
        /// The share of the pixels, from 0 to 1.
        let share: Double

        init(_ color: PaletteColor) {
            self.color = String(color.color.description.prefix(7))
            share = (color.share * 1000).rounded() / 1000
        }

        var text: String { "\(color) \(Int((share * 100).rounded())) %" }
    }

    let palette: [Share]?
    let blurHash: String?
    let thumbHash: String?

    init(_ pixels: PixelBuffer, _ options: AppearanceOptions) throws(TintypeError) {
        palette = options.palette ? try pixels.palette().map(Share.init) : nil
        blurHash = options.blurhash ? try BlurHash(pixels).text : nil
        thumbHash = options.thumbhash ? Data(try ThumbHash(pixels).bytes).base64EncodedString() : nil
    }
}
