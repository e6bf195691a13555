import ArgumentParser
import Foundation
import Tintype

/// `tintype convert`: decodes, transforms and encodes images.
struct Convert: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "convert",
            abstract: "Convert, resize and transform images.",
            usage: """
                tintype convert [<options>] <input> <output>
                tintype convert [<options>] --output <template> <input> ...
                """,
            discussion: discussion(HelpDetail.current))
    }

    static func discussion(_ detail: HelpDetail) -> String {
        switch detail {
        case .common: commonDiscussion
        case .all: fullDiscussion
        }
    }

    private static let commonDiscussion = """
        The extension of <output> selects its format; - is standard input or output. --thumbnail decodes the image to \
        size; transforms then apply in the order of the options. With --output, all arguments are inputs. --help-all \
        lists all options.

        Examples:
          tintype convert photo.png photo.jpg --quality 85
          tintype convert https://example.org/a.jpg a.png --thumbnail 320x320
          tintype convert a.jpg b.jpg --crop 9,9,640,480 --rotate 90
          tintype convert moving.gif moving.webp --resize 256x256
          tintype convert -o small/ --recursive photos --thumbnail 1600x1600
          tintype convert -o '{stem}-{width}.jpg' *.png --thumbnail 256x256
        """

    private static let fullDiscussion = """
        The extension of <output> selects its format; - is standard input or output. --thumbnail decodes the image to \
        size; transforms then apply in the order of the options. An option that modifies a transform, such as \
        --mode, follows it. A colour is #RRGGBB, #RRGGBBAA, #RGB or #RGBA; quote it in the shell.

        An animation stays an animation if the output format supports it (avif, gif, heic, jxl, png, webp), and every \
        frame is transformed. Otherwise the first frame is written. --frame selects one frame, --frames several.

        With --output, all arguments are inputs: files, URLs, quoted patterns such as 'photos/*.jpg' and, with \
        --recursive, directories. --output is a directory, in which the tree of the inputs is repeated, or a template \
        with the fields {stem}, {name}, {ext}, {format}, {dir}, {index}, {width} and {height}. If two outputs have the \
        same path, nothing is written. A failure does not stop the other conversions; the exit status is the number of \
        failures, at most 125.

        Examples:
          tintype convert photo.png photo.jpg --quality 85
          tintype convert https://example.org/a.jpg a.png --thumbnail 320x320
          tintype convert a.jpg b.jpg --resize 256x256 --mode fill --gravity smart
          tintype convert a.jpg b.jpg --crop 9,9,640,480 --rotate 90 --flip vertical
          tintype convert a.jpg b.png --crop 128x128 --round circle --border 4,'#fff'
          tintype convert a.jpg b.png --round 24 --corners tl,tr --pad 16
          tintype convert a.jpg b.jpg --adjust contrast=0.9,sepia --blur 1.5
          tintype convert a.png b.png --trim 8 --tint '#c01c28' --blend multiply
          tintype convert a.jpg b.jpg --overlay logo.png --inset 12,12 --opacity 0.6
          tintype convert a.png b.jpg --resize 512x512 --filter box --enlarge
          tintype convert a.png b.jpg --flatten '#ffffff'
          tintype convert moving.gif frame.png --frame 12
          tintype convert clip.mp4 poster.jpg --time 2.5 --thumbnail 640x640
          tintype convert moving.gif part.webp --frames 0-9,20 --quality 75
          tintype convert a.heic b.avif --thumbnail 999x999 --output-bytes 150kB
          tintype convert a.png b.jpg --quality 80 --chroma 444 --progressive
          tintype convert a.png b.png --colors 64 --effort 100
          tintype convert -o small/ --recursive photos --thumbnail 1600x1600
          tintype convert -o '{stem}-{width}.jpg' *.png --thumbnail 256x256
          curl -s https://example.org/a.png | tintype convert - - --format jpeg
        """

    @Argument(help: ArgumentHelp("The input and the output, or with --output the inputs.", valueName: "input"))
    var operands: [SourceOperand] = []

    @Option(
        name: .shortAndLong,
        help: ArgumentHelp(
            "The directory or the template of the outputs; - is standard output.", valueName: "template"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var output: PathArgument?

    @Option(
        help: ArgumentHelp("The format of the outputs. (default: from the extension)", valueName: "format"),
        transform: FormatArgument.parsing(expecting: "an image format, such as jpeg or webp"))
    var format: FormatArgument?

    @OptionGroup(title: "Inputs") var inputs: InputOptions

    @Flag(exclusivity: .exclusive)
    var existing: ExistingOutput?

    @Flag(
        help: ArgumentHelp(
            "Replace an output that is a symbolic link, instead of the file to which it leads.", visibility: .rare))
    var noFollow = false

    @OptionGroup var parallel: JobOptions

    @Flag(help: ArgumentHelp("Report what would be written, and write nothing.", visibility: .rare))
    var dryRun = false

    @Flag(
        help: ArgumentHelp(
            "Write one JSON object per image, each on its own line, in the order in which the conversions finish.",
            visibility: .rare))
    var json = false

    @Flag(help: "Report failures only.")
    var quiet = false

    @Option(
        help: ArgumentHelp(
            "Write only this frame of an animation, counted from 0.", valueName: "n", visibility: .rare))
    var frame: Int?

    @Option(
        help: ArgumentHelp(
            "Write these frames of an animation, in this order; a range may run backwards.", valueName: "n,n-n",
            visibility: .rare),
        transform: FrameList.parsing(expecting: "frame numbers and ranges from 0, such as 0-9,20"))
    var frames: FrameList?

    @Option(
        help: ArgumentHelp(
            "The time in a video of the frame to write, in seconds. (default: 0, its first frame)",
            valueName: "seconds",
            visibility: .rare))
    var time: Double = 0

    @Flag(
        help: ArgumentHelp(
            "Decode images with more pixels than the limits allow to a smaller size, instead of refusing them.",
            visibility: .rare))
    var shrinkOversized = false

    @Option(help: ArgumentHelp("Quality of a lossy format, from 1 (smallest) to 100 (best).", valueName: "1-100"))
    var quality = 90

    @Option(
        help: ArgumentHelp(
            "Lower the quality until the file has at most this many bytes, such as 100kB.", valueName: "bytes",
            visibility: .rare),
        transform: ByteCount.parsing(expecting: ByteCount.expectation))
    var outputBytes: ByteCount?

    @Option(
        help: ArgumentHelp(
            "Keep metadata: exif, xmp, iptc, icc (the profile of the written colours) and location (GPS, in "
                + "exif and xmp).", valueName: "kinds", visibility: .rare),
        transform: MetadataList.parsing)
    var keep: MetadataList?

    @OptionGroup(title: "Encoding", visibility: .rare) var encoding: OutputEncoding
    @OptionGroup(title: "Colours", visibility: .rare) var colors: OutputColors

    @Option(
        help: ArgumentHelp("Decode to at most this size; never enlarges.", valueName: "WxH"),
        transform: PixelSize.parse)
    var thumbnail: PixelSize?

    @OptionGroup(title: "Transforms") var transforms: TransformOptions
    @OptionGroup(visibility: .rare) var partial: PartialOptions
    @OptionGroup(visibility: .rare) var terminal: TerminalOptions
    @OptionGroup(title: "Cache", visibility: .rare) var cache: CacheOptions
    @OptionGroup(title: "Transfers", visibility: .rare) var transfer: TransferOptions

    func validate() throws {
        if let frame, frame < 0 { throw ValidationError("--frame: expected a number from 0, got \(frame)") }
        guard frame == nil || frames == nil else {
            throw ValidationError("--frame and --frames exclude each other; give one of them")
        }
        try validate(quality, in: 1...100, for: "--quality")
        try colors.validate(transforms.steps ?? [])
        guard output == nil else { return try inputs.validate(arguments, expecting: "input") }
        guard arguments.count == 2, inputs.from == nil, !inputs.recursive else {
            throw ValidationError(
                "expected an input and an output, got \(HumanFormat.count(arguments.count, "argument", "arguments")); "
                    + "several inputs need --output")
        }
        guard !arguments[1].text.isEmpty else { throw ValidationError("<output>: expected a path") }
    }

    func run() async throws {
        let (plan, existing) = try plan(.standard)
        if let format = plan.chosenFormat { try keep?.validate(for: format) }
        let pipeline = transfer.pipeline(disk: cache.diskCache, until: .shared)
        let transformers = try await transformers(pipeline)
        let run = ConvertRun(
            pipeline: pipeline, settings: settings, request: { request(for: $0, as: $1, transformers) },
            existing: existing, followsLinks: !noFollow, createsDirectories: output != nil, isDryRun: dryRun, hint: hint
        )
        let tally = try await run.run(plan, width: parallel.width, report: report)
        await pipeline.flush()
        try tally.end(.written, "written")
    }

    private var hint: FailureHint { FailureHint(offersPartial: !partial.partial, transfer: transfer) }

    /// Loads the overlays. If a transfer is interrupted, what has arrived is on disk before the command ends.
    private func transformers(_ pipeline: InterruptiblePipeline) async throws -> [any ImageTransformer] {
        do throws(TintypeError) {
            return try await transforms.transformers { source throws(TintypeError) in
                try await pipeline.image(for: ImageRequest(source: try source.source())).pixels
            }
        } catch {
            await pipeline.flush()
            throw CommandFailure(error, hint)
        }
    }

    private var settings: ConvertSettings {
        var options = EncodeOptions(
            quality: Double(quality) / 100, maximumByteCount: outputBytes?.bytes, frames: frames?.indices)
        (options.metadata, options.colorSpace) = (keep?.kinds ?? [], colors.colorSpace)
        options.range = colors.keepsHighRange ? .high : .standard
        options.highRangeForm = colors.gainMap ? .gainMap : .automatic
        encoding.apply(to: &options, ofThumbnails: thumbnail != nil)
        return ConvertSettings(frame: frame, options: options, asksForDepth: encoding.depth == .eight)
    }

    private func request(
        for source: ImageSource, as format: ImageFormat, _ transformers: [any ImageTransformer]
    ) -> ImageRequest {
        var request = ImageRequest(
            source: source,
            rendition: Rendition(
                decode: DecodeOptions(size: thumbnail.map { .fit($0) } ?? .full), transforms: transformers,
                transformScope: .all))
        request.rendition.decode.keepsMetadata = keep != nil
        request.rendition.decode.time = .seconds(time > 0 ? min(time, 1e9) : 0)
        request.rendition.decode.oversized = shrinkOversized ? .scaledDown : .refused
        request.rendition.decode.range = settings.keepsDepth(as: format) ? .high : colors.decodedRange
        // The result goes into the output file, so it is not cached.
        request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
        return partial.applied(to: request)
    }
}

// MARK: - The plan of the outputs

extension Convert {
    private func plan(_ coders: ImageCoderRegistry) throws -> (plan: OutputPlan, existing: ConvertRun.Existing) {
        let (list, target) = (try inputs.inputs(isPair ? [arguments[0]] : arguments), try target)
        let named = try format?.format ?? (isPair ? pairFormat(coders) : nil)
        let plan: OutputPlan
        do throws(OutputPlan.Problem) {
            plan = try OutputPlan(
                list, to: target, as: named, writable: Set(coders.encodableFormats),
                directory: FileManager.default.currentDirectoryPath)
        } catch {
            throw ValidationError(error.message(coders))
        }
        let feasible = try plan.validated { colors.problem(of: $0, coders) ?? encoding.problem(of: $0) }
        return (feasible, existingOutputs(count: plan.count))
    }

    private var arguments: [SourceArgument] { operands.sources }

    /// Whether the arguments are an input and an output.
    private var isPair: Bool { output == nil }

    /// Whether there may be several inputs.
    private var hasSeveralInputs: Bool {
        arguments.count > 1 || inputs.from != nil || inputs.recursive
            || arguments.contains(where: InputFinder.isPattern)
    }

    private var target: OutputTarget {
        get throws {
            let text = output?.path ?? arguments[1].text
            do throws(OutputTemplate.ParsingError) {
                // In a pair, braces are part of the name.
                guard !isPair || text == "-" else { return .template(OutputTemplate(pieces: [.text(text)])) }
                let isDirectory = InputFinder.isDirectory(text) || hasSeveralInputs && OutputTarget.isPlain(text)
                return try OutputTarget(text, isDirectory: isDirectory)
            } catch {
                throw ValidationError(error.message)
            }
        }
    }

    /// Returns what to do with existing outputs. By default the output of a single image is replaced, as by `cp`, and
    /// several outputs fail.
    private func existingOutputs(count: Int) -> ConvertRun.Existing {
        switch existing {
        case .skipExisting: .skip
        case .overwrite: .overwrite
        case nil: isPair || count < 2 && !inputs.recursive ? .overwrite : .fail
        }
    }

    /// Returns the format that the extension of the output names; `nil` for standard output.
    ///
    /// - Throws: `TintypeError.Code.noCoder` if it names no format that can be encoded.
    private func pairFormat(_ coders: ImageCoderRegistry) throws(TintypeError) -> ImageFormat? {
        let path = arguments[1].text
        guard path != "-" else { return nil }
        guard let format = ImageFormat(fileExtension: URL(filePath: path).pathExtension) else {
            let formats = coders.encodableFormats.map(\.rawValue).joined(separator: ", ")
            throw TintypeError(
                .noCoder, stage: .encode, "the extension names no image format; choose one of \(formats)",
                subject: path)
        }
        _ = try coders.encoder(for: format)
        return format
    }

    private var writesToStandardOutput: Bool { (output?.path ?? arguments[1].text) == "-" }

    private var report: ConvertReport {
        let style: ConvertReport.Style =
            if writesToStandardOutput || quiet {
                .quiet
            } else if json {
                .json
            } else {
                // A single conversion is silent, like `cp`.
                isPair && !dryRun ? .quiet : .human
            }
        let showsProgress = style == .human && !isPair && StandardError.showsProgress
        return ConvertReport(style: style, display: showsProgress ? ProgressDisplay() : nil)
    }
}

extension OutputTemplate.ParsingError {
    var message: String {
        let fields = OutputTemplate.Field.allCases.map { "{\($0.rawValue)}" }.joined(separator: ", ")
        return switch self {
        case .unknownField(let name): "--output: unknown field {\(name)}; the fields are \(fields)"
        case .unbalancedBrace: "--output: unmatched brace; write {{ or }} for a literal brace"
        }
    }
}

extension OutputPlan.Problem {
    func message(_ coders: ImageCoderRegistry) -> String {
        let formats = coders.encodableFormats.map(\.rawValue).joined(separator: ", ")
        return switch self {
        case .collision(let first, let second, let output):
            "'\(first)' and '\(second)' have the same output '\(output)'; add {dir}, {name} or {index} to the template"
        case .replacesInput(let input, let output):
            "the output '\(output)' of '\(input)' is one of the inputs; choose another directory or template"
        case .severalForStandardOutput: "standard output takes one image; name a directory or a template for several"
        case .unknownFormat(let input):
            "'\(input)' names no format that can be written; choose one of \(formats) with --format"
        case .unwritableFormat(let name): "cannot write \(name) images; choose one of \(formats)"
        }
    }
}
