extension ImageLoad {
    /// Makes the rendition from one without the last transforms, which other loads may share.
    ///
    /// The last transforms that look at one pixel at a time are applied in one pass.
    func transform() async throws(TintypeError) -> ImageResponse {
        let (rendition, count) = (request.rendition, transformsToApply)
        let isOriginDecoded = hasDecodedOriginal(without: count)
        if !isOriginDecoded, let decoded = rendition.decodingCropsAlone { return try await joinIntermediate(decoded) }
        let last = rendition.ending(count)
        var response = try await transformingPreviews(by: last)
            .joinIntermediate(rendition.beginning(without: count, takesSize: !isOriginDecoded))
        let image = response.image
        guard rendition.transforms(image.info) else { return response }
        response.image = try await watch.watch(.transform, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                try job.transforming { () throws(TintypeError) in try image.transformed(by: last) }
            }
        }
        return response
    }

    /// Returns this load with a reporter that applies a transformer to previews, if the transformer wants that.
    private func transformingPreviews(by transformer: any ImageTransformer) -> ImageLoad {
        guard request.policy.previews != .none, transformer.transformsPreviews else { return self }
        var load = self
        load.reporter = JobReporter(report: PreviewTransforms(self, transformer).receive)
        return load
    }

    /// Waits for another rendition of the same source. It may come from memory, but is stored nowhere, because no caller has
    /// requested it.
    private func joinIntermediate(_ rendition: Rendition) async throws(TintypeError) -> ImageResponse {
        try await services.join(
            request.with { request in
                request.rendition = rendition
                request.rendition.decode.scale = nil
                request.policy.rendered = CacheRules(memory: request.policy.rendered.memory.reading, disk: .off)
                request.policy.variants = .exact
                request.policy.completion = .whenReady
                // This rendition is not displayed, so it needs no preparation.
                request.policy.preparation = .automatic
                request.policy.data = .whenLoaded
            }, for: self)
    }

    /// The number of last transforms to apply in one pass: as many as possible, but none whose result is in memory.
    private var transformsToApply: Int {
        let most = request.rendition.transformsInOnePass
        return (1..<most).first { intermediateInMemory(without: $0) != nil } ?? most
    }

    /// Whether memory has the input of the last transforms, made from the whole original, so that nothing needs
    /// decoding. A vector image is always drawn again, because its size must not depend on the contents of memory.
    private func hasDecodedOriginal(without count: Int) -> Bool {
        guard let image = originalInMemory ?? intermediateInMemory(without: count) else { return false }
        return !image.info.format.isVector
    }

    /// The rendition without its last transforms, if memory has it.
    private func intermediateInMemory(without count: Int) -> Image? {
        let beginning = request.rendition.beginning(without: count, takesSize: false)
        return replacing { $0.rendition = beginning }.renditionInMemory
    }
}

extension JobContext {
    /// Runs work on pixels that stops when no caller waits for this job any more.
    func transforming<Value>(_ work: () throws(TintypeError) -> Value) throws(TintypeError) -> Value {
        try TransformContext(isCancelled: { self.isCancelled }).run(work)
    }
}
