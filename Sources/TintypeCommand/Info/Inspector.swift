import Foundation
import Tintype

/// Reads the properties of images, and decodes them only if that is necessary.
struct Inspector: Sendable {
    typealias Result = Swift.Result<InfoRecord, TintypeError>

    let pipeline: InterruptiblePipeline
    let partial: PartialOptions
    let appearance: AppearanceOptions
    /// Whether all of each image is verified.
    let verifies: Bool
    /// Whether a guard restricts the sources.
    let isGuarded: Bool

    /// Returns the number of images that are inspected one after the other on one thread: several if only the headers
    /// of files are read, because a change of threads costs more than reading a header.
    func chunkSize(for inputs: [BatchInput]) -> Int {
        readsHeadersOnly && inputs.allSatisfy(\.isFile) ? 16 : 1
    }

    private var readsHeadersOnly: Bool { !verifies && !appearance.isRequested }

    /// Inspects the images of a chunk in their order.
    ///
    /// - Returns: The number of the chunk and the results, without images whose inspection the user has interrupted;
    ///   `nil` if there are no results.
    func results(_ chunk: Chunk<BatchInput>) async -> (number: Int, results: [Result])? {
        var results: [Result] = []
        if readsHeadersOnly, chunk.items.allSatisfy(\.isFile) {
            results = (try? await headers(chunk.items)) ?? []
        } else {
            for input in chunk.items {
                guard let result = await result(input) else { break }
                results.append(result)
            }
        }
        return results.isEmpty ? nil : (chunk.number, results)
    }

    /// Reads the headers of files, without a change of threads in between.
    private func headers(_ inputs: [BatchInput]) async throws(TintypeError) -> [Result] {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            var results: [Result] = []
            for input in inputs where !pipeline.interruption.isRequested {
                results.append(
                    Result { () throws(TintypeError) in try header(of: input.source.path ?? "", input.source) }
                        .mapError { $0.about(input.source.text) })
            }
            return results
        }
    }

    /// Reads a source's header, and decodes the image if it is verified, or its palette or a hash is requested.
    ///
    /// - Returns: `nil` if the user has interrupted it.
    private func result(_ input: BatchInput) async -> Result? {
        do throws(TintypeError) {
            try pipeline.interruption.check()
            if let failure = input.failure { throw failure }
            return .success(try await inspect(input.source))
        } catch {
            return error.code == .cancelled ? nil : .failure(error.about(input.name))
        }
    }

    private func inspect(_ argument: SourceArgument) async throws(TintypeError) -> InfoRecord {
        let source = try pipeline.source(argument)
        var record = try await header(of: argument, source)
        if verifies, record.isVerified != true {
            // Decodes all of the image. If the user accepts partial images, a part is enough.
            let image = try await pipeline.image(for: partial.applied(to: FetchPlan().request(for: source)))
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
        // A loaded image may enter the cache, so all of it has been verified.
        if verifies { record.isVerified = true }
        return record
    }

    /// Reads the beginning of a file, and more of it only while the header is incomplete.
    private func header(of path: String, _ argument: SourceArgument) throws(TintypeError) -> InfoRecord {
        // Building a request costs more than reading the header, and is needed only if a guard may refuse it.
        if isGuarded || path.isEmpty { try pipeline.pipeline.checkAllowed(ImageRequest(source: try argument.source())) }
        let file = try LocalFile(reading: path)
        let configuration = pipeline.configuration
        guard file.byteCount > 0 else { throw TintypeError(.emptyBody, stage: .load, "an empty file", subject: path) }
        var head = try file.read(min(Self.firstReadByteCount, configuration.maximumByteCount), from: 0)
        while true {
            let isComplete = head.count >= file.byteCount
            let info = try configuration.coders.info(
                of: head, isComplete: isComplete, limits: configuration.decodeLimits, name: path)
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
