extension ImagePipeline {
    /// Delivers an image in memory as the first preview of a task: that of ``ImageRequest/placeholderKey``, or the newest
    /// preview of an earlier load.
    ///
    /// - Returns: The number of images that were delivered.
    func showPlaceholder(in task: ImageTask) -> Int {
        let request = task.request
        guard services.guards.allow(request) else { return 0 }
        let cache = services.cache(for: request)
        let keys = [request.policy.previewStorage == .memory ? request.key.preview : nil, request.placeholderKey]
        guard let image = keys.lazy.compactMap({ $0.flatMap { cache.image(for: $0) } }).first else { return 0 }
        let preview = ImageResponse(image: image, origin: .memory).atScale(request.rendition.decode.scale)
        task.update(LoadStatus(preview: preview, previewCount: 1))
        return 1
    }
}

/// Keeps the newest preview of one load in memory until the image is complete.
struct PreviewKeeper: Sendable {
    private let key: CacheKey
    private let cache: any ImageCaching

    init(_ request: ImageRequest, _ services: PipelineServices) {
        key = request.key.preview
        cache = services.cache(for: request)
    }

    /// Stores a preview. Stores nothing if it is the one that was stored last.
    func keep(_ preview: ImageResponse?) {
        guard let preview, cache.image(for: key) !== preview.image else { return }
        cache.store(preview.image, for: key)
    }

    /// Removes the preview of an image that is complete.
    func end(_ result: Result<ImageResponse, TintypeError>) {
        if case .success = result { cache.remove(key, from: .memory) }
    }
}

extension CacheKey {
    /// The key of the newest preview of an image.
    fileprivate var preview: CacheKey { CacheKey(source: source, rendition: "\(rendition)|preview") }
}
