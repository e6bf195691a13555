import Foundation

// Requests whose freshness policy asks the origin before a cached image is used.

extension ImageLoad {
    /// Whether the freshness policy asks the origin, and the current bytes are not known yet.
    var mustRevalidate: Bool { request.policy.freshness.asksOrigin && currentBytes == nil }

    /// Loads the rendition from bytes that the origin has confirmed as current or has just sent.
    ///
    /// Under ``LoadPolicy/Freshness/revalidate``, the cached image is shown as a preview meanwhile. It is also the
    /// result if the load fails, except after a cancellation or the refusal of a guard.
    func revalidate() async throws(TintypeError) -> ImageResponse {
        let previews = PreviewPump(self)
        async let cached = loadFromCaches(showing: previews)
        do throws(TintypeError) {
            let bytes = try await loadCurrentBytes(previews)
            previews.stop()
            // A complete image is better than a part of the newer one.
            if let failure = bytes.transferFailure, await cached != nil { throw failure }
            return try await loadRendition(from: bytes)
        } catch {
            guard error.allowsCachedImage, var response = await cached else { throw error }
            response.revalidationFailure = error
            return response
        }
    }

    /// Loads the rendition from the caches alone and shows it as a preview. Stores nothing, because it may end after
    /// the load of the newer image.
    private func loadFromCaches(showing previews: PreviewPump) async -> ImageResponse? {
        guard request.policy.freshness == .revalidate else { return nil }
        let request = request.with { request in
            request.policy.freshness = .cacheOnly
            request.policy.caching.rendition = request.policy.caching.rendition.readOnly
            request.policy.caching.original = request.policy.caching.original.readOnly
            request.policy.delivery.completion = .whenReady
        }
        let load = ImageLoad(request: request, services: services, job: job, reporter: JobReporter { _ in })
        let cached = try? await load.run()
        if let cached { previews.showCached(cached) }
        return cached
    }

    private func loadRendition(from bytes: LoadedBytes) async throws(TintypeError) -> ImageResponse {
        var load = self
        load.currentBytes = bytes
        load.request = request.named(bytes.variant)
        var response = try await load.run()
        response.revalidationFailure = bytes.revalidationFailure
        response.bytes = response.bytes ?? bytes.withoutData
        // Failures of the source are remembered under its own name.
        if bytes.variant != nil { services.failureMemory.forget(FailureKey(request)) }
        return response
    }

    /// Returns the entry of the disk cache if it may be used, otherwise the bytes from the loader.
    private func loadCurrentBytes(_ previews: PreviewPump) async throws(TintypeError) -> LoadedBytes {
        guard request.policy.freshness == .http else {
            return try await askOrigin(about: readOriginalEntry(as: nil), as: nil, ifFailed: .always, previews)
        }
        await NextStep.leaveThread()
        let judge = await sharedLoader.judge(for: byteRequest())
        let (entry, verdict, variant) = try await selectEntry(by: judge)
        if let entry, verdict == .fresh || verdict == .usableWhileRevalidating {
            if verdict == .usableWhileRevalidating { revalidateInBackground(entry, as: variant) }
            return LoadedBytes(entry).named(variant)
        }
        guard !judge.allowsOnlyCache else {
            throw TintypeError(
                .notCached, stage: .disk,
                "no cache contains the image, and the request has the directive only-if-cached")
        }
        return try await askOrigin(about: entry, as: variant, ifFailed: StaleUse(verdict), previews)
    }

    // MARK: Variants

    /// The entry that matches the request, if there is one, and the name of its variant if that is not the name of the
    /// original.
    private typealias SelectedEntry = (entry: CacheEntry?, verdict: StoredVerdict?, variant: VariantName?)

    private func selectEntry(by judge: any EntryJudge) async throws(TintypeError) -> SelectedEntry {
        let (key, now) = (request.key.original, services.configuration.time.date())
        guard let first = try await readOriginalEntry(as: nil) else { return (nil, nil, nil) }
        switch judge.judge(first, for: key, at: now) {
        case .selected(let verdict): return (first, verdict, nil)
        case .otherVariant(let number):
            let variant = VariantName(number)
            guard let other = try await readOriginalEntry(as: variant),
                case .selected(let verdict) = judge.judge(other, for: key, at: now)
            else { return (nil, nil, variant) }
            return (other, verdict, variant)
        }
    }

    private func readOriginalEntry(as variant: VariantName?) async throws(TintypeError) -> CacheEntry? {
        try await readEntry(
            request.named(variant).key.original, in: originalCache, request.policy.caching.original.disk)
    }

    // MARK: The origin

