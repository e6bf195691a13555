import Foundation

extension ImageLoad {
    /// The rendition of bytes that are good now, by the word of their origin.
    ///
    /// A picture that was kept is shown as a preview meanwhile, where the request asks for that, and is the result when
    /// the origin cannot be asked: a good entry is never given up for an error.
    func refreshed(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let previews = PreviewPump(self, job, report)
        async let old = keptPicture(job, showing: previews)
        do throws(TintypeError) {
            let bytes = try await originalBytes(job, onReceived: { previews.received($0) })
            previews.stop()
            // A whole picture is better than a part of the newer one.
            if let failure = bytes.transferFailure, await old != nil { throw failure }
            return try await rendition(of: bytes, job, report)
        } catch {
            guard error.code != .cancelled, var kept = await old else { throw error }
            kept.refreshFailure = error
            return kept
        }
    }

    /// What caches have: shown while the origin is asked, and the result when that comes to nothing, even if it brought
    /// bytes, but no picture. Nothing of it is stored: it may be made after the newer one.
    private func keptPicture(_ job: JobContext, showing previews: PreviewPump) async -> ImageResponse? {
        guard request.policy.freshness == .revalidate else { return nil }
        let load = replacing { request in
            request.policy.freshness = .cacheOnly
            request.policy.rendered = request.policy.rendered.readOnly
            request.policy.original = request.policy.original.readOnly
            request.policy.completion = .whenReady
        }
        let kept = try? await load.run(job, JobReporter { _ in })
        if let kept { previews.show(kept) }
        return kept
    }

    private func rendition(
        of bytes: LoadedBytes, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        var load = self
        load.given = bytes
        var response = try await load.run(job, report)
        response.refreshFailure = bytes.refreshFailure
        return response
    }

    /// What may be done with bytes that the disk has.
    func verdict(on stored: CacheEntry) -> StoredVerdict {
        switch request.policy.freshness {
        case .cached, .cacheOnly, .reload: .fresh
        case .revalidate: .stale(usableOnError: true)
        case .http:
            loader.verdict(
                on: stored, for: request.source, request.extras, at: services.configuration.time.date())
        }
    }

    /// Stored bytes after a word with their origin: the same ones with renewed metadata, or newer ones.
    func asked(
        about stored: CacheEntry, usableOnError: Bool, _ job: JobContext, _ report: JobReporter<ReceivedBytes>
    ) async throws(TintypeError) -> LoadedBytes {
        do throws(TintypeError) {
            let bytes = try await loadBytes(job, report, stored: stored)
            if let failure = bytes.transferFailure, usableOnError { throw failure }
            if bytes.isNotModified { renew(stored, with: bytes.metadata) }
            return bytes
        } catch {
            guard usableOnError, lets(error, pass: request.policy.freshness) else { throw error }
            var bytes = LoadedBytes(stored)
            bytes.refreshFailure = error
            return bytes
        }
    }

    /// Whether stale bytes may stand in: under the origin's own rules only when it could not answer (RFC 5861 §4).
    private func lets(_ error: TintypeError, pass freshness: LoadPolicy.Freshness) -> Bool {
        error.code != .cancelled && (freshness == .revalidate || error.isOriginUnavailable)
    }

    private func renew(_ stored: CacheEntry, with metadata: Data) {
        guard request.policy.original.disk.canWrite else { return }
        var renewed = stored
        renewed.metadata = metadata
        renewed.expires = expires
        originalCache.store(renewed, for: request.key.original)
    }

    /// Gets newer bytes for the next one who asks, behind the one who asks now.
    func refreshBehind() {
        var load = replacing { $0.policy.freshness = .revalidate }
        load.given = nil
        services.refreshes.add(cost: 1) { [load] in
            let job = JobContext(priority: .low)
            _ = try? await load.services.renditions.value(load.renditionKey, for: job, onStatus: { _ in }) {
                (job, report) throws(TintypeError) in
                try await load.run(job, report)
            }
        }
    }
}

extension TintypeError {
    /// Whether the origin gave no answer of its own: it could not be reached, broke off, or said that it cannot now.
    var isOriginUnavailable: Bool {
        [.unreachable, .timedOut, .transport, .truncatedBody, .failedBefore].contains(code)
            || [500, 502, 503, 504].contains(status)
    }
}
