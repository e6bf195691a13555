/// Everything that happens between a miss in memory and a picture, in the order in which it happens.
///
/// Each stage is a file of its own: `ImageLoad+Stored`, `+Refresh`, `+Variant`, `+Original`, `+Decode`, `+Transform`,
/// `+Store`; previews are ``PreviewPump``'s.
struct ImageLoad: Sendable {
    private(set) var request: ImageRequest
    let services: PipelineServices
    /// The original bytes, where a load before this one got them and knows that they are the current ones.
    var given: LoadedBytes?

    /// The job of one rendition.
    func run(_ job: JobContext, _ report: JobReporter<LoadStatus>) async throws(TintypeError) -> ImageResponse {
        guard request.alternatives.isEmpty else { return try await firstThatLoads(job, report) }
        guard let scale = request.rendition.decode.scale else { return try await found(job, report) }
        return try await found(job, JobReporter { report($0.atScale(scale)) }).atScale(scale)
    }

    private func found(_ job: JobContext, _ report: JobReporter<LoadStatus>) async throws(TintypeError) -> ImageResponse
    {
        do throws(TintypeError) {
            if request.policy.freshness.asksOrigin && given == nil { return try await refreshed(job, report) }
            if let kept = try await kept(job) { return try await prepared(kept, job) }
            return try await prepared(made(job, report), job)
        } catch {
            throw error.about(request.source.displayName)
        }
    }

    /// What caches have.
    private func kept(_ job: JobContext) async throws(TintypeError) -> ImageResponse? {
        if let stored = try await storedRendition(job) { return try await withData(stored, job) }
        if let variant = try await largerVariant(job) { return try await withData(variant, job) }
        return nil
    }

    private func made(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let made = try await makeRendition(job, report)
        guard made.transferFailure == nil else { return made }
        if request.policy.rendered.keepsAnything || request.policy.completion == .whenStored {
            try await store(made, job)
        }
        return try await withData(made, job)
    }

    private func makeRendition(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        guard !request.rendition.transforms.isEmpty else { return try await decodedOriginal(job, report) }
        return try await transformed(job, report)
    }

    private func prepared(_ response: ImageResponse, _ job: JobContext) async throws(TintypeError) -> ImageResponse {
        guard request.policy.preparation == .always else { return response }
        let pixels = response.image.pixels
        return try await services.watch.watch(.deliver, request.key) { _ throws(TintypeError) in
            _ = try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in pixels.touchPages() }
            return response
        }
    }

    /// The same load for another rendition or another way to get it.
    func replacing(_ change: (inout ImageRequest) -> Void) -> ImageLoad {
        var load = ImageLoad(request: request, services: services, given: given)
        change(&load.request)
        return load
    }
}

// MARK: - What is shared with other loads

extension ImageLoad {
    /// Loads of the same picture under the same policy share everything.
    var renditionKey: JobKey {
        JobKey(
            request.key, request.policy, of: request, alternatives: request.substitutes.map(\.key.source),
            scale: request.rendition.decode.scale, received: given?.received)
    }

    /// Loads of the same source, got in the same way, share its bytes.
    var bytesKey: JobKey { JobKey(request.key.original, request.policy.forBytes, of: request) }

    /// Loads that decode the same bytes in the same way share that, whatever they make of the result.
    var decodedKey: JobKey {
        var policy = request.policy.forBytes
        policy.previews = request.policy.previews
        return JobKey(decodedOriginalKey, policy, of: request, received: given?.received)
    }

    /// The key of the original decoded as the request wants it, before any transform.
    var decodedOriginalKey: CacheKey {
        request.rendition.transforms.isEmpty
            ? request.key
            : CacheKey(
                source: request.key.source, rendition: Rendition(decode: request.rendition.decode).identifier)
    }

    /// The pipeline's caches and loader, or those that the request brings.
    var cache: any ImageCaching { services.cache(for: request) }
    var originalCache: any ImageCaching { services.originalCache(for: request) }
    var loader: any ImageLoader { services.loader(for: request) }
}
