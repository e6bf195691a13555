/// Everything that happens between a miss in memory and a picture, in the order in which it happens.
///
/// Each stage is a file of its own: `ImageLoad+Stored`, `+Original`, `+Decode`, `+Transform`, `+Store`;
/// previews are ``PreviewPump``'s.
struct ImageLoad: Sendable {
    let request: ImageRequest
    let services: PipelineServices

    /// The job of one rendition.
    func run(_ job: JobContext, _ report: JobReporter<LoadStatus>) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            if let stored = try await storedRendition(job) { return try await withData(stored, job) }
            let made = try await makeRendition(job, report)
            store(made)
            return try await withData(made, job)
        } catch {
            throw error.about(request.source.identity)
        }
    }

    private func makeRendition(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        guard let last = request.rendition.transforms.last else { return try await decodedOriginal(job, report) }
        return try await transformed(by: last, job, report)
    }

    /// The same load for another rendition of the same source.
    func replacing(_ change: (inout ImageRequest) -> Void) -> ImageLoad {
        var request = request
        change(&request)
        return ImageLoad(request: request, services: services)
    }
}

// MARK: - What is shared with other loads

extension ImageLoad {
    /// Loads of the same picture under the same policy share everything.
    var renditionKey: JobKey { JobKey(key: request.key, policy: request.policy) }

    /// Loads of the same source, got in the same way, share its bytes.
    var bytesKey: JobKey { JobKey(key: request.key.original, policy: request.policy.forBytes) }

    /// Loads that decode the same bytes in the same way share that, whatever they make of the result.
    var decodedKey: JobKey {
        var policy = request.policy.forBytes
        policy.previews = request.policy.previews
        let decoding = Rendition(decode: request.rendition.decode).identifier
        return JobKey(key: CacheKey(source: request.key.source, rendition: decoding), policy: policy)
    }
}
