import Logging

extension ImageLoad {
    /// The finished rendition, from memory or from disk.
    ///
    /// Memory was asked before there was a load; it is asked again, since an equal load may have ended in between.
    func storedRendition(_ job: JobContext) async throws(TintypeError) -> ImageResponse? {
        if let image = services.cachedImage(for: request) { return ImageResponse(image: image, origin: .memory) }
        // The original as it is has its own place on disk, where the bytes are looked up.
        guard !request.key.isOriginal, let entry = try await storedEntry(request.key, request.policy.rendered.disk, job)
        else { return nil }
        guard let image = try await decodedRendition(entry, job) else { return nil }
        remember(image)
        return ImageResponse(image: image, origin: .disk, byteCount: entry.data.count)
    }

    /// An entry of the disk cache, where the policy lets the disk answer.
    func storedEntry(
        _ key: CacheKey, _ access: CacheAccess, _ job: JobContext
    ) async throws(TintypeError) -> CacheEntry? {
        guard let disk = services.configuration.disk, request.policy.reads(access), request.source.isWorthKeepingOnDisk
        else { return nil }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in disk.entry(for: key) }
    }

    /// The pixels of a stored rendition: they have their size and orientation already. What does not decode is removed
    /// and counts as a miss.
    private func decodedRendition(_ entry: CacheEntry, _ job: JobContext) async throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            let image = try await decode(entry.data, DecodeOptions(scale: request.rendition.decode.scale), job)
            let original = StoredInfo(decoding: entry.metadata)?.info
            return Image(pixels: image.pixels, info: original ?? image.info, scale: image.scale)
        } catch  where error.code == .cancelled {
            throw error
        } catch {
            await removeFromDisk(request.key, error)
            return nil
        }
    }

    func removeFromDisk(_ key: CacheKey, _ reason: TintypeError) async {
        guard let disk = services.configuration.disk else { return }
        services.configuration.logger.warning("removed from the disk cache: \(key): \(reason)")
        try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in disk.remove(key)
        }
    }
}
