import Foundation
import Tintype

/// Converts images: loads, encodes and writes each of them. Several may run at once.
struct ConvertRun: Sendable {
    /// The handling of an output that exists.
    enum Existing: Sendable {
        case fail
        case skip
        case overwrite
    }

    let pipeline: InterruptiblePipeline
    let settings: ConvertSettings
    /// Returns the request for a source and the format of its output, with everything that the user chose.
    let request: @Sendable (ImageSource, ImageFormat) -> ImageRequest
    let existing: Existing
    /// Whether an output that is a symbolic link is written through.
    let followsLinks: Bool
    /// Whether missing directories of outputs are created.
    let createsDirectories: Bool
    /// Whether nothing is read or written.
    let isDryRun: Bool
    var hint = FailureHint()

    /// Converts the images of a plan, several at a time, until the user interrupts it.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the report cannot be written.
    func run(_ plan: OutputPlan, width: Int, report: ConvertReport) async throws -> BatchTally {
        var tally = BatchTally(total: plan.count)
        report.display?.begin(total: plan.count)
        defer { report.display?.end() }
        for failure in plan.failures {
            tally.add(.failed)
            try report.add(record(of: failure.error, about: failure.input, output: nil))
        }
        let claims = SharedClaims(plan.claims)
        try await BatchRun.run(plan.entries, width: width, until: pipeline.interruption) { entry in
            await convert(entry, claims)
        } report: { record in
            tally.add(record.outcome)
            try report.add(record)
        }
        try report.end(tally)
        return tally
    }

    /// Converts one image. A failure is a record too.
    ///
    /// - Returns: `nil` if the user has interrupted the load of the image.
    private func convert(_ entry: OutputPlan.Entry, _ claims: SharedClaims) async -> ConvertRecord? {
        do throws(TintypeError) {
            return try await converted(entry, claims)
        } catch {
            guard error.code != .cancelled else { return nil }
            return record(of: error, about: entry.input, output: entry.isPathKnown ? entry.path() ?? "-" : nil)
        }
    }

    private func record(of error: TintypeError, about input: BatchInput, output: String?) -> ConvertRecord {
        ConvertRecord(
            input: input.name, output: output, outcome: .failed, error: FetchRecord.Reason(error),
            message: "tintype: \(hint.description(error.about(input.name)))")
    }

    private func converted(
        _ entry: OutputPlan.Entry, _ claims: SharedClaims
    ) async throws(TintypeError) -> ConvertRecord {
        let start = ContinuousClock.now
        let input = entry.input.name
        if entry.isPathKnown, let path = entry.path(), try isSkipped(path) {
            return ConvertRecord(input: input, output: path, outcome: .skipped)
        }
        guard !isDryRun else {
            return ConvertRecord(input: input, output: entry.path() ?? "-", outcome: .planned)
        }
        let response = try await pipeline.response(for: request(try pipeline.source(entry.input.source), entry.format))
        try settings.checkRange(of: response.image)
        let image = try await selected(from: response.image, for: entry)
        guard let path = entry.path(size: image.size) else {
            let data = try await encoded(image, as: entry.format)
            try StandardOutput.write(bytes: data)
            return record(of: entry, response, image, data, since: start, output: "-")
        }
        if !entry.isPathKnown, try isSkipped(path) {
            return ConvertRecord(input: input, output: path, outcome: .skipped)
        }
        try claims.claim(path, for: entry.input)
        let data = try await encoded(image, as: entry.format)
        if createsDirectories { try OutputFile.createParent(of: path) }
        try await OutputFile.write(data, to: path, followsLinks: followsLinks)
        return record(of: entry, response, image, data, since: start, output: path)
    }

    private func encoded(_ image: Image, as format: ImageFormat) async throws(TintypeError) -> Data {
        try await pipeline.pipeline.encode(image, as: format, options: settings.options)
    }

    /// Returns whether an output is left as it is.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if it exists and the user has not chosen what happens to it.
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
        guard let frame = settings.frame ?? (isStill ? settings.options.frames?.first : nil) else { return image }
        do throws(TintypeError) {
            if let animation = image.animation {
                return image.replacing(pixels: try await Self.pixels(ofFrame: frame, in: animation))
            }
            guard frame == 0 else {
                throw TintypeError(
                    .noSuchFrame, stage: .decode, "there is no frame \(frame): the image is not an animation")
            }
            // With its high range.
            return image
        } catch {
            throw error.about(entry.input.name)
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

    /// Returns the warnings about a part of an image that could not be read, and about what is not written of it.
    private func warning(_ input: String, _ response: ImageResponse, _ lost: [String]) -> String? {
        let lost = lost.joined(separator: "; ")
        guard let partial = PartialOptions.warning(input, response) else {
            return lost.isEmpty ? nil : "tintype: \(input): \(lost)"
        }
        return lost.isEmpty ? partial : "\(partial); \(lost)"
    }

    private func record(
        of entry: OutputPlan.Entry, _ response: ImageResponse, _ image: Image, _ data: Data,
        since start: ContinuousClock.Instant, output: String
    ) -> ConvertRecord {
        let input = entry.input.name
        let written = ConvertRecord.Output(
            format: entry.format.rawValue, width: image.size.width, height: image.size.height, bytes: data.count,
            milliseconds: start.duration(to: .now).inMilliseconds, isPartial: response.image.isPartial ? true : nil)
        return ConvertRecord(
            input: input, output: output, outcome: .written, written: written,
            message: warning(input, response, settings.losses(of: image, as: entry.format)))
    }
}
