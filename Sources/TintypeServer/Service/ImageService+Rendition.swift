import Foundation
import TintypeCore
import TintypeShared

/// A rendition that was made, and how.
struct RenditionWork: Sendable {
    let rendition: EncodedRendition
    /// The times of the work; `nil` if another machine did it.
    let times: WorkTimes?
}

/// How a rendition is found or made.
extension ImageService {
    /// Returns a rendition from the caches, or makes it.
    func rendition(
        _ key: RenditionKey, _ known: inout KnownSource, _ source: SourceURL, _ options: ProcessingOptions,
        _ format: ImageFormat, _ report: inout ServiceReport
    ) async throws(Failure) -> EncodedRendition {
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
        let image = try await bytes(&known, source, &report)
        // The source may have changed since its record was made.
        let key = image.record.digest == key.source ? key : RenditionKey(image.record, options, format)
        report.key = key.source
        let deadline = TimeSource.system.uptime() + configuration.requestTimeout
        let (result, isShared) = await renderings.value(for: key) { [self] in
            do throws(Failure) {
                return .success(try await make(image, key, options, format, deadline))
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
        _ image: SourceImage, _ key: RenditionKey, _ options: ProcessingOptions, _ format: ImageFormat,
        _ deadline: Duration
    ) async throws(Failure) -> RenditionWork {
        let isStorable = image.record.isStorable
        guard isStorable, let leases = configuration.leases else {
            let (rendition, times) = try await render(image, options, format, deadline)
            if isStorable { renditions.store(rendition, for: key) }
            return RenditionWork(rendition: rendition, times: times)
        }
        let failure = Locked<Failure?>(nil)
        let times = Locked<WorkTimes?>(nil)
        do throws(TintypeError) {
            let left = deadline - TimeSource.system.uptime()
            let entry = try await leases.entry(for: key.cacheKey, deadline: left) { () throws(TintypeError) in
                do throws(Failure) {
                    let (rendition, own) = try await self.render(image, options, format, deadline)
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
        _ image: SourceImage, _ options: ProcessingOptions, _ format: ImageFormat, _ deadline: Duration
    ) async throws(Failure) -> (EncodedRendition, WorkTimes) {
        let start = ContinuousClock.now
        let bytes = renderer.pixelBytes(image.record.info, options, as: format, watermark: configuration.watermark)
        let slot = try await configuration.tracer.part(.queue) { [admission] () throws(Failure) in
            try await Self.admit(bytes, admission, deadline)
        }
        defer {
            slot.release()
            finished.withLock { $0 += 1 }
        }
        let queueing = ContinuousClock.now - start
        let (rendition, own) = try await configuration.tracer.part(.processing) {
            [renderer, watermark = configuration.watermark] () throws(Failure) in
            try await renderer.render(image, options, as: format, watermark: watermark)
        }
        var times = own
        times.queueing = queueing
        return (rendition, times)
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
