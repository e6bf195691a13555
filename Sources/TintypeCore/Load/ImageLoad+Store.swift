import Foundation
import Logging

// MARK: - The finished rendition

extension ImageLoad {
    /// Stores the finished rendition: in memory at once, on disk in the background unless the request waits for that.
    func store(_ response: ImageResponse) async throws(TintypeError) {
        let waits = request.policy.delivery.completion == .whenStored
        guard response.transferFailure == nil, waits || request.policy.caching.rendition.writesAnyTier else { return }
        try await watch.watch(.store, request.key) { _ throws(TintypeError) in
            storeInMemory(response.image)
            if belongsOnDisk(response.image) { await storeOnDisk(response.image, waits: waits) }
            if waits { await flush() }
            try job.checkCancelled()
        }
    }

    /// Stores the rendition in memory, if the policy allows it.
    func storeInMemory(_ image: Image) {
        guard request.policy.caching.rendition.memory.canWrite, hasPixels, mayBeStored(currentBytes) else { return }
        watch.reportEvictions(cache.store(image, for: request.key, timeToLive: memoryTimeToLive(of: image)))
        if let size = DecodedSize(image, of: request) { services.decodedSizes.withLock { $0.note(size) } }
    }

    /// Whether a rendition is to be stored on disk.
    ///
    /// The disk does not store partial images, images with more than 8 bits per channel or images with metadata. It
    /// stores animations only if the request names a format for them. Renditions that are not stored are made again
    /// from the original.
    private func belongsOnDisk(_ image: Image) -> Bool {
        (!image.isAnimated || storesAnimations) && !image.isPartial && image.highRange == nil && image.exif == nil
            && image.metadata == nil && !request.key.isOriginal && hasPixels
            && request.policy.caching.rendition.disk.canWrite
            && request.mayBeOnDisk && mayBeStored(currentBytes)
            && (usesPixelTier || isWorthEncoding(image))
    }

    /// Whether the rendition has pixels to show.
    private var hasPixels: Bool { request.rendition.decode.size != .noPixels }

    /// Whether the request asks for a format in which animations can be encoded, so that a changed animation may be
    /// stored.
    private var storesAnimations: Bool {
        guard case .encoded(let format, _) = request.policy.caching.form else { return false }
        return services.configuration.coders.animatedFormats.contains(format)
    }

    private func isWorthEncoding(_ image: Image) -> Bool { cache.tiers.contains(.disk) && !hasOriginalPixels(image) }

    /// Whether a rendition has the pixels of the original. Encoding them again would use disk space and could lose
    /// quality.
    private func hasOriginalPixels(_ image: Image) -> Bool {
        let isWhole =
            request.rendition.transforms.isEmpty && request.rendition.decode.crop == nil
            && image.size == image.info.size
        return isWhole && request.policy.caching.original.disk.canWrite
    }

    /// Whether the origin allows bytes to be stored, if the request lets it decide.
    func mayBeStored(_ bytes: LoadedBytes?) -> Bool {
        request.policy.freshness != .http || bytes?.isStorable != false
    }

    /// Waits until the caches have written what this load has stored. A failure is logged.
    private func flush() async {
        // A serializer may still be processing an original.
        if serializer != nil { await services.background.wait() }
        await NextStep.leaveThread()
        do {
            try await originalCache.flush()
            try await cache.flush()
        } catch {
            services.configuration.logger.warning("not stored on disk: \(request.key.logText): \(error)")
        }
    }

    private func storeOnDisk(_ image: Image, waits: Bool) async {
        if waits { return await encodeAndStore(image, for: job) }
        let isAccepted = services.background.add(cost: image.memoryCost) {
            await self.encodeAndStore(image, for: JobContext(priority: .veryLow))
        }
        guard !isAccepted else { return }
        services.configuration.logger.warning(
            "not stored on disk: \(request.key.logText): too many images wait to be encoded")
    }
}

// MARK: - Preparation

extension ImageLoad {
    /// Touches the pixels, and decodes all frames if the request wants them. Memory then holds the image at its new
    /// cost.
    func prepare(_ response: ImageResponse) async throws(TintypeError) {
        let (image, animation) = (
            response.image, request.policy.preparation == .allFrames ? response.image.animation : nil
        )
        do throws(TintypeError) {
            _ = try await WorkQueue.pixels.run(for: job) { [job] () throws(TintypeError) in
                image.pixels.touchPages()
                try animation?.preloadFrames { job.isCancelled }
            }
        } catch {
            guard error.code != .cancelled else { throw error }
            services.configuration.logger.warning("frames not preloaded: \(request.key.logText): \(error)")
        }
        if animation != nil, response.transferFailure == nil { storeInMemory(image) }
    }
}

// MARK: - The pixel tier

extension ImageLoad {
    /// Whether renditions are stored as pixels.
    var usesPixelTier: Bool { request.policy.caching.form == .pixels && cache.tiers.contains(.pixels) }

    /// Stores the pixels of a rendition that was found encoded, in the background, so that the next hit needs no
    /// decoding.
    func storePixelsInBackground(of image: Image) {
        guard usesPixelTier, belongsOnDisk(image) else { return }
        services.background.add(cost: image.memoryCost) {
            _ = await storePixels(of: image, for: JobContext(priority: .veryLow))
        }
    }

    /// - Returns: Whether the tier accepted the image.
    private func storePixels(of image: Image, for job: JobContext) async -> Bool {
        guard usesPixelTier else { return false }
        let (key, cache, timeToLive) = (request.key, cache, timeToLive(of: image))
        let isAccepted = try? await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            cache.storePixels(image, for: key, timeToLive: timeToLive)
        }
        services.didStore(for: request)
        return isAccepted ?? false
    }
}

