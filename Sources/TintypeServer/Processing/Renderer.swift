import Foundation
import TintypeCore

/// Makes renditions from the bytes of sources: decodes, transforms and encodes them in the pipeline.
struct Renderer: Sendable {
    private let pipeline: ImagePipeline
    private let settings: RenderingSettings

    init(_ pipeline: ImagePipeline, _ settings: RenderingSettings) {
        (self.pipeline, self.settings) = (pipeline, settings)
    }

    /// Returns an estimate of the memory for the pixels of a source and of its rendition, in bytes. A rendition whose
    /// size only the pixels tell is at most as large as its source.
    func pixelBytes(_ info: ImageInfo, _ options: ProcessingOptions, as format: ImageFormat) -> Int {
        let plan = RenderingPlan(for: info, options, format: format, settings: settings)
        // Pixels of a higher range come in addition, with four channels of 16 bits.
        let bytes = PixelBuffer.bytesPerPixel * (plan.rendition.decode.range == .high ? 3 : 1)
        return (info.size.area + (plan.size?.area ?? 0)) * bytes
    }

    /// Makes a rendition.
    ///
    /// - Parameters:
    ///   - options: The options, resolved for the format.
    ///   - watermark: The pixels of the watermark.
    ///   - deadline: The time by which decoding and encoding must begin.
    func render(
        _ source: SourceImage, _ options: ProcessingOptions, as format: ImageFormat, watermark: PixelBuffer? = nil,
        deadline: Duration
    ) async throws(Failure) -> (EncodedRendition, WorkTimes) {
        let plan = RenderingPlan(
            for: source.record.info, options, format: format, watermark: watermark, settings: settings)
        try Self.check(deadline)
        let start = ContinuousClock.now
        let image = try await image(source, plan.rendition)
        let decoded = ContinuousClock.now
        try Self.check(deadline)
        do throws(TintypeError) {
            let data = try await pipeline.encode(image, as: format, options: encodeOptions(options, plan, image))
            let times = WorkTimes(decoding: decoded - start, encoding: ContinuousClock.now - decoded)
            var notes = notes(source.record.info, plan)
            if source.record.info.isHighRange, try await !hasHighRange(data) { notes.losesRange = true }
            return (EncodedRendition(data, format, notes: notes), times)
        } catch {
            throw Failure(error)
        }
    }

    private static func check(_ deadline: Duration) throws(Failure) {
        if TimeSource.system.uptime() >= deadline { throw AdmissionRefusal.deadline.failure }
    }

    /// Decodes a source as it is.
    func pixels(of source: SourceImage) async throws(Failure) -> PixelBuffer {
        try await image(source, Rendition()).pixels
    }

    /// Decodes and transforms a source. Equal work at the same time is done once.
    private func image(_ source: SourceImage, _ rendition: Rendition) async throws(Failure) -> Image {
        var request = ImageRequest(source: .bytes(source.data, id: source.record.digest))
        request.rendition = rendition
        // The bytes have no name, by which some formats were recognized.
        request.rendition.decode.formatHint = source.record.info.format
        // The encoded result is cached, not its pixels.
        request.policy.caching.rendition = CacheRules(memory: .off, disk: .off)
        request.policy.caching.original = CacheRules(memory: .off, disk: .off)
        request.policy.failureMemory = .ignored
        do throws(TintypeError) {
            return try await pipeline.response(for: request).image
        } catch {
            throw Failure(error)
        }
    }

    private func encodeOptions(
        _ options: ProcessingOptions, _ plan: RenderingPlan, _ image: Image
    ) -> EncodeOptions {
        var encode = EncodeOptions(quality: Double(options.output.quality(for: plan.format)) / 100)
        if plan.frameCount > 1, plan.frameCount < image.info.frameCount {
            encode.frames = Array(0..<plan.frameCount)
        }
        encode.isProgressive = plan.format == .jpeg && settings.isProgressive
        if options.output.maximumBytes > 0 { encode.maximumByteCount = options.output.maximumBytes }
        (encode.metadata, encode.keepsCopyright) = (options.output.metadata, options.output.keepsCopyright)
        if options.output.preservesHDR { encode.range = .high }
        return encode
    }

    private func notes(_ info: ImageInfo, _ plan: RenderingPlan) -> RenditionNotes {
        var notes = RenditionNotes()
        if info.frameCount > plan.frameCount { (notes.frames, notes.sourceFrames) = (plan.frameCount, info.frameCount) }
        return notes
    }

    /// Whether an encoded image has more dynamic range than sRGB. Some transforms and most formats reduce it.
    private func hasHighRange(_ data: Data) async throws(TintypeError) -> Bool {
        let coders = pipeline.configuration.coders
        return try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            try coders.info(of: data)?.isHighRange ?? false
        }
    }
}
