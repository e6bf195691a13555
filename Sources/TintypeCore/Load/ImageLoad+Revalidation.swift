import Foundation

// Requests whose freshness policy asks the origin before a cached image is used.

extension ImageLoad {
    /// Whether the origin's rules decide, and have not decided yet.
    var mustRevalidate: Bool { request.policy.freshness.asksOrigin && currentBytes == nil }

    /// Loads the rendition from bytes that the origin has confirmed as current or has just sent.
    ///
    /// If the request asks for it, a cached image is shown as a preview meanwhile. It is also the result if the origin cannot
    /// be reached: an error never replaces a good entry.
    func revalidate() async throws(TintypeError) -> ImageResponse {
        let previews = PreviewPump(self)
        async let cached = cachedImage(showing: previews)
        do throws(TintypeError) {
            let bytes = try await loadCurrentBytes(previews)
            previews.stop()
            // A complete image is better than a part of the newer one.
            if let failure = bytes.transferFailure, await cached != nil { throw failure }
            return try await rendition(of: bytes)
        } catch {
            guard error.code != .cancelled, var response = await cached else { throw error }
            response.refreshFailure = error
            return response
        }
    }

    /// Loads the rendition from the caches alone and shows it as a preview. Stores nothing, because it may end after
    /// the load of the newer image.
    private func cachedImage(showing previews: PreviewPump) async -> ImageResponse? {
        guard request.policy.freshness == .revalidate else { return nil }
        let request = request.with { request in
            request.policy.freshness = .cacheOnly
            request.policy.rendered = request.policy.rendered.readOnly
            request.policy.original = request.policy.original.readOnly
            request.policy.completion = .whenReady
        }
        let load = ImageLoad(request: request, services: services, job: job, reporter: JobReporter { _ in })
        let cached = try? await load.run()
        if let cached { previews.showCached(cached) }
        return cached
    }

    private func rendition(of bytes: LoadedBytes) async throws(TintypeError) -> ImageResponse {
        var load = self
        load.currentBytes = bytes
        var response = try await load.run()
        response.refreshFailure = bytes.refreshFailure
        return response
    }

    /// Returns the entry of the disk cache if it may be used, otherwise the bytes from the loader.
    private func loadCurrentBytes(_ previews: PreviewPump) async throws(TintypeError) -> LoadedBytes {
        guard let stored = try await readEntry(request.key.original, in: originalCache, request.policy.original.disk)
        else { return try await loadBytes(previews: previews) }
        switch verdict(on: stored) {
        case .fresh: return LoadedBytes(stored)
        case .usableWhileRevalidating:
            revalidateInBackground()
            return LoadedBytes(stored)
        case .stale(let usableOnError): return try await revalidate(stored, usableOnError: usableOnError, previews)
        }
    }

    private func verdict(on stored: CacheEntry) -> StoredVerdict {
        guard request.policy.freshness == .http else { return .stale(usableOnError: true) }
        return loader.verdict(
            on: stored, for: request.source, extras: request.extras, at: services.configuration.time.date())
    }

    /// Asks the origin about an entry. Returns the same bytes with renewed metadata, or newer ones.
    private func revalidate(
        _ stored: CacheEntry, usableOnError: Bool, _ previews: PreviewPump
    ) async throws(TintypeError) -> LoadedBytes {
        do throws(TintypeError) {
            var bytes = try await loadBytes(stored: stored, previews: previews)
            if let failure = bytes.transferFailure, usableOnError { throw failure }
            if bytes.isNotModified {
                bytes.expires = expiry
                renew(stored, with: bytes.metadata)
            }
            return bytes
        } catch {
            guard usableOnError, allowsStale(after: error) else { throw error }
            var bytes = LoadedBytes(stored)
            bytes.refreshFailure = error
            return bytes
        }
    }

    /// Whether a stale entry may be used after an error: under the origin's own rules, only if it could not answer
    /// (RFC 5861 §4).
    private func allowsStale(after error: TintypeError) -> Bool {
        error.code != .cancelled && (request.policy.freshness == .revalidate || error.isOriginUnavailable)
    }

    private func renew(_ stored: CacheEntry, with metadata: Data) {
        guard request.policy.original.disk.canWrite else { return }
        var renewed = stored
        renewed.metadata = metadata
        renewed.expires = expiry
        originalCache.store(renewed, for: request.key.original)
    }

    /// Loads newer bytes for the next request, after the result of this one.
    private func revalidateInBackground() {
        let request = request.with { $0.policy.freshness = .revalidate }
        // Several renditions of one original cause one revalidation.
        let key = JobKey(bytesOf: request)
        guard services.refreshing.withLock({ $0.insert(key).inserted }) else { return }
        let isAccepted = services.refreshes.add(cost: 1) { [services] in
            defer { services.refreshing.withLock { _ = $0.remove(key) } }
            let load = ImageLoad(
                request: request, services: services, job: JobContext(priority: .low), reporter: JobReporter { _ in })
            _ = try? await load.join(request)
        }
        if !isAccepted { services.refreshing.withLock { _ = $0.remove(key) } }
    }
}

extension TintypeError {
    /// Whether the origin was unreachable, broke the connection, or was temporarily unable to respond.
    var isOriginUnavailable: Bool {
        [.unreachable, .timedOut, .transport, .truncatedBody, .failedBefore].contains(code)
            || [500, 502, 503, 504].contains(status)
    }
}
