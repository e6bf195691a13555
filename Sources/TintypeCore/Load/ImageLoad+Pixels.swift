extension ImageLoad {
    /// Whether renditions are kept as pixels ready to show.
    var wantsPixels: Bool { request.policy.stored == .pixels && cache.tiers.contains(.pixels) }

    /// The finished rendition as pixels from disk, where they are kept so: nothing is decoded.
    func storedPixels(_ job: JobContext) async throws(TintypeError) -> ImageResponse? {
        let (key, cache) = (request.key, cache)
        guard wantsPixels, request.policy.reads(request.policy.rendered.disk), request.source.isWorthKeepingOnDisk
        else { return nil }
        let found = try await services.watch.watch(.disk, key, byteCount: { $0?.pixels.byteCount }) {
            _ throws(TintypeError) in
            try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in cache.pixels(for: key) }
        }
        services.watch.tell(.lookedUp(key, in: .pixels, found: found != nil))
        guard let image = found, isCurrent(image) else { return nil }
        remember(image)
        return ImageResponse(image: image, origin: .disk)
    }

    /// Keeps a rendition that was found encoded as pixels too, behind the caller, so that the next hit decodes nothing.
    func keepPixels(of image: Image) {
        guard wantsPixels, isStored(image) else { return }
        services.background.add(cost: image.memoryCost) {
            _ = await storesPixels(of: image, for: JobContext(priority: .veryLow))
        }
    }

    /// Whether the tier of pixels took it.
    func storesPixels(of image: Image, for job: JobContext) async -> Bool {
        guard wantsPixels else { return false }
        let (key, cache, timeToLive) = (request.key, cache, request.policy.timeToLive)
        let isTaken = try? await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            cache.storePixels(image, for: key, timeToLive: timeToLive)
        }
        return isTaken ?? false
    }
}
