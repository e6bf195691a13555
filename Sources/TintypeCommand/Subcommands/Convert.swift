import ArgumentParser
import Foundation
import Tintype

struct Convert: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Make another file of a picture.",
        discussion: """
            The extension of OUTPUT names its format. Transforms apply in the order in which they are given, after \
            --thumbnail, which decodes to size.

            Examples:
              tintype convert photo.png photo.jpg --quality 85
              tintype convert https://example.org/a.jpg small.png --thumbnail 320x320
              tintype convert in.jpg square.jpg --resize 256x256 --mode fill
            """)

    @Argument(help: ArgumentHelp("The path of a file, or a URL.", valueName: "input"))
    var input: SourceArgument

    @Argument(help: ArgumentHelp("The file to write.", valueName: "output"))
    var output: String

    @Option(help: ArgumentHelp("The frame of an animation, from 0.", valueName: "n"))
    var frame = 0

    @Option(help: ArgumentHelp("From 1, small, to 100, faithful; for formats that lose.", valueName: "1-100"))
    var quality = 90

    @Option(
        help: ArgumentHelp("Decode to at most this size, never larger than the picture.", valueName: "WxH"),
        transform: PixelSize.parsed)
    var thumbnail: PixelSize?

    @OptionGroup var transforms: TransformOptions
    @OptionGroup var cache: CacheOptions
    @OptionGroup var http: TransferOptions

    func validate() throws {
        guard frame >= 0 else { throw ValidationError("--frame takes a number from 0.") }
        guard (1...100).contains(quality) else { throw ValidationError("--quality takes 1 to 100.") }
    }

    func run() async throws {
        let pipeline = ImagePipeline(
            http.applied(to: .standard(downloader: http.configuration, disk: cache.diskCache)))
        let (format, encoder) = try target(pipeline.configuration.coders)
        let image = try await pipeline.image(for: try request())
        guard frame < image.info.frameCount else {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(frame), the picture has \(image.info.frameCount)",
                subject: input.text)
        }
        guard frame == 0 else {
            throw TintypeError(
                .noCoder, stage: .decode,
                "frames of \(image.info.format) animations cannot be decoded yet, only the first",
                subject: input.text)
        }
        let options = EncodeOptions(quality: Double(quality) / 100)
        let data = try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            try encoder.encode(image.pixels, as: format, options)
        }
        try await OutputFile.write(data, to: output)
        try await pipeline.flush()
    }

    private func target(_ coders: ImageCoderRegistry) throws(TintypeError) -> (ImageFormat, any ImageEncoder) {
        let ending = URL(filePath: output).pathExtension
        guard let format = ImageFormat(fileExtension: ending) else {
            let known = coders.encodableFormats.map(\.rawValue).joined(separator: ", ")
            throw TintypeError(
                .noCoder, stage: .encode, "the extension names no format; there are \(known)", subject: output)
        }
        return (format, try coders.encoder(for: format))
    }

    private func request() throws(TintypeError) -> ImageRequest {
        var request = ImageRequest(
            source: try input.source(),
            rendition: Rendition(
                decode: DecodeOptions(size: thumbnail.map { .fit($0) } ?? .full), transforms: transforms.transforms))
        // The file that is written is what is kept of it.
        request.policy.rendered = CacheRules(memory: .off, disk: .off)
        return request
    }
}
