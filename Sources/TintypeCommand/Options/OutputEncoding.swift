import ArgumentParser
import Tintype

/// How `convert` encodes images, apart from their quality and colours.
struct OutputEncoding: ParsableArguments {
    @Flag(help: "Keep every pixel at any quality; AVIF, JPEG XL, WebP, and formats that always do.")
    var lossless = false

    @Option(
        help: ArgumentHelp(
            "Spend more time on smaller files, from 0 (fastest) to 100 (slowest). (default: depends on the format)",
            valueName: "0-100"))
    var effort: Int?

    @Option(
        help: ArgumentHelp(
            "Store colour differences as auto, 420, 422, 444 or sharp (4:2:0 with sharp edges, WebP only). "
                + "(default: auto)", valueName: "name"),
        transform: Self.parseChroma)
    var chroma: EncodeOptions.Chroma?

    @Flag(help: "Write JPEGs that show coarsely as soon as their first bytes arrive.")
    var progressive = false

    @Option(
        help: ArgumentHelp(
            "Write grey or a palette if it keeps every pixel (auto), always RGB (full), or a palette of at most 2 to 256 "
                + "colours (PNG and GIF). (default: auto)", valueName: "auto|full|n"),
        transform: Self.parseColors)
    var colors: EncodeOptions.ColorMode?

    @Option(
        help: ArgumentHelp(
            "Write at most this many bits per channel: 8 or 16 (PNG, TIFF, JPEG XL; 10 in AVIF). (default: 16, with "
                + "--thumbnail 8)",
            valueName: "bits"),
        transform: Self.parseDepth)
    var depth: EncodeOptions.Depth?

    private static func parseChroma(_ text: String) throws -> EncodeOptions.Chroma {
        switch text {
        case "auto": .automatic
        case "420": .yuv420
        case "422": .yuv422
        case "444": .yuv444
        case "sharp": .sharp420
        default: throw ValidationError("expected auto, 420, 422, 444 or sharp, got '\(text)'")
        }
    }

    private static func parseColors(_ text: String) throws -> EncodeOptions.ColorMode {
        switch text {
        case "auto": return .automatic
        case "full": return .trueColor
        default:
            guard let count = Int(text), (2...256).contains(count) else {
                throw ValidationError("expected auto, full or a number from 2 to 256, got '\(text)'")
            }
            return .palette(maxColors: count)
        }
    }

    private static func parseDepth(_ text: String) throws -> EncodeOptions.Depth {
        guard let depth = Int(text).flatMap(EncodeOptions.Depth.init) else {
            throw ValidationError("expected 8 or 16, got '\(text)'")
        }
        return depth
    }

    func validate() throws {
        if let effort { try validate(effort, in: 0...100, for: "--effort") }
        if lossless, case .palette = colors {
            throw ValidationError("--lossless and a number of --colors exclude each other; give one of them")
        }
    }

    /// The depth that outputs may have. A thumbnail takes the time of the whole image if all its bits are kept.
    func depth(ofThumbnails: Bool) -> EncodeOptions.Depth { depth ?? (ofThumbnails ? .eight : .sixteen) }

    /// Sets the options for the encoders.
    func apply(to options: inout EncodeOptions, ofThumbnails: Bool) {
        if lossless { options.compression = .lossless }
        options.effort = effort.map { Double($0) / 100 }
        options.chroma = chroma ?? .automatic
        options.isProgressive = progressive
        options.colorMode = colors ?? .automatic
        options.depth = depth(ofThumbnails: ofThumbnails)
    }

    /// Formats that cannot keep every pixel.
    private static let lossyFormats: Set<ImageFormat> = [.gif, .heic, .jpeg]
    /// Formats with colour differences.
    private static let chromaFormats: Set<ImageFormat> = [.avif, .heic, .jpeg, .webp]

    /// Returns the reason why a format cannot be encoded so; `nil` if it can. Options that mean nothing to a format are
    /// ignored.
    func problem(of format: ImageFormat) -> String? {
        if lossless, Self.lossyFormats.contains(format) {
            return "--lossless: \(format) images cannot keep every pixel; choose one of avif, jxl, png, tiff, webp"
        }
        guard let chroma, Self.chromaFormats.contains(format), !chroma.isSupported(by: format) else { return nil }
        return format == .webp
            ? "--chroma: webp images are 4:2:0; choose 420 or sharp"
            : "--chroma: sharp is for webp images; choose 420, 422 or 444"
    }
}

extension OutputPlan {
    /// Returns the plan without the outputs of some formats, which are failures.
    ///
    /// - Parameter problem: As for ``refusing(_:)``.
    /// - Throws: `ValidationError` if no output is left.
    func validated(_ problem: (ImageFormat) -> String?) throws -> OutputPlan {
        let feasible = refusing(problem)
        guard feasible.entries.isEmpty, let problem = entries.first.flatMap({ problem($0.format) }) else {
            return feasible
        }
        throw ValidationError(problem)
    }
}
