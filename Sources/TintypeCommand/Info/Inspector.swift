import Foundation
import Tintype

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
