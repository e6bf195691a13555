public import Foundation

// MARK: - What the caches have, without a load

extension ImagePipeline {
    /// The picture in memory; `nil` when it is not there. Looks nowhere else, allocates nothing, waits for nothing: made
    /// to be called for every row of a list while it scrolls.
    public func cachedImage(for request: ImageRequest) -> Image? {
        guard services.configuration.interceptors.isEmpty else {
            return services.cachedImage(for: services.intercepted(request))
        }
        return services.cachedImage(for: request)
    }

    /// The picture in memory or on disk; `nil` when neither has it, or what the disk has cannot be read.
    ///
    /// **Blocks** the calling thread while the disk is read and the picture is decoded and transformed: for the one
    /// picture that has to be there when a window opens. Must not be called from an `async` function.
    public func blockingCachedImage(for request: ImageRequest) -> Image? {
        if let image = cachedImage(for: request) { return image }
        var request = request
        request.policy.freshness = .cacheOnly
        let task = start(request)
        return BlockingWait.result(of: task)?.image
    }

    /// The original bytes on disk; `nil` when they are not there.
    public func cachedData(for request: ImageRequest) async -> Data? {
        let (cache, key) = original(of: request)
        guard cache.tiers.contains(.disk) else { return nil }
        let job = JobContext(priority: request.priority)
        return try? await WorkQueue.disk.run(for: job) { () throws(TintypeError) in cache.entry(for: key)?.data }
    }

    /// The original bytes on disk; `nil` when they are not there. **Blocks** while they are read.
    public func blockingCachedData(for request: ImageRequest) -> Data? {
        let (cache, key) = original(of: request)
        return cache.tiers.contains(.disk) ? cache.entry(for: key)?.data : nil
    }

    /// The key of a request's picture, as its caches know it: after the interceptors.
    public func cacheKey(for request: ImageRequest) -> CacheKey {
        services.intercepted(request).key
    }

    private func original(of request: ImageRequest) -> (any ImageCaching, CacheKey) {
        let request = services.intercepted(request)
        return (services.originalCache(for: request), request.key.original)
    }
}
