import Logging

extension ImageLoad {
    /// Keeps the finished rendition: in memory at once, on disk behind the caller.
    func store(_ response: ImageResponse) {
        remember(response.image)
        guard !request.key.isOriginal, request.policy.rendered.disk.canWrite, request.source.isWorthKeepingOnDisk,
            let disk = services.configuration.disk
        else { return }
        let image = response.image
        services.background.add(cost: image.memoryCost) { await self.encodeAndStore(image, in: disk) }
    }

    func remember(_ image: Image) {
        guard request.policy.rendered.memory.canWrite else { return }
        services.configuration.memory?.store(image, for: request.key)
    }

    /// Keeps original bytes that came from outside and have turned out to be a picture.
    func keep(_ bytes: LoadedBytes, of image: Image) {
        guard bytes.origin == .network || bytes.origin == .custom, request.policy.original.canWrite,
            request.source.isWorthKeepingOnDisk
        else { return }
        let entry = CacheEntry(
            data: bytes.data, format: image.info.format, metadata: bytes.metadata,
            created: services.configuration.time.date())
        services.configuration.disk?.store(entry, for: request.key.original)
    }

    private func encodeAndStore(_ image: Image, in disk: any DataCache) async {
        do {
            let entry = try await encoded(image)
            disk.store(entry, for: request.key)
        } catch {
            services.configuration.logger.warning("not stored on disk: \(request.key): \(error)")
        }
    }

    /// JPEG for what is opaque, PNG for what is not, as the original system does.
    private func encoded(_ image: Image) async throws(TintypeError) -> CacheEntry {
        let configuration = services.configuration
        return try await WorkQueue.pixels.run(for: JobContext(priority: .veryLow)) { () throws(TintypeError) in
            let format: ImageFormat = image.pixels.isOpaque ? .jpeg : .png
            let data = try configuration.coders.encoder(for: format)
                .encode(image.pixels, as: format, configuration.encodeOptions)
            return CacheEntry(
                data: data, format: format, metadata: StoredInfo(image.info).encoded,
                created: configuration.time.date())
        }
    }
}
