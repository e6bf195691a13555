import Foundation
import TintypeCore

/// How what is known of a source is found, and its bytes.
extension ImageService {
    /// What is known of a source: its record, and its bytes if they were just loaded.
    struct KnownSource: Sendable {
        var record: SourceRecord
        var image: SourceImage?
        /// Whether the source may have changed, but is used as it was (RFC 5861).
        var isStale = false
    }

    /// How many stale sources are asked for again at once. Further ones wait for a later request.
    static let revalidationLimit = 64

    /// Returns what is known of a source, after loading it if its record is missing or stale.
    ///
    /// A stale source is used while it is asked for again in the background, and after an error of its origin, for the
    /// times that the origin or else the operator allows.
    ///
    /// - Parameter isVersioned: Whether the result is for ever, so that it must not be that of a stale source.
    func source(
        _ source: SourceURL, _ limits: FreshnessLimits, isVersioned: Bool = false, _ report: inout ServiceReport
    ) async throws(Failure) -> KnownSource {
        let (record, now) = (records.value(for: source.text), Date())
        if let record, record.isFresh(at: now, limits) { return KnownSource(record: record) }
        if !isVersioned, let record, record.isUsable(.duringRevalidation, at: now, limits) {
            revalidate(source)
            report.isStale = true
            return KnownSource(record: record, isStale: true)
        }
        do throws(Failure) {
            if let failure = failures.value(for: source.text)?.failure(at: now) { throw failure }
            let image = try await load(source, &report)
            return KnownSource(record: image.record, image: image)
        } catch {
            guard error.permitsStaleSource, let known = await staleSource(source, limits) else { throw error }
            report.isStale = true
            return known
        }
    }

    /// Returns what is known of a source whose origin has failed: from memory, or after a restart from the disk. `nil`
    /// if there is nothing that may be used.
    private func staleSource(_ source: SourceURL, _ limits: FreshnessLimits) async -> KnownSource? {
        var known = records.value(for: source.text).map { KnownSource(record: $0, isStale: true) }
        if known == nil, let image = try? await loader.load(source, fromCacheOnly: true) {
            known = KnownSource(record: image.record, image: image, isStale: true)
        }
        return known.flatMap { $0.record.isUsable(.afterError, at: Date(), limits) ? $0 : nil }
    }

    /// Returns the bytes of a source. Those of a stale one come from the disk, if they are there.
    func bytes(
        _ known: inout KnownSource, _ source: SourceURL, _ report: inout ServiceReport
    ) async throws(Failure) -> SourceImage {
        if let image = known.image { return image }
        if known.isStale, let image = try? await loader.load(source, fromCacheOnly: true),
            image.record.digest == known.record.digest
        {
            known.image = image
            return image
        }
        let image = try await load(source, &report)
        known = KnownSource(record: image.record, image: image)
        return image
    }

    private func load(_ source: SourceURL, _ report: inout ServiceReport) async throws(Failure) -> SourceImage {
        let start = ContinuousClock.now
        let (result, isShared) = await sharedLoad(of: source)
        report.download = ContinuousClock.now - start
        if isShared { report.shared = .process }
        let image = try result.get()
        report.sourceOrigin = image.origin
        return image
    }

    /// Loads a source, or waits for the load that runs.
    private func sharedLoad(of source: SourceURL) async -> (Result<SourceImage, Failure>, isShared: Bool) {
        await sourceLoads.value(for: source.text) { [loader, records, failures, tracer = configuration.tracer] in
            do throws(Failure) {
                let image = try await tracer.part(.download) { () throws(Failure) in try await loader.load(source) }
                records.store(image.record, for: source.text)
                return .success(image)
            } catch {
                if error.endsSource { records.remove(source.text) }
                if let remembered = RememberedFailure(error, now: Date()) {
                    failures.store(remembered, for: source.text)
                }
                return .failure(error)
            }
        }
    }

    /// Asks for a stale source again, in the background and not on behalf of a client.
    private func revalidate(_ source: SourceURL) {
        guard failures.value(for: source.text)?.failure(at: Date()) == nil else { return }
        let begins = revalidations.withLock { running in
            running.count < Self.revalidationLimit && running.insert(source.text).inserted
        }
        guard begins else { return }
        Task.detached { [self] in
            _ = await sharedLoad(of: source)
            revalidations.withLock { _ = $0.remove(source.text) }
        }
    }
}
