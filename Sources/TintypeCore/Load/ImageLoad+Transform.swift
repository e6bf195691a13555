// MARK: - Transforms

extension ImageLoad {
    /// Makes the rendition from one without the last transforms, which other loads may share.
    ///
    /// Trailing pixelwise transforms are applied in one pass: see ``Rendition/transformsInOnePass``.
    func transform() async throws(TintypeError) -> ImageResponse {
        let (rendition, count) = (request.rendition, transformsToApply)
        let isOriginalDecoded = hasDecodedOriginal(without: count)
        if !isOriginalDecoded, let decoded = rendition.decodingCropsAlone { return try await joinIntermediate(decoded) }
        let last = rendition.ending(count)
        var response = try await transformingPreviews(by: last)
            .joinIntermediate(rendition.beginning(without: count, takesSize: !isOriginalDecoded))
        let image = response.image
        guard rendition.appliesTransforms(to: image.info) else { return response }
        response.image = try await watch.watch(.transform, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                try job.transforming { () throws(TintypeError) in try image.transformed(by: last) }
            }
        }
        return response
    }

    /// Returns this load with a reporter that applies a transformer to previews, if the transformer wants that.
    private func transformingPreviews(by transformer: any ImageTransformer) -> ImageLoad {
        guard request.policy.delivery.previews != .none, transformer.transformsPreviews else { return self }
        var load = self
        load.reporter = JobReporter(report: PreviewTransforms(self, transformer).receive)
        return load
    }

    /// Waits for another rendition of the same source. It may come from memory, but is stored nowhere, because no
    /// caller has requested it.
    private func joinIntermediate(_ rendition: Rendition) async throws(TintypeError) -> ImageResponse {
        try await services.join(
            request.with { request in
                request.rendition = rendition
                request.rendition.decode.scale = nil
                request.policy.caching.rendition = CacheRules(
                    memory: request.policy.caching.rendition.memory.reading, disk: .off)
                request.policy.caching.match = .exact
                request.policy.delivery.completion = .whenReady
                // This rendition is not displayed, so it needs no preparation.
                request.policy.preparation = .automatic
                request.policy.delivery.data = .whenLoaded
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

// MARK: - Larger decoded sizes

extension ImageLoad {
    /// Makes the rendition from a larger one in memory.
    ///
    /// The result is not stored: its pixels may differ a little from those that the key names.
    func resizeLargerImage() async throws(TintypeError) -> Image? {
        guard request.policy.reads(request.policy.caching.rendition.memory), request.rendition.transforms.isEmpty,
            currentBytes == nil
        else { return nil }
        guard let (larger, target) = findLargerImage(of: request.rendition.decode) else { return nil }
        return try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            try job.transforming { () throws(TintypeError) in
                try larger.transformed(by: ResizeTransformer(to: target, mode: .stretch))
            }
        }
    }

    /// The smallest image in memory that is large enough, and the size to scale it to.
    private func findLargerImage(of wanted: DecodeOptions) -> (Image, PixelSize)? {
        let candidates = services.decodedSizes.withLock { $0.sizes(of: request.key.source) }
        for candidate in candidates where candidate.canBecome(wanted) {
            if let image = cache.image(for: candidate.key) { return (image, candidate.target(of: wanted)) }
        }
        return nil
    }
}

/// One decoded size of a source, from which smaller ones can be made.
struct DecodedSize: Hashable, Sendable {
    let key: CacheKey
    let decode: DecodeOptions
    /// The decoded size in pixels.
    let size: PixelSize
    /// The size of the whole image in pixels.
    let full: PixelSize
}

extension DecodedSize {
    /// The decoded size that an image is, or `nil` if smaller images cannot be made from it.
    init?(_ image: Image, of request: ImageRequest) {
        // The key of a data URL contains the bytes: it would fill the table, and decoding it again needs no transfer.
        guard !image.isPartial, request.rendition.transforms.isEmpty, request.source.expectedOrigin != .data else {
            return nil
        }
        self.init(key: request.key, decode: request.rendition.decode, size: image.size, full: image.info.size)
    }

    /// Whether scaling down the 8-bit pixels gives the image that `wanted` describes, without any other change.
    func canBecome(_ wanted: DecodeOptions) -> Bool {
        var same = decode
        (same.size, same.scale) = (wanted.size, wanted.scale)
        let target = target(of: wanted)
        let isPlain = wanted.range == .standard && decode.crop == nil && !isDistorted
        return same == wanted && isPlain && target != full && target.width <= size.width
            && target.height <= size.height
    }

    /// The size in pixels that `wanted` specifies.
    func target(of wanted: DecodeOptions) -> PixelSize { wanted.size.target(for: full) }

    private var isDistorted: Bool {
        if case .shrink = decode.size { size != full } else { false }
    }
}
