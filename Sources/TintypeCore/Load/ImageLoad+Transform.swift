extension ImageLoad {
    /// The rendition without its last transform, which other loads may share, with that transform applied.
    func transformed(
        by last: any ImageTransformer, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        var response = try await beginning(job, report)
        let image = response.image
        guard request.rendition.transforms(image.info) else { return response }
        let pixels = try await services.watch.watch(.transform, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                try last.transform(image.pixels)
            }
        }
        response.image = image.replacing(pixels: pixels)
        return response
    }

    private func beginning(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let load = replacing { request in
            request.rendition = request.rendition.droppingLastTransform()
            // Memory may have it, but no one asked for it: it is not kept on the way.
            let memory: CacheAccess = request.policy.rendered.memory.canRead ? .readOnly : .off
            request.policy.rendered = CacheRules(memory: memory, disk: .off)
            request.policy.variants = .exact
            request.policy.completion = .whenReady
            request.policy.data = .whenLoaded
        }
        return try await services.renditions.value(load.renditionKey, for: job, onStatus: report.report) {
            (job, report) throws(TintypeError) in
            try await load.run(job, report)
        }
    }
}
