import Logging

extension ImageLoad {
    /// Keeps the finished rendition: in memory at once, on disk behind the caller unless it wants to wait for that.
    func store(_ response: ImageResponse, _ job: JobContext) async throws(TintypeError) {
        try await services.watch.watch(.store, request.key) { _ throws(TintypeError) in
            await keep(response, job)
            try job.checkCancelled()
        }
    }

    private func keep(_ response: ImageResponse, _ job: JobContext) async {
        remember(response.image)
        let waits = request.policy.completion == .whenStored
        if isStored(response.image) { await keepOnDisk(response.image, job, waits: waits) }
        if waits { await flush() }
    }

    private func keepOnDisk(_ image: Image, _ job: JobContext, waits: Bool) async {
        if waits { return await encodeAndStore(image, for: job) }
        let isTaken = services.background.add(cost: image.memoryCost) {
            await self.encodeAndStore(image, for: JobContext(priority: .veryLow))
        }
        guard !isTaken else { return }
        services.configuration.logger.warning("not stored on disk: \(request.key): too much waits to be encoded")
    }

    /// Whether the disk cache takes a rendition. Not that of an animation, of which it would keep a still frame: it is
    /// made again of the original.
    private func isStored(_ image: Image) -> Bool {
        !image.isAnimated && !isOriginal(image) && request.policy.rendered.disk.canWrite
            && request.source.isWorthKeepingOnDisk && mayBeStored(given) && cache.tiers.contains(.disk)
    }

    /// Whether a rendition has the pixels of the original, whatever was asked for: another copy would be larger, and
    /// lose by its encoding, beside the one that is there.
    private func isOriginal(_ image: Image) -> Bool {
        let isWhole =
            request.rendition.transforms.isEmpty && request.rendition.decode.crop == nil
            && image.size == image.info.size
        return request.key.isOriginal || isWhole && request.policy.original.disk.canWrite
    }

    /// Whether the origin lets bytes be kept, where the request lets it decide.
    private func mayBeStored(_ bytes: LoadedBytes?) -> Bool {
        request.policy.freshness != .http || bytes?.isStorable != false
    }

    func remember(_ image: Image) {
        guard request.policy.rendered.memory.canWrite else { return }
        store(image, in: cache, for: request.key)
        noteVariant(image)
    }

    private func store(_ image: Image, in cache: any ImageCaching, for key: CacheKey) {
        let evicted = cache.store(image, for: key)
        if evicted > 0 { services.watch.tell(.evicted(evicted)) }
    }

    /// Keeps an original that came from outside and has turned out to be a picture.
    func keep(_ bytes: LoadedBytes, of image: Image) {
        if request.policy.original.memory.canWrite { store(image, in: originalCache, for: decodedOriginalKey) }
        guard bytes.origin == .network || bytes.origin == .custom, request.policy.original.disk.canWrite,
            request.source.isWorthKeepingOnDisk, mayBeStored(bytes)
        else { return }
        let entry = CacheEntry(
            data: bytes.data, format: image.info.format, metadata: bytes.metadata,
            created: bytes.received ?? services.configuration.time.date())
        originalCache.store(entry, for: request.key.original)
    }

    private func encodeAndStore(_ image: Image, for job: JobContext) async {
        do throws(TintypeError) {
            let entry = try await encoded(image, job)
            cache.store(entry, for: request.key)
        } catch {
            guard error.code != .cancelled else { return }
            services.configuration.logger.warning("not stored on disk: \(request.key): \(error)")
        }
    }

    private func encoded(_ image: Image, _ job: JobContext) async throws(TintypeError) -> CacheEntry {
        let configuration = services.configuration
        let (format, options) = form(of: image)
        return try await services.watch.watch(.encode, request.key, byteCount: { $0.data.count }) {
            _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                let data = try configuration.coders.encoder(for: format).encode(image.pixels, as: format, options)
                return CacheEntry(
                    data: data, format: format, metadata: StoredInfo(image).encoded,
                    created: configuration.time.date())
            }
        }
    }

    /// How a rendition is encoded: JPEG for what is opaque, PNG for what is not, as the original system does, unless
    /// the request says otherwise.
    private func form(of image: Image) -> (ImageFormat, EncodeOptions) {
        switch request.policy.stored {
        case .automatic: (image.pixels.isOpaque ? .jpeg : .png, services.configuration.encodeOptions)
        case .encoded(let format, let options): (format, options)
        }
    }

    private func flush() async {
        do {
            try await originalCache.flush()
            try await cache.flush()
        } catch {
            services.configuration.logger.warning("not stored on disk: \(request.key): \(error)")
        }
    }
}