    /// Asks the origin about an entry. Returns the same bytes with renewed metadata, or newer ones.
    ///
    /// - Parameters:
    ///   - stored: The entry; `nil` loads the bytes.
    ///   - variant: The name of the variant that the request selects.
    ///   - staleUse: Whether the entry may be used instead after an error.
    private func askOrigin(
        about stored: CacheEntry?, as variant: VariantName?, ifFailed staleUse: StaleUse, _ previews: PreviewPump
    ) async throws(TintypeError) -> LoadedBytes {
        do throws(TintypeError) {
            var bytes = try await loadBytes(stored: stored, previews: previews)
            if let failure = bytes.transferFailure, stored != nil, staleUse != .never { throw failure }
            guard let stored, bytes.isNotModified else { return bytes.varies ? bytes.named(variant) : bytes }
            if mayBeStored(bytes) {
                bytes.expires = expiry
                renew(stored, as: variant, with: bytes.metadata)
            }
            return bytes.named(variant)
        } catch {
            guard let stored, staleUse.allows(error) else { throw error }
            var bytes = LoadedBytes(stored).named(variant)
            bytes.revalidationFailure = error
            return bytes
        }
    }

    private func renew(_ stored: CacheEntry, as variant: VariantName?, with metadata: Data) {
        guard request.policy.caching.original.disk.canWrite else { return }
        var renewed = stored
        renewed.metadata = metadata
        renewed.expires = expiry
        originalCache.store(renewed, for: request.named(variant).key.original)
        services.didStore(for: request)
    }

    /// Loads newer bytes for the next request, after the result of this one.
    private func revalidateInBackground(_ entry: CacheEntry, as variant: VariantName?) {
        // Several renditions of one original cause one revalidation.
        let key = JobKey(bytesOf: request.named(variant))
        guard services.revalidating.withLock({ $0.insert(key).inserted }) else { return }
        let isAccepted = services.revalidations.add(cost: 1) { [services, request] in
            defer { services.revalidating.withLock { _ = $0.remove(key) } }
            let load = ImageLoad(
                request: request, services: services, job: JobContext(priority: .low), reporter: JobReporter { _ in })
            _ = try? await load.storeRevalidated(entry, as: variant)
        }
        if !isAccepted { services.revalidating.withLock { _ = $0.remove(key) } }
    }

    private func storeRevalidated(_ entry: CacheEntry, as variant: VariantName?) async throws(TintypeError) {
        let previews = PreviewPump(self)
        defer { previews.stop() }
        _ = try await loadRendition(
            from: try await askOrigin(about: entry, as: variant, ifFailed: .never, previews))
    }

    /// Removes the entries of URLs, in all variants, after a request that changed their resources (RFC 9111, 4.4). A
    /// load that was cancelled meanwhile removes them, too.
    func removeInvalidated(_ urls: [URL]) async {
        let keys = urls.flatMap { url in
            let request = services.intercepted(ImageRequest(url: url))
            return ([nil] + VariantName.all).map { request.named($0).key.original }
        }
        let end = SharedPromise<Void>()
        WorkQueue.disk.enqueue(at: .normal) { [originalCache] in
            for key in keys { originalCache.remove(key, from: .all) }
            end.fulfill(())
        }
        await end.wait { nil }
    }
}

/// Whether a stale entry may be used after an error.
private enum StaleUse {
    case never
    /// If the origin could not be reached (RFC 9111, 4.2.4).
    case whenUnreachable
    /// If the origin could not be reached, or could not answer (RFC 5861, 4).
    case whenUnavailable
    case always

    /// - Parameter verdict: The verdict on the entry; `nil` if there is none.
    init(_ verdict: StoredVerdict?) {
        self =
            switch verdict {
            case .stale(usableOnError: true): .whenUnavailable
            case .usableWhenUnreachable: .whenUnreachable
            case nil, .stale, .fresh, .usableWhileRevalidating: .never
            }
    }

    func allows(_ error: TintypeError) -> Bool {
        guard error.allowsCachedImage else { return false }
        return switch self {
        case .never: false
        case .whenUnreachable: error.isOriginUnreachable
        case .whenUnavailable: error.isOriginUnavailable
        case .always: true
        }
    }
}

extension LoadedBytes {
    /// Returns the bytes of a variant.
    fileprivate func named(_ variant: VariantName?) -> LoadedBytes {
        guard variant != self.variant else { return self }
        var bytes = self
        bytes.variant = variant
        return bytes
    }
}

extension ImageRequest {
    /// Returns the request for a variant of its original. Everything that is made from the variant has a key of its
    /// own.
    fileprivate func named(_ variant: VariantName?) -> ImageRequest {
        guard let variant else { return self }
        return with { $0.identity = variant.identity(of: $0.key.source) }
    }
}

extension TintypeError {
    /// Whether a load that failed to refresh a cached image may deliver that image. It must not after the refusal of a
    /// guard, because the image may come from a server that the guard forbids.
    fileprivate var allowsCachedImage: Bool { code != .cancelled && code != .forbidden }

    /// Whether the origin was unreachable, or broke the connection before it responded.
    fileprivate var isOriginUnreachable: Bool { [.unreachable, .timedOut, .transport].contains(code) }

    /// Whether the origin was unreachable, broke the connection, or was temporarily unable to respond.
    var isOriginUnavailable: Bool {
        [.unreachable, .timedOut, .transport, .truncatedBody, .failedBefore].contains(code)
            || [500, 502, 503, 504].contains(status)
    }
}
