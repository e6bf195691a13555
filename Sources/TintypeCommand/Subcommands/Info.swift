import ArgumentParser
import Foundation
import Tintype

struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Tell what pictures are.",
        discussion: """
            Reads no more of a file than its header needs, unless the picture has to be looked at; a URL is loaded \
            through the caches. The width and height are those that are displayed, orientation applied.

            Examples:
              tintype info photo.jpg
              tintype info --json https://example.org/a.png
              tintype info --palette --blurhash --thumbhash photo.jpg
            """)

    @Argument(help: ArgumentHelp("Paths of files, or URLs.", valueName: "source"))
    var sources: [SourceArgument]

    @OptionGroup var cache: CacheOptions
    @OptionGroup var http: TransferOptions

    @Flag(help: "One JSON object a line for each source.")
    var json = false

    @OptionGroup var look: LookOptions
    @OptionGroup var parts: PartialOptions

    func run() async throws {
        let inspector = Inspector(
            pipeline: ImagePipeline(
                http.applied(to: .standard(downloader: http.configuration, disk: cache.diskCache))),
            parts: parts)
        var allFine = true
        for source in sources {
            do throws(TintypeError) {
                tell(try await inspector.inspect(source, look), isOnly: sources.count == 1)
            } catch {
                allFine = false
                StandardError.write("tintype: \(error.about(source.text))")
            }
        }
        try await inspector.pipeline.flush()
        if !allFine { throw ExitCode.failure }
    }

    private func tell(_ record: InfoRecord, isOnly: Bool) {
        if json { return StandardOutput.write(json: record) }
        for line in record.lines { StandardOutput.write(line) }
        if !isOnly { StandardOutput.write("") }
    }
}

/// Finds out what a picture is without decoding more than it has to.
struct Inspector: Sendable {
    let pipeline: ImagePipeline
    let parts: PartialOptions

    func inspect(_ source: SourceArgument, _ look: LookOptions) async throws(TintypeError) -> InfoRecord {
        var record = try await inspect(source)
        guard look.isAskedFor else { return record }
        // A small picture tells as much.
        let size = PixelSize(width: 128, height: 128)
        let rendition = Rendition(decode: DecodeOptions(size: .fit(size)))
        let request = parts.applied(to: ImageRequest(source: try source.source(), rendition: rendition))
        let image = try await pipeline.image(for: request)
        if image.isPartial { record.isPartial = true }
        let seen = try PictureLook(image.pixels, look)
        (record.palette, record.blurHash, record.thumbHash) = (seen.palette, seen.blurHash, seen.thumbHash)
        return record
    }

    private func inspect(_ source: SourceArgument) async throws(TintypeError) -> InfoRecord {
        if let path = source.path {
            return try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
                try inspect(file: path, source.text)
            }
        }
        var request = parts.applied(to: ImageRequest(source: try source.source()))
        request.policy.data = .always
        let response = try await pipeline.response(for: request)
        var record = InfoRecord(
            source.text, response.image.info, origin: response.origin, bytes: response.byteCount ?? 0)
        if response.image.isPartial { record.isPartial = true }
        return record
    }

    /// Reads a file's beginning, and on only as long as the header is not whole.
    private func inspect(file path: String, _ name: String) throws(TintypeError) -> InfoRecord {
        let file = try LocalFile(reading: path)
        let configuration = pipeline.configuration
        guard file.byteCount > 0 else { throw TintypeError(.emptyBody, stage: .load, "an empty file", subject: path) }
        var head = try file.read(Self.firstRead, from: 0)
        while true {
            let isComplete = head.count >= file.byteCount
            let info = try configuration.coders.info(
                of: head, isComplete: isComplete, limits: configuration.decodeLimits)
            if let info { return InfoRecord(name, info, origin: .file, bytes: file.byteCount) }
            let more = isComplete ? Data() : try file.read(head.count, from: head.count)
            guard !more.isEmpty else {
                throw TintypeError(.undecodable, stage: .decode, "cut short within its header", subject: path)
            }
            head.append(more)
        }
    }

    /// Bytes: most headers end within them, large Exif data included.
    private static let firstRead = 16 << 10
}