// MARK: - The original

extension ImageLoad {
    /// Stores an original that a loader has returned and that has decoded as an image.
    func storeOriginal(_ bytes: LoadedBytes, of image: Image) {
        if request.policy.caching.original.memory.canWrite, mayBeStored(bytes) {
            let evicted = originalCache.store(
                image, for: decodedOriginalKey, timeToLive: memoryTimeToLive(of: image))
            watch.reportEvictions(evicted)
        }
        guard !image.isPartial, !bytes.data.isEmpty, bytes.origin == .network || bytes.origin == .custom,
            request.policy.caching.original.disk.canWrite,
            request.source.isWorthKeepingOnDisk, mayBeStored(bytes)
        else { return }
        var entry = CacheEntry(
            data: bytes.data, format: image.info.format, metadata: bytes.metadata,
            created: bytes.received ?? services.configuration.time.date(), expires: expiry)
        entry.file = bytes.file
        guard let serializer else {
            originalCache.store(entry, for: request.key.original)
            services.didStore(for: request)
            return
        }
        services.background.add(cost: image.memoryCost + entry.data.count) { [entry] in
            await self.storeSerialized(entry, of: image, by: serializer)
        }
    }

    /// When entries that are stored now expire, if the request sets a time to live.
    var expiry: Date? {
        request.policy.caching.timeToLive.map { services.configuration.time.date().later(by: $0) }
    }

    /// How long a cache may return an image: no longer than the request says, nor than the entry lives that the image
    /// was made from. `nil` sets no limit.
    private func timeToLive(of image: Image) -> Duration? {
        guard let expires = image.expires else { return request.policy.caching.timeToLive }
        let left = Duration.seconds(max(0, expires.timeIntervalSince(services.configuration.time.date())))
        return request.policy.caching.timeToLive.map { min($0, left) } ?? left
    }

    /// How long the memory may return an image.
    private func memoryTimeToLive(of image: Image) -> Duration? {
        [timeToLive(of: image), request.policy.caching.memoryTimeToLive].compactMap(\.self).min()
    }

    private var serializer: CacheSerializer? { services.serializer(for: request) }

    private func storeSerialized(_ entry: CacheEntry, of image: Image, by serializer: CacheSerializer) async {
        let key = request.key.original
        await logFailure { () throws(TintypeError) in
            let form = try await WorkQueue.pixels.run(for: JobContext(priority: .veryLow)) { () throws(TintypeError) in
                try serializer.form(of: image, entry.data, for: key)
            }
            if let entry = entry.replacingData(form) { originalCache.store(entry, for: key) }
        }
        services.didStore(for: request)
    }
}

// MARK: - Encoding

extension ImageLoad {
    private func encodeAndStore(_ image: Image, for job: JobContext) async {
        guard await !storePixels(of: image, for: job), isWorthEncoding(image) else { return }
        await logFailure { () throws(TintypeError) in
            if let entry = try await encode(image, job) { cache.store(entry, for: request.key) }
        }
        services.didStore(for: request)
    }

    /// Logs an error of `body`. A failure to store does not fail a load.
    private func logFailure(_ body: () async throws(TintypeError) -> Void) async {
        do throws(TintypeError) {
            try await body()
        } catch {
            guard error.code != .cancelled else { return }
            services.configuration.logger.warning("not stored on disk: \(request.key.logText): \(error)")
        }
    }

    /// - Returns: `nil` if the serializer chose to store nothing.
    private func encode(_ image: Image, _ job: JobContext) async throws(TintypeError) -> CacheEntry? {
        let configuration = services.configuration
        let (format, options) = encoding(of: image)
        let (serializer, key) = (serializer, request.key)
        let own = request.overrides?.encoder.map { [$0] } ?? []
        let coders = own.isEmpty ? configuration.coders : configuration.coders.adding(encoders: own)
        let expiry = Date?.earlier(image.expires, expiry)
        return try await watch.watch(.encode, request.key, byteCount: { $0?.data.count }) {
            _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                let empty = CacheEntry(
                    data: Data(), format: nil, metadata: StoredInfo(image).encoded,
                    created: configuration.time.date(), expires: expiry)
                var form = try serializer?.form(of: image, nil, for: key) ?? .standard
                if case .standard = form {
                    let data =
                        image.isAnimated
                        ? try coders.encode(image, as: format, options: options)
                        : try coders.encode(image.pixels, as: format, options: options)
                    form = .bytes(data, format)
                }
                return empty.replacingData(form)
            }
        }
    }

    /// The format and options for a rendition: those of the request, or else JPEG if every pixel is opaque and PNG if
    /// not, as in SDWebImage.
    private func encoding(of image: Image) -> (ImageFormat, EncodeOptions) {
        switch request.policy.caching.form {
        case .automatic, .pixels: (image.pixels.isOpaque ? .jpeg : .png, services.configuration.encodeOptions)
        case .encoded(let format, let options): (format, options)
        }
    }
}

extension CacheEntry {
    /// Returns the entry with the bytes that a serializer chose, or `nil` if it chose none.
    fileprivate func replacingData(_ form: CacheSerializer.Form) -> CacheEntry? {
        guard case .bytes(let data, let format) = form else {
            if case .nothing = form { return nil }
            return self
        }
        var entry = self
        // The file that the original arrived in has other bytes.
        (entry.data, entry.format, entry.file) = (data, format, nil)
        return entry
    }
}
