import Foundation
import Logging

// MARK: - Memory

extension ImageLoad {
    /// The finished rendition in memory, if the policy lets memory answer. The caller looked there before this load
    /// began; an equal load may have ended since.
    var renditionInMemory: Image? {
        guard request.policy.reads(request.policy.caching.rendition.memory) else { return nil }
        return cache.image(for: request.key).flatMap { isCurrent($0) ? $0 : nil }
    }

    /// The decoded original in memory, if the policy lets memory answer.
    var originalInMemory: Image? {
        guard request.policy.reads(request.policy.caching.original.memory) else { return nil }
        return originalCache.image(for: decodedOriginalKey).flatMap { isCurrent($0) ? $0 : nil }
    }

    /// A response from memory. Reports the hit to observers.
    func memoryHit(_ image: Image, _ key: CacheKey) -> ImageResponse {
        watch.report(.lookedUp(key, in: .memory, found: true))
        return ImageResponse(image: image, origin: .memory)
    }

    /// Whether an image was decoded from the current bytes. Always true if no bytes are known to be current.
    private func isCurrent(_ image: Image) -> Bool {
        guard let currentBytes else { return true }
        guard let made = image.received, let received = currentBytes.received else { return false }
        // The disk cache rounds dates to microseconds. A larger tolerance could confuse this variant with another one.
        return abs(made.timeIntervalSince(received)) < 0.000_002
    }
}

// MARK: - Disk

extension ImageLoad {
    /// Looks up the finished rendition on disk: as pixels, then encoded.
    func lookUpDisk() async throws(TintypeError) -> ImageResponse? {
        guard request.policy.reads(request.policy.caching.rendition.disk) else { return nil }
        if let response = try await lookUpPixels() { return response }
        guard let entry = try await readEntry(request.key, in: cache, request.policy.caching.rendition.disk),
            let image = try await decodeRendition(entry), isCurrent(image)
        else { return nil }
        storeInMemory(image)
        storePixelsInBackground(of: image)
        return ImageResponse(image: image, origin: .disk, byteCount: entry.data.count)
    }

    /// Looks up the finished rendition as pixels, which need no decoding.
    private func lookUpPixels() async throws(TintypeError) -> ImageResponse? {
        let (key, cache) = (request.key, cache)
        guard usesPixelTier, request.mayBeOnDisk else { return nil }
        let hit = try await watch.watch(.disk, key, byteCount: { $0?.pixels.byteCount }) {
            _ throws(TintypeError) in
            try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in cache.pixels(for: key) }
        }
        watch.report(.lookedUp(key, in: .pixels, found: hit != nil))
        guard let image = hit, isCurrent(image) else { return nil }
        storeInMemory(image)
        return ImageResponse(image: image, origin: .disk)
    }

    /// Decodes a stored rendition, which has its size and orientation already. An entry that does not decode is removed
    /// and counts as a miss.
    private func decodeRendition(_ entry: CacheEntry) async throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            let image = try await decode(entry.data, DecodeOptions())
            return StoredInfo(decoding: entry.metadata)?
                .applied(to: image, expires: entry.expires)
                ?? image.dated(received: image.received, expires: entry.expires)
        } catch  where error.code == .cancelled {
            throw error
        } catch {
            await removeFromDisk(request.key, in: cache, because: error)
            return nil
        }
    }

    /// Reads an entry of a disk cache, if the policy lets the disk answer.
    func readEntry(
        _ key: CacheKey, in cache: any ImageCaching, _ access: CacheAccess
    ) async throws(TintypeError) -> CacheEntry? {
        guard readsDisk(access, of: cache, forOriginal: key.isOriginal) else { return nil }
        if let entry = try await WorkQueue.disk.run(for: job, blockingRead(of: key, in: cache)) { return entry }
        return try await readRemoteEntry(key, in: cache)
    }

    /// Reads an entry of a disk cache from another machine, without a thread that waits for it.
    func readRemoteEntry(_ key: CacheKey, in cache: any ImageCaching) async throws(TintypeError) -> CacheEntry? {
        guard let remote = cache.remote else { return nil }
        await NextStep.leaveThread()
        let entry = try await watch.watch(.disk, key, byteCount: { $0?.data.count }) { _ throws(TintypeError) in
            await remote.remoteEntry(for: key)
        }
        watch.report(.lookedUp(key, in: .disk, found: entry != nil))
        try job.checkCancelled()
        return entry
    }

    /// Whether the policy lets the disk tier of a cache answer.
    func readsDisk(_ access: CacheAccess, of cache: any ImageCaching, forOriginal isOriginal: Bool) -> Bool {
        request.policy.reads(access) && (isOriginal ? request.source.isWorthKeepingOnDisk : request.mayBeOnDisk)
            && cache.tiers.contains(.disk)
    }

    /// Returns a closure that reads an entry on the thread that calls it, unless it is on another machine: see
    /// ``readRemoteEntry(_:in:)``.
    func blockingRead(
        of key: CacheKey, in cache: any ImageCaching
    ) -> @Sendable () throws(TintypeError) -> CacheEntry? {
        { [watch] () throws(TintypeError) in
            let entry = try watch.blockingWatch(.disk, key, byteCount: { $0?.data.count }) { _ throws(TintypeError) in
                cache.entryOnThisMachine(for: key)
            }
            // Whether it is a miss is known after the other machines were asked.
            if entry != nil || cache.remote == nil {
                watch.report(.lookedUp(key, in: .disk, found: entry != nil))
            }
            return entry
        }
    }

    /// Removes an entry that does not decode, and logs why. The removal runs even if the load is cancelled.
    func removeFromDisk(_ key: CacheKey, in cache: any ImageCaching, because reason: TintypeError) async {
        services.configuration.logger.warning("removed from the disk cache: \(key.logText): \(reason)")
        try? await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            cache.remove(key, from: .disk)
        }
    }
}
