extension ImageLoad {
    /// The rendition without its last transforms, which other loads may share, with these applied in one pass.
    func transformed(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let (rendition, count) = (request.rendition, transformsAtOnce)
        let isAtHand = isWholeAtHand(without: count)
        if !isAtHand, let decoded = rendition.decodingCropsAlone {
            return try await awaited(decoded, job, report)
        }
        var response = try await awaited(rendition.beginning(without: count, takesSize: !isAtHand), job, report)
        let (image, last) = (response.image, rendition.ending(count))
        guard rendition.transforms(image.info) else { return response }
        response.image = try await services.watch.watch(.transform, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                try job.transforming { () throws(TintypeError) in try image.transformed(by: last) }
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

    /// How many of the last transforms are applied at once: as many as can be, but none that memory has the result of.
    private var transformsAtOnce: Int {
        let most = request.rendition.transformsInOnePass
        return (1..<most).first { remembered(without: $0) != nil } ?? most
    }

    /// Whether memory has what the last transforms are applied to, made of the whole original: then nothing is decoded.
    /// A vector picture is always drawn anew, so that how large it becomes does not depend on what memory has.
    private func isWholeAtHand(without count: Int) -> Bool {
        guard let image = keptOriginal ?? remembered(without: count) else { return false }
        return !image.info.format.isVector
    }

    /// What memory has for the rendition without its last transforms.
    private func remembered(without count: Int) -> Image? {
        let beginning = request.rendition.beginning(without: count, takesSize: false)
        return replacing { $0.rendition = beginning }.rememberedRendition
    }
}

extension JobContext {
    /// Does work on pixels that stops when no one waits for this job any more.
    func transforming<Value>(_ work: () throws(TintypeError) -> Value) throws(TintypeError) -> Value {
        try TransformContext(isCancelled: { self.isCancelled }).run(work)
    }
}
