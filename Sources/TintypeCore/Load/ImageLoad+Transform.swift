extension ImageLoad {
    /// The rendition without its last transform, which other loads may share, with that transform applied.
    func transformed(
        by last: any ImageTransformer, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let isAtHand = isWholeAtHand
        if !isAtHand, request.rendition.transforms.count == 1, let decoded = request.rendition.takingCrop() {
            return try await awaited(decoded, job, report)
        }
        var response = try await awaited(request.rendition.beginning(takesSize: !isAtHand), job, report)
        let image = response.image
        guard request.rendition.transforms(image.info) else { return response }
        response.image = try await services.watch.watch(.transform, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                try image.transformed(by: last)
            }
        }
        return response
    }

    /// Another rendition of the same source, on the way to this one.
    private func awaited(
        _ rendition: Rendition, _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let load = replacing { request in
            request.rendition = rendition
            request.rendition.decode.scale = nil
            // Memory may have it, but no one asked for it: it is not kept on the way.
            request.policy.rendered = CacheRules(memory: request.policy.rendered.memory.reading, disk: .off)
            request.policy.variants = .exact
            request.policy.completion = .whenReady
            request.policy.data = .whenLoaded
        }
        return try await services.renditions.value(load.renditionKey, for: job, onStatus: report.report) {
            (job, report) throws(TintypeError) in
            try await load.run(job, report)
        }
    }

    /// Whether memory has what the last transform is applied to, made of the whole original: then nothing is decoded.
    /// A vector picture is always drawn anew, so that how large it becomes does not depend on what memory has.
    private var isWholeAtHand: Bool {
        let whole = request.rendition.beginning(takesSize: false)
        guard let image = keptOriginal ?? replacing({ $0.rendition = whole }).rememberedRendition else { return false }
        return !image.info.format.isVector
    }
}
