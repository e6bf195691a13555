import Foundation
import TintypeCore
import TintypeShared

/// A rendition that was made, and how.
struct RenditionWork: Sendable {
    let rendition: EncodedRendition
    /// The times of the work; `nil` if another machine did it.
    let times: WorkTimes?
}

/// A rendition that a request asks for: what it is made of, and how.
struct RenditionOrder: Sendable {
    let url: SourceURL
    var source: ImageService.KnownSource
    /// The options, resolved for the format.
    let options: ProcessingOptions
    let format: ImageFormat
    /// The time by which each part of the work must begin.
    let deadline: Duration
    var watermark: WatermarkChoice

    init(
        _ url: SourceURL, _ source: ImageService.KnownSource, _ options: ProcessingOptions, _ format: ImageFormat,
        deadline: Duration, watermark: WatermarkChoice = .none
    ) {
        (self.url, self.source, self.options, self.format) = (url, source, options, format)
        (self.deadline, self.watermark) = (deadline, watermark)
    }

    /// The key of the result. It changes if a source turns out to have changed.
    var key: RenditionKey { RenditionKey(source.record, options, format, watermark: watermark.digest) }

    /// Whether other clients may get the result.
    var isStorable: Bool { source.record.isStorable && watermark.record?.isStorable ?? true }
}

/// How a rendition is found or made.
extension ImageService {
    /// Returns a rendition from the caches, or makes it.
    func rendition(
        _ order: inout RenditionOrder, _ report: inout ServiceReport
    ) async throws(Failure) -> EncodedRendition {
        let key = order.key
        report.key = key.source
        if let rendition = renditions.inMemory(key) {
            report.tier = .memory
            return rendition
        }
        if let (rendition, tier) = await renditions.below(key) {
            report.tier = tier
            return rendition
        }
        let failureKey = "\(key)"
        if let failure = failures.value(for: failureKey)?.failure(at: Date()) { throw failure }
        let image = try await bytes(&order.source, order.url, &report)
        if case .source(let url, var known) = order.watermark {
            _ = try await bytes(&known, url, &report)
            order.watermark = .source(url, known)
        }
        report.key = image.record.digest
        let (result, isShared) = await renderings.value(for: order.key) { [self, order] in
            do throws(Failure) {
                return .success(try await make(image, order))
            } catch {
                if let remembered = RememberedFailure(error, now: Date()) {
                    failures.store(remembered, for: failureKey)
                }
                return .failure(error)
            }
        }
        if isShared { report.shared = .process }
        let work = try result.get()
        if !isShared {
            report.work = work.times
            if work.times == nil { report.shared = .cluster }
        }
        return work.rendition
    }

    /// Makes a rendition when it is its turn, here or on another machine, and stores it.
    private func make(
        _ image: SourceImage, _ order: RenditionOrder
    ) async throws(Failure) -> RenditionWork {
        let (key, isStorable) = (order.key, order.isStorable)
        guard isStorable, let leases = configuration.leases else {
            let (rendition, times) = try await render(image, order)
            if isStorable { renditions.store(rendition, for: key) }
            return RenditionWork(rendition: rendition, times: times)
        }
        let failure = Locked<Failure?>(nil)
        let times = Locked<WorkTimes?>(nil)
        do throws(TintypeError) {
            let left = order.deadline - TimeSource.system.uptime()
            let entry = try await leases.entry(for: key.cacheKey, deadline: left) { () throws(TintypeError) in
                do throws(Failure) {
                    let (rendition, own) = try await self.render(image, order)
                    times.withLock { $0 = own }
                    return rendition.cacheEntry
                } catch {
                    failure.withLock { $0 = error }
                    throw error.pipelineError
                }
            }
            guard let rendition = EncodedRendition(entry) else {
                throw TintypeError(.undecodable, stage: .load, "another machine stored an entry that cannot be read")
            }
            renditions.storeLocally(rendition, for: key)
            return RenditionWork(rendition: rendition, times: times.withLock { $0 })
        } catch {
            throw failure.withLock { $0 } ?? Failure(error)
        }
    }

    private func render(
        _ image: SourceImage, _ order: RenditionOrder
    ) async throws(Failure) -> (EncodedRendition, WorkTimes) {
        let start = ContinuousClock.now
        let bytes = renderer.pixelBytes(image.record.info, order.options, as: order.format)
        let slot = try await configuration.tracer.part(.queue) { [admission] () throws(Failure) in
            try await Self.admit(bytes, admission, order.deadline)
        }
        let queueing = ContinuousClock.now - start
        // Not cancelled when the clients leave: threads and workers go on for a while, and would be missed by the
        // admission. The result is of use for the next client.
        let work = Task { [self] in
            defer {
                slot.release()
                finished.withLock { $0 += 1 }
            }
            return await process(image, order)
        }
        var (rendition, times) = try await work.value.get()
        times.queueing = queueing
        return (rendition, times)
    }

    private func process(
        _ image: SourceImage, _ order: RenditionOrder
    ) async -> Result<(EncodedRendition, WorkTimes), Failure> {
        do throws(Failure) {
            return .success(
                try await configuration.tracer.part(.processing) { () throws(Failure) in
                    let watermark = try await pixels(of: order.watermark)
                    return try await renderer.render(
                        image, order.options, as: order.format, watermark: watermark, deadline: order.deadline)
                })
        } catch {
            return .failure(error)
        }
    }

    /// Waits for the turn of an image among those that are decoded.
    private static func admit(
        _ bytes: Int, _ admission: AdmissionControl, _ deadline: Duration
    ) async throws(Failure) -> AdmissionSlot {
        do throws(AdmissionRefusal) {
            return try await admission.admit(bytes: bytes, deadline: deadline)
        } catch {
            throw error.failure
        }
    }
}
