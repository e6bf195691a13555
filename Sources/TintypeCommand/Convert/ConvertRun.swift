import Foundation
import Tintype

/// What `convert` makes of an image: which frames, as which bytes.
struct ConvertSettings: Sendable {
    /// The only frame to write.
    var frame: Int?
    /// The frames to write, or `nil` for all.
    var frames: [Int]?
    var quality = 90
    /// The largest number of bytes of an output.
    var outputBytes: Int?
    /// The kinds of metadata to write.
    var metadata: Set<MetadataKind> = []

    var encodeOptions: EncodeOptions {
        var options = EncodeOptions(quality: Double(quality) / 100, maximumByteCount: outputBytes, frames: frames)
        options.metadata = metadata
        return options
    }
}

/// Converts images: loads, encodes and writes each of them. Several may run at once.
struct ConvertRun: Sendable {
    /// What happens to an output that exists.
    enum Existing: Sendable {
        case fail
        case skip
        case overwrite
    }

    let pipeline: ImagePipeline
    let settings: ConvertSettings
    /// Returns the request for a source, with everything that the user chose.
    let request: @Sendable (ImageSource) -> ImageRequest
    let existing: Existing
    /// Whether missing directories of outputs are created.
    let createsDirectories: Bool
    /// Whether nothing is read or written.
    let isDryRun: Bool
    var hint = FailureHint()
    private let outputs = ClaimedPaths()

    /// Converts images, several at a time, until the user interrupts it.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the report cannot be written.
    func run(_ entries: [OutputPlan.Entry], width: Int, report: ConvertReport) async throws -> BatchTally {
        var tally = BatchTally()
        report.display?.begin(total: entries.count)
        defer { report.display?.end() }
        tally.remaining = try await BatchRun.run(entries, width: width, until: .shared, convert) { record in
            tally.add(record.outcome)
            try report.add(record)
        }
        try report.end(tally)
        return tally
    }

    /// Converts one image. A failure is a record too.
    func convert(_ entry: OutputPlan.Entry) async -> ConvertRecord {
        do throws(TintypeError) {
            return try await converted(entry)
        } catch {
            let input = SourceArgument.displayName(of: entry.input.source.text)
            return ConvertRecord(
                input: input, output: entry.isPathKnown ? entry.path() ?? "-" : nil,
                outcome: .failed, error: FetchRecord.Reason(error),
                message: "tintype: \(hint.description(error.about(input)))")
        }
    }

    private func converted(_ entry: OutputPlan.Entry) async throws(TintypeError) -> ConvertRecord {
        let start = ContinuousClock.now
        let source = entry.input.source
        let input = SourceArgument.displayName(of: source.text)
        if entry.isPathKnown, let path = entry.path(), try isSkipped(path) {
            return ConvertRecord(input: input, output: path, outcome: .skipped)
        }
        guard !isDryRun else {
            return ConvertRecord(input: input, output: entry.path() ?? "-", outcome: .planned)
        }
        let limit = pipeline.configuration.maximumByteCount
        let response = try await pipeline.response(for: request(try source.source(readingAtMost: limit)))
        let image = try await selected(from: response.image, for: entry)
        guard let path = entry.path(size: image.size) else {
            let data = try await pipeline.encode(image, as: entry.format, options: settings.encodeOptions)
            try StandardOutput.write(bytes: data)
            return record(of: entry, response, image, data, since: start, output: "-")
        }
        if !entry.isPathKnown, try isSkipped(path) {
            return ConvertRecord(input: input, output: path, outcome: .skipped)
        }
        try outputs.claim(path, for: input)
        let data = try await pipeline.encode(image, as: entry.format, options: settings.encodeOptions)
        if createsDirectories { try OutputFile.createParent(of: path) }
        try await OutputFile.write(data, to: path)
        return record(of: entry, response, image, data, since: start, output: path)
    }

    /// Returns whether an output is left as it is.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if it exists and the user has not chosen what happens to it.
    private func isSkipped(_ path: String) throws(TintypeError) -> Bool {
        guard existing != .overwrite, access(path, F_OK) == 0 else { return false }
        guard existing == .fail else { return true }
        throw TintypeError(
            .unwritable, stage: .store, "the output exists; --overwrite replaces it, --skip-existing leaves it",
            subject: path)
    }

    /// Returns the image, or the only frame of it that is written.
    private func selected(from image: Image, for entry: OutputPlan.Entry) async throws(TintypeError) -> Image {
        // A format without animations holds one frame: the first of those that are listed.
        let isStill = !pipeline.configuration.coders.animatedFormats.contains(entry.format)
        guard let frame = settings.frame ?? (isStill ? settings.frames?.first : nil) else { return image }
        do throws(TintypeError) {
            return image.replacing(pixels: try await pixels(ofFrame: frame, in: image))
        } catch {
            throw error.about(SourceArgument.displayName(of: entry.input.source.text))
        }
    }

    private func pixels(ofFrame index: Int, in image: Image) async throws(TintypeError) -> PixelBuffer {
        if let animation = image.animation { return try await Self.pixels(ofFrame: index, in: animation) }
        guard index == 0 else {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(index): the image is not an animation")
        }
        return image.pixels
    }

    /// Composes a frame with a player that has no view.
    @MainActor private static func pixels(
        ofFrame index: Int, in animation: AnimatedImage
    ) async throws(TintypeError) -> PixelBuffer {
        let player = AnimationPlayer(animation)
        try player.seek(to: index)
        return try await player.currentPixels()
    }

    private func record(
        of entry: OutputPlan.Entry, _ response: ImageResponse, _ image: Image, _ data: Data,
        since start: ContinuousClock.Instant, output: String
    ) -> ConvertRecord {
        let input = SourceArgument.displayName(of: entry.input.source.text)
        let written = ConvertRecord.Output(
            format: entry.format.rawValue, width: image.size.width, height: image.size.height, bytes: data.count,
            milliseconds: start.duration(to: .now).inMilliseconds, isPartial: response.image.isPartial ? true : nil)
        return ConvertRecord(
            input: input, output: output, outcome: .written, written: written,
            message: PartialOptions.warning(input, response))
    }
}

/// The paths that this run has written or is about to write, shared by concurrent conversions.
///
/// A plan compares paths whose size is not known yet. Two of them can still become equal, as `{stem}{width}` can.
private final class ClaimedPaths: Sendable {
    private let inputs = Locked<[String: String]>([:])

    /// - Throws: ``TintypeError/Code/unwritable`` if another image has the path.
    func claim(_ path: String, for input: String) throws(TintypeError) {
        let other = inputs.withLock { inputs in
            if inputs[path] == nil { inputs[path] = input }
            return inputs[path]
        }
        guard let other, other != input else { return }
        throw TintypeError(.unwritable, stage: .store, "the output of \(other) has the same path", subject: path)
    }
}
