import Dispatch
public import Foundation

// MARK: - Cached images, without a load

extension ImagePipeline {
    /// Returns the image in memory, or `nil` if it is not there. Does not read the disk, allocates nothing and never
    /// waits, so a scrolling list can call it for every row. For a local file, it reads the time of modification: see
    /// ``PipelineConfiguration/fileIdentity``.
    public func cachedImage(for request: ImageRequest) -> Image? {
        guard services.configuration.interceptors.isEmpty, !request.facts.isForFile else {
            return services.cachedImage(for: services.intercepted(request))
        }
        return services.cachedImage(for: request)
    }

    /// Returns the image in memory or on disk, or `nil` if neither has it or the entry cannot be read. If only the
    /// image of one of the ``ImageRequest/alternatives`` is cached, returns that image.
    ///
    /// **Blocks** the calling thread while the disk is read and the image is decoded and transformed. Use it for an
    /// image that must be present when a window opens. Must not be called from an `async` function. Loads nothing, and
    /// does not ask ``AsyncRequestInterceptor``s.
    public func blockingCachedImage(for request: ImageRequest) -> Image? {
        let request = services.intercepted(request)
        let requests = [request.withoutOtherSources] + (request.others?.substitutes ?? [])
        // Not `lazy.compactMap(_:).first`, which would look up the request that has an image twice.
        for request in requests {
            if let image = blockingCachedImage(forIntercepted: request) { return image }
        }
        return nil
    }

    private func blockingCachedImage(forIntercepted request: ImageRequest) -> Image? {
        if let image = services.cachedImage(for: request) { return image }
        return blockingResponse(of: launch(request.freshness(.cacheOnly), from: .caches))?.image
    }

    /// Returns the original bytes on disk, or `nil` if they are not there.
    public func cachedData(for request: ImageRequest) async -> Data? {
        await cachedData(forIntercepted: services.intercepted(request))
    }

    /// Returns the original bytes on disk, or `nil` if they are not there. **Blocks** while they are read, so do not
    /// call it from an `async` function.
    public func blockingCachedData(for request: ImageRequest) -> Data? {
        let request = services.intercepted(request)
        guard services.guards.refusal(of: request) == nil else { return nil }
        return services.originalCache(for: request).entry(for: request.key.original)?.data
    }

    /// Returns the original bytes on disk, for a request that the interceptors have already rewritten.
    func cachedData(forIntercepted request: ImageRequest) async -> Data? {
        let cache = services.originalCache(for: request)
        guard cache.tiers.contains(.disk), services.guards.refusal(of: request) == nil else { return nil }
        let job = JobContext(priority: request.priority)
        return try? await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            cache.entry(for: request.key.original)?.data
        }
    }

    /// Returns the key of a request in the caches, after the interceptors.
    public func cacheKey(for request: ImageRequest) -> CacheKey {
        services.intercepted(request).key
    }

    /// Waits for a load, and **blocks** the calling thread meanwhile. Returns `nil` if it fails.
    private func blockingResponse(of task: ImageTask) -> ImageResponse? {
        let response = Locked<ImageResponse?>(nil)
        let signal = DispatchSemaphore(value: 0)
        // A detached task runs on the cooperative pool, to which the calling thread does not belong.
        Task.detached(priority: .high) {
            let result = try? await task.response
            response.withLock { $0 = result }
            signal.signal()
        }
        signal.wait()
        return response.withLock { $0 }
    }
}
