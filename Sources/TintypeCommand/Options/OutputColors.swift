import ArgumentParser
import Tintype

/// The colours in which `convert` writes images.
struct OutputColors: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Write colours in this space: srgb or display-p3. With display-p3, images with more than 8 bits per "
                + "channel keep colours outside of sRGB.", valueName: "name"),
        transform: Self.parse)
    var colorSpace = EncodeOptions.ColorSpace.sRGB

    @Flag(
        help: ArgumentHelp(
            "Keep the high dynamic range of still images: AVIF, HEIC and JPEG XL in PQ, JPEG with a gain map. Animations "
                + "fail."))
    var hdr = false

    @Flag(help: "Keep it as a gain map beside an image that every program shows: AVIF, HEIC, JPEG. Implies --hdr.")
    var gainMap = false

    /// Whether the high dynamic range is kept.
    var keepsHighRange: Bool { hdr || gainMap }

    private static func parse(_ text: String) throws -> EncodeOptions.ColorSpace {
        guard let space = EncodeOptions.ColorSpace(rawValue: text) else {
            let known = EncodeOptions.ColorSpace.allCases.map(\.rawValue).joined(separator: " or ")
            throw ValidationError("expected a colour space (\(known)), got '\(text)'")
        }
        return space
    }

    /// The dynamic range to decode: beyond 8 bits if the output can have it.
    var decodedRange: DecodeOptions.DynamicRange { keepsHighRange || colorSpace != .sRGB ? .high : .standard }

    /// Checks that the transforms keep these colours.
    func validate(_ steps: [TransformStep]) throws {
        guard keepsHighRange, !steps.allSatisfy(\.keepsHighRange) else { return }
        throw ValidationError(
            "--hdr: only --resize, --crop, --flip, --rotate by quarter turns, and transforms of single pixels such as "
                + "--tint keep the high dynamic range; remove --hdr or the other transforms")
    }

    /// Returns the reason why a format cannot have these colours; `nil` if it can.
    func problem(of format: ImageFormat, _ coders: ImageCoderRegistry) -> String? {
        if keepsHighRange, !coders.keepsHighRange(format) {
            return
                "\(gainMap ? "--gain-map" : "--hdr"): \(format) images are written with 8 bits per channel; choose avif, heic, jpeg or jxl"
        }
        if gainMap, format == .jxl { return "--gain-map: jxl images have no gain map; choose avif, heic or jpeg" }
        let others = EncodeOptions.ColorSpace.formats
        guard colorSpace != .sRGB, !others.contains(format) else { return nil }
        let known = others.map(\.rawValue).sorted().joined(separator: ", ")
        return "--color-space: \(format) images are always sRGB; choose one of \(known)"
    }
}
