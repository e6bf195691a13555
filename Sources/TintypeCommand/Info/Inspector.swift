import Foundation
import Tintype

/// Reads the properties of images, and decodes them only if that is necessary.
struct Inspector: Sendable {
    typealias Result = Swift.Result<InfoRecord, TintypeError>

    let pipeline: ImagePipeline
    let partial: PartialOptions
    let appearance: AppearanceOptions
    /// Whether all of each image is decoded.
    let verifies: Bool
    /// Whether a guard restricts the sources.
    let isGuarded: Bool

    /// Inspects several sources. Headers of files are read one after the other, without a change of threads in between.
    func results(_ chunk: Chunk<SourceArgument>) async -> (number: Int, results: [Result]) {
        if !verifies, !appearance.isRequested, let results = try? await headers(chunk.items) {
            return (chunk.number, results)
        }
        var results: [Result] = []
        for source in chunk.items { results.append(await result(source)) }
        return (chunk.number, results)
    }

    /// - Returns: `nil` if a source is not a file.
    private func headers(_ sources: [SourceArgument]) async throws(TintypeError) -> [Result]? {
        var files: [(path: String, source: SourceArgument)] = []
        for source in sources {
            guard !source.isStandardInput, let path = source.path else { return nil }
            files.append((path, source))
        }
        return try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { [files] () throws(TintypeError) in
            files.map { file in
                Result { () throws(TintypeError) in try header(of: file.path, file.source) }
                    .mapError { $0.about(file.source.text) }
            }
        }
    }

    /// Reads a source's header, and decodes the image if it is verified, or its palette or a hash is requested.
    private func result(_ source: SourceArgument) async -> Result {
        do throws(TintypeError) {
            return .success(try await inspect(source))
        } catch {
            return .failure(error.about(SourceArgument.displayName(of: source.text)))
        }
    }

    private func inspect(_ argument: SourceArgument) async throws(TintypeError) -> InfoRecord {
        let source = try argument.source(readingAtMost: pipeline.configuration.maximumByteCount)
        var record = try await header(of: argument, source)
        if verifies {
            let image = try await verify(source)
            if image.isPartial { record.isPartial = true }
            record.note(image.info.warnings)
            record.isVerified = true
        }
        guard appearance.isRequested else { return record }
        // 128 pixels are enough for colours and hashes.
        let size = PixelSize(width: 128, height: 128)
        let rendition = Rendition(decode: DecodeOptions(size: .fit(size)))
        let request = partial.applied(to: ImageRequest(source: source, rendition: rendition))
        let image = try await pipeline.image(for: request)
        if image.isPartial { record.isPartial = true }
        let measured = try ImageAppearance(image.pixels, appearance)
        (record.palette, record.blurHash, record.thumbHash) = (measured.palette, measured.blurHash, measured.thumbHash)
        return record
    }

    /// Decodes all of an image, to a small size, and every frame of an animation.
    ///
    /// - Returns: The image, of which only a part could be decoded if the user accepts that.
    private func verify(_ source: ImageSource) async throws(TintypeError) -> Image {
        let response = try await pipeline.response(for: partial.applied(to: FetchPlan().request(for: source)))
        guard let animation = response.image.animation else { return response.image }
        try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            for index in 0..<animation.frameCount { _ = try animation.frame(at: index) }
        }
        return response.image
    }

    private func header(of argument: SourceArgument, _ source: ImageSource) async throws(TintypeError) -> InfoRecord {
        if !argument.isStandardInput, let path = argument.path {
            return try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
                try header(of: path, argument)
            }
        }
        let request = partial.applied(to: FetchPlan(writesOriginal: true).request(for: source))
        let response = try await pipeline.response(for: request)
        var record = InfoRecord(
            argument.text, response.image.info, origin: response.origin, bytes: response.byteCount ?? 0)
        if response.image.isPartial { record.isPartial = true }
        return record
    }

    /// Reads the beginning of a file, and more of it only while the header is incomplete.
    private func header(of path: String, _ argument: SourceArgument) throws(TintypeError) -> InfoRecord {
        // A request costs more than the header, and only a guard would refuse it.
        if isGuarded || path.isEmpty { try pipeline.checkAllowed(ImageRequest(source: try argument.source())) }
        let file = try LocalFile(reading: path)
        let configuration = pipeline.configuration
        guard file.byteCount > 0 else { throw TintypeError(.emptyBody, stage: .load, "an empty file", subject: path) }
        var head = try file.read(min(Self.firstReadByteCount, configuration.maximumByteCount), from: 0)
        while true {
            let isComplete = head.count >= file.byteCount
            let info = try configuration.coders.info(
                of: head, isComplete: isComplete, limits: configuration.decodeLimits)
            if let info { return InfoRecord(argument.text, info, origin: .file, bytes: file.byteCount) }
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
