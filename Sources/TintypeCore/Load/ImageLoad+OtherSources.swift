// Requests with additional sources: alternatives, a source with fewer pixels, and a source with fewer bytes.

extension ImageLoad {
    /// Loads the image of a request with other sources. The load of each source is a job of its own, which others may
    /// share.
    func loadFromSources(_ others: OtherRequests) async throws(TintypeError) -> ImageResponse {
        let lowData = services.configuration.savesData() ? others.lowData : nil
        if lowData != nil || others.lowResolution != nil, let cached = try await loadIfCached(others) { return cached }
        if let lowData { return try await loadFirstAvailable(others, insteadOfImage: lowData) }
        if let low = others.lowResolution { return try await loadBoth(others, lowResolution: low) }
        return try await loadFirstAvailable(others)
    }

    /// Loads the image, or else the first of its alternatives that can be loaded.
    ///
    /// - Parameter lowData: The source with fewer bytes that is loaded instead of the image.
    /// - Throws: The error of the first source, because that is the one that was requested.
    private func loadFirstAvailable(
        _ others: OtherRequests, insteadOfImage lowData: ImageRequest? = nil
    ) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            if let lowData { return try await joinOther(lowData) }
            return try await joinAtScale(request.withoutOtherSources)
        } catch {
            guard error.code != .cancelled else { throw error }
            for substitute in others.substitutes {
                if let response = try await joinIfLoadable(substitute) { return response }
            }
            throw error
        }
    }

    private func joinIfLoadable(_ substitute: ImageRequest) async throws(TintypeError) -> ImageResponse? {
        do throws(TintypeError) {
            return try await joinOther(substitute)
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }

    /// Joins the load of another source. The ``AsyncRequestInterceptor``s are applied to it as to any request.
    private func joinOther(_ other: ImageRequest) async throws(TintypeError) -> ImageResponse {
        var response = try await joinAtScale(other, from: services.startOfOtherSources)
        response.isReplacement = true
        return response
    }

    /// Joins the load of one of the sources. Each has a scale of its own, which an interceptor may have set.
    private func joinAtScale(
        _ source: ImageRequest, from start: JobStart = .caches
    ) async throws(TintypeError) -> ImageResponse {
        guard let scale = source.rendition.decode.scale else {
            return try await services.join(source, from: start, for: self)
        }
        var load = self
        load.reporter = JobReporter { [reporter] in reporter.report($0.atScale(scale)) }
        return try await services.join(source, from: start, for: load).atScale(scale)
    }
}

// MARK: - Cached images

extension ImageLoad {
    /// Loads the image if a cache has it, as if the request had neither a low-resolution source nor one with fewer
    /// bytes.
    private func loadIfCached(_ others: OtherRequests) async throws(TintypeError) -> ImageResponse? {
        switch request.policy.freshness {
        case .reload: return nil
        case .revalidate, .http: return try await isCached() ? loadFirstAvailable(others) : nil
        case .cached, .cacheOnly:
            do throws(TintypeError) {
                return try await joinAtScale(request.withoutOtherSources.freshness(.cacheOnly))
            } catch {
                if error.code == .cancelled { throw error }
                return nil
            }
        }
    }

    /// Returns whether a cache that the policy reads has the image, or the original to make it from.
    private func isCached() async throws(TintypeError) -> Bool {
        let (key, policy, cache, originalCache) = (request.key, request.policy, cache, originalCache)
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            !cache.tiers(holding: key, among: policy.caching.rendition.readableTiers).isEmpty
                || !originalCache.tiers(holding: key.original, among: policy.caching.original.readableTiers).isEmpty
        }
    }
}

// MARK: - Low resolution

extension ImageLoad {
    /// Loads the image, and its low-resolution source at the same time. The low-resolution image is delivered as a
    /// preview if it arrives first. Its load ends with this one.
    ///
    /// - Throws: The error of the image. An error of the low-resolution source is ignored.
    private func loadBoth(
        _ others: OtherRequests, lowResolution low: ImageRequest
    ) async throws(TintypeError) -> ImageResponse {
        let previews = Locked(LayeredStatus())
        let receiver = Jobs.Receiver(
            onStatus: { _ in },
            onEnd: { [reporter] result in
                guard let response = try? result.get().atScale(low.rendition.decode.scale) else { return }
                if let status = previews.withLock({ $0.showLowResolution(response) }) { reporter.report(status) }
            })
        let subscription = services.attach(low, from: lowResolutionStart, at: job.priority, receiver: receiver)
        let follower = job.addFollower(subscription)
        defer {
            job.removeFollower(follower)
            subscription.cancel()
        }
        var load = self
        load.reporter = JobReporter { [reporter] status in reporter.report(previews.withLock { $0.update(status) }) }
        return try await load.loadFirstAvailable(others)
    }

    /// Where the load of the low-resolution image begins. The interceptors have already decided about the source of a
    /// thumbnail.
    private var lowResolutionStart: JobStart {
        if case .thumbnail = request.lowResolution { .caches } else { services.startOfOtherSources }
    }
}

/// The status of a load that shows a low-resolution image first: the previews of both in one sequence.
struct LayeredStatus: Sendable {
    private var lowResolution: ImageResponse?
    private var newest = LoadStatus()

    /// - Returns: The status to report; `nil` if the image itself has shown a preview, which replaces the
    ///   low-resolution one.
    mutating func showLowResolution(_ response: ImageResponse) -> LoadStatus? {
        guard newest.preview == nil else { return nil }
        lowResolution = response
        return combined
    }

    /// - Parameter status: The newest status of the image itself.
    mutating func update(_ status: LoadStatus) -> LoadStatus {
        newest = status
        return combined
    }

    private var combined: LoadStatus {
        guard let lowResolution else { return newest }
        var status = newest
        status.preview = newest.preview ?? lowResolution
        status.previewCount += 1
        return status
    }
}
