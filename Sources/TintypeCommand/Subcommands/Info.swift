import ArgumentParser
import Foundation
import Tintype

/// `tintype info`: reports the format, size and frames of images.
struct Info: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        abstract: "Report the format, size and frames of images.",
        discussion: """
            For a local file, reads only the header, and all frame delays of an animation. --palette, --blurhash and \
            --thumbhash also decode the image. A URL is loaded through the caches. Width and height are those of the \
            displayed image, with its orientation applied.

            Examples:
              tintype info photo.jpg
              tintype info --json https://example.org/a.png
              tintype info --palette --blurhash --thumbhash photo.jpg
            """)

    @Argument(help: ArgumentHelp("The paths of files, or URLs.", valueName: "source"))
    var sources: [SourceArgument]

    @OptionGroup var cache: CacheOptions
    @OptionGroup var transfer: TransferOptions

    @Flag(help: "Write one JSON object per source, each on its own line.")
    var json = false

    @OptionGroup var appearance: AppearanceOptions
    @OptionGroup var partial: PartialOptions

    func run() async throws {
        let inspector = Inspector(
            pipeline: ImagePipeline(
                transfer.applied(to: .standard(downloader: transfer.configuration, memory: nil, disk: cache.diskCache))),
            partial: partial)
        var allSucceeded = true
        for source in sources {
            switch await inspector.result(source, appearance) {
            case .success(let record):
                try write(record, isOnly: sources.count == 1)
            case .failure(let error):
                allSucceeded = false
                StandardError.write("tintype: \(error.about(source.text))")
            }
        }
        try await inspector.pipeline.flush()
        if !allSucceeded { throw ExitCode.failure }
    }

    private func write(_ record: InfoRecord, isOnly: Bool) throws(TintypeError) {
        if json { return try StandardOutput.write(json: record) }
        for line in record.lines { try StandardOutput.write(line) }
        if !isOnly { try StandardOutput.write("") }
    }
}

/// Reads the properties of images, and decodes them only if that is necessary.
struct Inspector: Sendable {
    let pipeline: ImagePipeline
    let partial: PartialOptions

    /// Reads a source's header, and decodes a thumbnail of it if the palette or a hash is requested.
    func result(
        _ source: SourceArgument, _ appearance: AppearanceOptions
    ) async -> Result<InfoRecord, TintypeError> {
        do throws(TintypeError) {
            return .success(try await inspect(source, appearance))
        } catch {
            return .failure(error)
        }
    }

    private func inspect(
        _ source: SourceArgument, _ appearance: AppearanceOptions
    ) async throws(TintypeError) -> InfoRecord {
        var record = try await inspect(source)
        guard appearance.isRequested else { return record }
        // 128 pixels are enough for colours and hashes.
        let size = PixelSize(width: 128, height: 128)
        let rendition = Rendition(decode: DecodeOptions(size: .fit(size)))
        let request = partial.applied(to: ImageRequest(source: try source.source(), rendition: rendition))
        let image = try await pipeline.image(for: request)
        if image.isPartial { record.isPartial = true }
        let measured = try ImageAppearance(image.pixels, appearance)
        (record.palette, record.blurHash, record.thumbHash) = (measured.palette, measured.blurHash, measured.thumbHash)
        return record
    }

    private func inspect(_ source: SourceArgument) async throws(TintypeError) -> InfoRecord {
        let request = partial.applied(to: ImageRequest(source: try source.source()))
        if let path = source.path {
            try pipeline.checkAllowed(request)
            return try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
                try inspect(file: path, source.text)
            }
        }
        let response = try await pipeline.response(for: request.with { $0.policy.data = .always })
        var record = InfoRecord(
            source.text, response.image.info, origin: response.origin, bytes: response.byteCount ?? 0)
        if response.image.isPartial { record.isPartial = true }
        return record
    }

    /// Reads the beginning of a file, and more of it only while the header is incomplete.
    private func inspect(file path: String, _ name: String) throws(TintypeError) -> InfoRecord {
        let file = try LocalFile(reading: path)
        let configuration = pipeline.configuration
        guard file.byteCount > 0 else { throw TintypeError(.emptyBody, stage: .load, "an empty file", subject: path) }
        var head = try file.read(min(Self.firstReadByteCount, configuration.maximumByteCount), from: 0)
        while true {
            let isComplete = head.count >= file.byteCount
            let info = try configuration.coders.info(
                of: head, isComplete: isComplete, limits: configuration.decodeLimits)
            if let info { return InfoRecord(name, info, origin: .file, bytes: file.byteCount) }
            let limit = configuration.maximumByteCount
            guard head.count < limit else {
                throw TintypeError(
                    .limitExceeded, stage: .load,
                    "the header is not within the first \(limit) bytes; --max-bytes sets another limit", subject: path)
            }
            let more = isComplete ? Data() : try file.read(min(head.count, limit - head.count), from: head.count)
            guard !more.isEmpty else {
                throw TintypeError(.undecodable, stage: .decode, "the file ends within its header", subject: path)
            }
            head.append(more)
        }
    }

    /// The size of the first read in bytes. Most headers fit into it, even with large Exif data.
    private static let firstReadByteCount = 16 << 10
}
