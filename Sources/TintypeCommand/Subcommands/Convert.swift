import ArgumentParser
import Foundation
import Tintype

struct Convert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make another file of a picture.",
        discussion: """
            The extension of OUTPUT names its format. Transforms apply in the order in which they are given, after \
            --thumbnail, which decodes to size. An option about another one follows it. A colour has the form #RRGGBB \
            or #RRGGBBAA; quote it.

            An animation stays one where the format of OUTPUT has animations (avif, gif, jxl, png, webp), each frame \
            transformed; otherwise, or with --frame, OUTPUT is one of its frames. --frames takes some of them.

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

    @Argument(help: ArgumentHelp("The file to write.", valueName: "output"))
    var output: String

    @Option(help: ArgumentHelp("One frame of an animation, from 0, as it is shown.", valueName: "n"))
    var frame: Int?

    @Option(
        help: ArgumentHelp(
            "Those frames of an animation, in this order, where OUTPUT has animations.", valueName: "n,n-n"))
    var frames: FrameList?

    @Option(help: ArgumentHelp("From 1, small, to 100, faithful; for formats that lose.", valueName: "1-100"))
    var quality = 90

    @Option(
        help: ArgumentHelp(
            "Lower the quality until the file has at most so many bytes, such as 100kB.", valueName: "bytes"))
    var outputBytes: ByteCount?

    @Option(
        help: ArgumentHelp("Decode to at most this size, never larger than the picture.", valueName: "WxH"),
        transform: PixelSize.parsed)
    var thumbnail: PixelSize?

    @OptionGroup var transforms: TransformOptions
    @OptionGroup var parts: PartialOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var http: TransferOptions

    func validate() throws {
        guard frame ?? 0 >= 0 else { throw ValidationError("--frame takes a number from 0.") }
        guard frame == nil || frames == nil else { throw ValidationError("--frame and --frames exclude each other.") }
        guard (1...100).contains(quality) else { throw ValidationError("--quality takes 1 to 100.") }
    }

    func run() async throws {
        let pipeline = ImagePipeline(
            http.applied(to: .standard(downloader: http.configuration, disk: cache.diskCache)))
        let coders = pipeline.configuration.coders
        let format = try target(coders)
        let response = try await pipeline.response(for: try await request(pipeline))
        var image = response.image
        // A format without animations has one picture, so the first of those that are named.
        let only = frame ?? (coders.animatedFormats.contains(format) ? nil : frames?.indices.first)
        if let only { image = Image(pixels: try await pixels(of: only, image), info: image.info) }
        let options = EncodeOptions(
            quality: Double(quality) / 100, maximumByteCount: outputBytes?.bytes, frames: frames?.indices)
        try await OutputFile.write(try await pipeline.encode(image, as: format, options: options), to: output)
        if let warning = PartialOptions.warning(input.text, response) { StandardError.write(warning) }
        try await pipeline.flush()
    }

    /// A frame, as it is shown.
    private func pixels(of frame: Int, _ image: Image) async throws(TintypeError) -> PixelBuffer {
        do throws(TintypeError) {
            if let animation = image.animation { return try await Self.frame(frame, of: animation) }
            guard frame == 0 else {
                throw TintypeError(.noSuchFrame, stage: .decode, "there is no frame \(frame), the picture is still")
            }
            return image.pixels
        } catch {
            throw error.about(input.text)
        }
    }

    /// As a player without a view shows it.
    @MainActor private static func frame(
        _ index: Int, of animation: AnimatedImage
    ) async throws(TintypeError) -> PixelBuffer {
        let player = AnimationPlayer(animation)
        try player.seek(to: index)
        return try await player.currentPixels()
    }

    /// The format to write, of which there is an encoder.
    private func target(_ coders: ImageCoderRegistry) throws(TintypeError) -> ImageFormat {
        let ending = URL(filePath: output).pathExtension
        guard let format = ImageFormat(fileExtension: ending) else {
            let known = coders.encodableFormats.map(\.rawValue).joined(separator: ", ")
            throw TintypeError(
                .noCoder, stage: .encode, "the extension names no format; there are \(known)", subject: output)
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
        // The file that is written is what is kept of it.
        request.policy.rendered = CacheRules(memory: .off, disk: .off)
        return parts.applied(to: request)
    }
}
