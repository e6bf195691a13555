import ArgumentParser
import Foundation
import Tintype

/// `tintype convert`: decodes, transforms and encodes one image.
struct Convert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Convert an image to another format, size or look.",
        discussion: """
            The extension of <output> selects its format. --thumbnail decodes the image to size; transforms then apply \
            in the order of the options. An option that modifies a transform, such as --mode, follows it. A colour is \
            #RRGGBB or #RRGGBBAA; quote it in the shell.

            An animation stays an animation if the output format supports it (avif, gif, jxl, png, webp), and every \
            frame is transformed. Otherwise the first frame is written. --frame selects one frame, --frames several.

            Examples:
              tintype convert photo.png photo.jpg --quality 85
              tintype convert https://example.org/a.jpg small.png --thumbnail 320x320
              tintype convert in.jpg square.jpg --resize 256x256 --mode fill --gravity smart
              tintype convert in.jpg part.jpg --crop 100,50,640,480 --rotate 90 --flip horizontal
              tintype convert in.jpg face.png --resize 128x128 --mode fill --round circle --border 4,'#ffffff'
              tintype convert in.jpg card.png --round 24 --corners tl,tr --pad 16
              tintype convert in.jpg old.jpg --adjust contrast=0.9,sepia --blur 1.5
              tintype convert icon.png red.png --trim 8 --tint '#c01c28'
              tintype convert in.jpg marked.jpg --overlay logo.png --gravity bottomRight --inset 12,12 --opacity 0.6
              tintype convert icon.png icon.jpg --resize 512x512 --filter catmullRom --enlarge --flatten '#ffffff'
              tintype convert moving.gif frame.png --frame 12
              tintype convert moving.gif part.webp --frames 0-9,20
              tintype convert moving.gif small.webp --thumbnail 240x240 --quality 75
              tintype convert photo.heic small.avif --thumbnail 1600x1600 --output-bytes 150kB
            """)

    @Argument(help: ArgumentHelp("The path of a file, or a URL.", valueName: "input"))
    var input: SourceArgument

    @Argument(
        help: ArgumentHelp("The file to write.", valueName: "output"),
        transform: PathArgument.parsing(expecting: PathArgument.expectation))
    var output: PathArgument

    @Option(help: ArgumentHelp("Write only this frame of an animation, counted from 0.", valueName: "n"))
    var frame: Int?

    @Option(
        help: ArgumentHelp(
            "Write these frames of an animation, in this order; a range may run backwards.", valueName: "n,n-n"),
        transform: FrameList.parsing(expecting: "frame numbers and ranges from 0, such as 0-9,20"))
    var frames: FrameList?

    @Option(help: ArgumentHelp("Quality of a lossy format, from 1 (smallest) to 100 (best).", valueName: "1-100"))
    var quality = 90

    @Option(
        help: ArgumentHelp(
            "Lower the quality until the file has at most this many bytes, such as 100kB.", valueName: "bytes"),
        transform: ByteCount.parsing(expecting: ByteCount.expectation))
    var outputBytes: ByteCount?

    @Option(
        help: ArgumentHelp("Decode to at most this size; never enlarges.", valueName: "WxH"),
        transform: PixelSize.parse)
    var thumbnail: PixelSize?

    @OptionGroup var transforms: TransformOptions
    @OptionGroup var partial: PartialOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var transfer: TransferOptions

    func validate() throws {
        if let frame, frame < 0 { throw ValidationError("--frame: expected a number from 0, got \(frame)") }
        guard frame == nil || frames == nil else {
            throw ValidationError("--frame and --frames exclude each other; give one of them")
        }
        try validate(quality, in: 1...100, for: "--quality")
    }

    func run() async throws {
        let pipeline = ImagePipeline(
            transfer.applied(to: .standard(downloader: transfer.configuration, memory: nil, disk: cache.diskCache)))
        let coders = pipeline.configuration.coders
        let format = try outputFormat(coders)
        let response = try await load(pipeline)
        var image = response.image
        // A format without animations holds one frame: the first of those that are listed.
        let onlyFrame = frame ?? (coders.animatedFormats.contains(format) ? nil : frames?.indices.first)
        if let onlyFrame { image = Image(pixels: try await pixels(ofFrame: onlyFrame, in: image), info: image.info) }
        let options = EncodeOptions(
            quality: Double(quality) / 100, maximumByteCount: outputBytes?.bytes, frames: frames?.indices)
        try await OutputFile.write(try await pipeline.encode(image, as: format, options: options), to: output.path)
        if let warning = PartialOptions.warning(input.text, response) { StandardError.write(warning) }
        try await pipeline.flush()
    }

    /// Loads the image. If its transfer is interrupted, what has arrived is on disk before the command ends.
    private func load(_ pipeline: ImagePipeline) async throws -> ImageResponse {
        do {
            return try await pipeline.response(for: try await request(pipeline))
        } catch {
            try? await pipeline.flush()
            throw error
        }
    }

    /// Returns a frame as it is displayed.
    private func pixels(ofFrame index: Int, in image: Image) async throws(TintypeError) -> PixelBuffer {
        do throws(TintypeError) {
            if let animation = image.animation { return try await Self.pixels(ofFrame: index, in: animation) }
            guard index == 0 else {
                throw TintypeError(
                    .noSuchFrame, stage: .decode, "there is no frame \(index): the image is not an animation")
            }
            return image.pixels
        } catch {
            throw error.about(input.text)
        }
    }

    /// Composes a frame with a player that has no view.
    @MainActor private static func pixels(
        ofFrame index: Int, in animation: AnimatedImage
    ) async throws(TintypeError) -> PixelBuffer {
        let player = AnimationPlayer(animation)
        try player.seek(to: index)
        return try await player.currentPixels()
    }

    /// Returns the format of the output file.
    ///
    /// - Throws: ``TintypeError/Code/noCoder`` if its extension names no format that can be encoded.
    private func outputFormat(_ coders: ImageCoderRegistry) throws(TintypeError) -> ImageFormat {
        let fileExtension = URL(filePath: output.path).pathExtension
        guard let format = ImageFormat(fileExtension: fileExtension) else {
            let formats = coders.encodableFormats.map(\.rawValue).joined(separator: ", ")
            throw TintypeError(
                .noCoder, stage: .encode, "the extension names no image format; choose one of \(formats)",
                subject: output.path)
        }
        _ = try coders.encoder(for: format)
        return format
    }

    private func request(_ pipeline: ImagePipeline) async throws(TintypeError) -> ImageRequest {
        let transformers = try await transforms.transformers { source throws(TintypeError) in
            try await pipeline.image(for: ImageRequest(source: try source.source())).pixels
        }
        var request = ImageRequest(
            source: try input.source(),
            rendition: Rendition(
                decode: DecodeOptions(size: thumbnail.map { .fit($0) } ?? .full), transforms: transformers,
                transformScope: .all))
        // The result goes into the output file, so it is not cached.
        request.policy.rendered = CacheRules(memory: .off, disk: .off)
        return partial.applied(to: request)
    }
}
