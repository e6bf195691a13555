import Foundation
import Logging

extension ImageLoad {
    /// The finished rendition, from memory or from disk.
    ///
    /// Memory was asked before there was a load; it is asked again, since an equal load may have ended in between.
    func storedRendition(_ job: JobContext) async throws(TintypeError) -> ImageResponse? {
        if let image = rememberedRendition { return memoryAnswer(image, request.key) }
        // The original as it is has its own place on disk, where the bytes are looked up.
        guard !request.key.isOriginal else { return nil }
        if let response = try await storedPixels(job) { return response }
        guard let entry = try await storedEntry(request.key, in: cache, request.policy.rendered.disk, job),
            let image = try await decodedRendition(entry, job), isCurrent(image)
        else { return nil }
        remember(image)
        keepPixels(of: image)
        return ImageResponse(image: image, origin: .disk, byteCount: entry.data.count)
    }

    /// A picture that memory had for the load itself, which observers count like any other.
    func memoryAnswer(_ image: Image, _ key: CacheKey) -> ImageResponse {
        services.watch.tell(.lookedUp(key, in: .memory, found: true))
        return ImageResponse(image: image, origin: .memory)
    }

    /// The decoded original in memory, where the policy lets that answer.
    var keptOriginal: Image? {
        guard request.policy.reads(request.policy.original.memory) else { return nil }
        return originalCache.image(for: decodedOriginalKey).flatMap { isCurrent($0) ? $0 : nil }
    }

    /// The finished rendition in memory, where the policy lets that answer.
    var rememberedRendition: Image? {
        guard request.policy.reads(request.policy.rendered.memory) else { return nil }
        return cache.image(for: request.key).flatMap { isCurrent($0) ? $0 : nil }
    }

    /// Whether a picture was made of the bytes that are known to be the current ones, where they are known.
    func isCurrent(_ image: Image) -> Bool {
        guard let given else { return true }
        guard let made = image.received, let received = given.received else { return false }
        // The disk keeps microseconds.
        return abs(made.timeIntervalSince(received)) < 0.000_5
    }

    /// An entry of a disk cache, where the policy lets the disk answer.
    func storedEntry(
        _ key: CacheKey, in cache: any ImageCaching, _ access: CacheAccess, _ job: JobContext
    ) async throws(TintypeError) -> CacheEntry? {
        guard readsDisk(access, of: cache) else { return nil }
        return try await WorkQueue.disk.run(for: job, finding(key, in: cache))
    }

    /// The pixels of a stored rendition: they have their size and orientation already. What does not decode is removed
    /// and counts as a miss.
    private func decodedRendition(_ entry: CacheEntry, _ job: JobContext) async throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            let image = try await decode(entry.data, DecodeOptions(), job)
            return StoredInfo(decoding: entry.metadata)?.applied(to: image.pixels, scale: image.scale) ?? image
        } catch  where error.code == .cancelled {
            throw error
        } catch {
            await removeFromDisk(request.key, in: cache, error)
            return nil
        }
    }

    func removeFromDisk(_ key: CacheKey, in cache: any ImageCaching, _ reason: TintypeError) async {
        services.configuration.logger.warning("removed from the disk cache: \(key): \(reason)")
        try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            cache.remove(key, from: .disk)
        }
    }
}
