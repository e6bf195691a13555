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
        let request = services.intercepted(request)
        if let image = services.cachedImage(for: request) { return image }
        return BlockingWait.result(of: begin(request.freshness(.cacheOnly)))?.image
    }

    /// The original bytes on disk; `nil` when they are not there.
    public func cachedData(for request: ImageRequest) async -> Data? {
        await storedData(for: services.intercepted(request))
    }

    /// The original bytes on disk; `nil` when they are not there. **Blocks** while they are read.
    public func blockingCachedData(for request: ImageRequest) -> Data? {
        let request = services.intercepted(request)
        return services.originalCache(for: request).entry(for: request.key.original)?.data
    }

    /// The original bytes on disk, of a request that the interceptors have seen already.
    func storedData(for request: ImageRequest) async -> Data? {
        let cache = services.originalCache(for: request)
        guard cache.tiers.contains(.disk) else { return nil }
        let job = JobContext(priority: request.priority)
        return try? await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            cache.entry(for: request.key.original)?.data
        }
    }

    /// The key of a request's picture, as its caches know it: after the interceptors.
    public func cacheKey(for request: ImageRequest) -> CacheKey {
        services.intercepted(request).key
    }
}
