extension ImagePipeline {
    /// Delivers an image in memory as the first preview of a task: that of ``ImageRequest/placeholderKey``, or the
    /// newest preview of an earlier load.
    func showPlaceholder(in task: ImageTask) {
        let request = task.request
        guard services.guards.refusal(of: request) == nil, let image = placeholder(of: request) else { return }
        task.show(ImageResponse(image: image, origin: .memory).atScale(request.rendition.decode.scale))
    }

    /// Looks up each key once: another load of the image may remove its preview at any moment.
    private func placeholder(of request: ImageRequest) -> Image? {
        let cache = services.cache(for: request)
        if request.policy.keepsPreviews, let image = cache.image(for: request.key.preview) { return image }
        return request.placeholderKey.flatMap { cache.image(for: $0) }
    }
}

/// Keeps the newest preview of one load in memory until the image is complete.
final class PreviewKeeper: Sendable {
    private let key: CacheKey
    private let cache: any ImageCaching
    private let timeToLive: Duration?
    /// Whether the image is complete.
    private let isComplete = Locked(false)

    init(_ request: ImageRequest, _ services: PipelineServices) {
        key = request.key.preview
        cache = services.cache(for: request)
        timeToLive = [request.policy.caching.timeToLive, request.policy.caching.memoryTimeToLive].compactMap(\.self)
            .min()
    }

    /// Stores a preview. Stores nothing if it is the one that was stored last, or if the image is complete.
    func store(_ preview: ImageResponse?) {
        guard let preview, !isComplete.withLock({ $0 }), cache.image(for: key) !== preview.image else { return }
        cache.store(preview.image, for: key, timeToLive: timeToLive)
        // The load may have ended on another thread after the check above, and removed the preview before it was
        // stored.
        if isComplete.withLock({ $0 }) { cache.remove(key, from: .memory) }
    }

    /// Removes the preview of an image that is complete.
    func end(_ result: Result<ImageResponse, TintypeError>) {
        guard case .success = result else { return }
        isComplete.withLock { $0 = true }
        cache.remove(key, from: .memory)
    }
}

extension LoadPolicy {
    /// Whether previews of the load may be in memory.
    var keepsPreviews: Bool {
        delivery.previewStorage == .memory && caching.rendition.memory.canWrite && freshness != .http
    }
}

extension CacheKey {
    /// The key of the newest preview of an image.
    var preview: CacheKey { CacheKey(source: source, rendition: "\(rendition)|preview") }
}
