import Foundation
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

    private func flush() async {
        // An original may still be with its serializer.
        if serializer != nil { await services.background.wait() }
        do {
            try await originalCache.flush()
            try await cache.flush()
        } catch {
            services.configuration.logger.warning("not stored on disk: \(request.key): \(error)")
        }
    }

    private func keepOnDisk(_ image: Image, _ job: JobContext, waits: Bool) async {
        if waits { return await encodeAndStore(image, for: job) }
        let isTaken = services.background.add(cost: image.memoryCost) {
            await self.encodeAndStore(image, for: JobContext(priority: .veryLow))
        }
        guard !isTaken else { return }
        services.configuration.logger.warning("not stored on disk: \(request.key): too much waits to be encoded")
    }

    /// Whether the disk cache takes a rendition. Not that of an animation, of which it would keep a still frame, nor one that
    /// has more than 8-bit pixels to keep: these are made again of the original.
    func isStored(_ image: Image) -> Bool {
        !image.isAnimated && !image.isPartial && image.highRange == nil && image.exif == nil && !request.key.isOriginal
            && request.policy.rendered.disk.canWrite
            && request.source.isWorthKeepingOnDisk && mayBeStored(given)
            && (wantsPixels || isWorthEncoding(image))
    }

    private func isWorthEncoding(_ image: Image) -> Bool { cache.tiers.contains(.disk) && !isOriginal(image) }

    /// Whether a rendition has the pixels of the original, whatever was asked for: another copy would be larger, and
    /// lose by its encoding, beside the one that is there.
    private func isOriginal(_ image: Image) -> Bool {
        let isWhole =
            request.rendition.transforms.isEmpty && request.rendition.decode.crop == nil
            && image.size == image.info.size
        return isWhole && request.policy.original.disk.canWrite
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
        let evicted = cache.store(image, for: key, timeToLive: request.policy.timeToLive)
        if evicted > 0 { services.watch.tell(.evicted(evicted)) }
    }

    /// Keeps an original that came from outside and has turned out to be a picture.
    func keep(_ bytes: LoadedBytes, of image: Image) {
        if request.policy.original.memory.canWrite { store(image, in: originalCache, for: decodedOriginalKey) }
        guard !image.isPartial, bytes.origin == .network || bytes.origin == .custom,
            request.policy.original.disk.canWrite,
            request.source.isWorthKeepingOnDisk, mayBeStored(bytes)
        else { return }
        var entry = CacheEntry(
            data: bytes.data, format: image.info.format, metadata: bytes.metadata,
            created: bytes.received ?? services.configuration.time.date(), expires: expires)
        entry.file = bytes.file
        guard let serializer else { return originalCache.store(entry, for: request.key.original) }
        services.background.add(cost: image.memoryCost + entry.data.count) { [entry] in
            await self.keep(entry, of: image, by: serializer)
        }
    }

    /// From when on what is stored now is not to be used any more, where the request says so.
    var expires: Date? {
        request.policy.timeToLive.map { services.configuration.time.date().later(by: $0) }
    }

    private var serializer: CacheSerializer? { services.serializer(for: request) }

    private func keep(_ entry: CacheEntry, of image: Image, by serializer: CacheSerializer) async {
        let key = request.key.original
        await logging { () throws(TintypeError) in
            let form = try await WorkQueue.pixels.run(for: JobContext(priority: .veryLow)) { () throws(TintypeError) in
                try serializer.form(of: image, entry.data, for: key)
            }
            if let entry = entry.taking(form) { originalCache.store(entry, for: key) }
        }
    }

    private func encodeAndStore(_ image: Image, for job: JobContext) async {
        guard await !storesPixels(of: image, for: job), isWorthEncoding(image) else { return }
        await logging { () throws(TintypeError) in
            if let entry = try await encoded(image, job) { cache.store(entry, for: request.key) }
        }
    }

    /// What cannot be stored fails no load.
    private func logging(_ body: () async throws(TintypeError) -> Void) async {
        do throws(TintypeError) {
            try await body()
        } catch {
            guard error.code != .cancelled else { return }
            services.configuration.logger.warning("not stored on disk: \(request.key): \(error)")
        }
    }

    /// `nil` when it is not to be kept.
    private func encoded(_ image: Image, _ job: JobContext) async throws(TintypeError) -> CacheEntry? {
        let configuration = services.configuration
        let (format, options) = form(of: image)
        let (serializer, key, expires) = (serializer, request.key, expires)
        return try await services.watch.watch(.encode, request.key, byteCount: { $0?.data.count }) {
            _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
                let empty = CacheEntry(
                    data: Data(), format: nil, metadata: StoredInfo(image).encoded,
                    created: configuration.time.date(), expires: expires)
                var form = try serializer?.form(of: image, nil, for: key) ?? .standard
                if case .standard = form {
                    let encoder = try configuration.coders.encoder(for: format)
                    form = .bytes(try encoder.encode(image.pixels, as: format, options: options), format)
                }
                return empty.taking(form)
            }
        }
    }

    /// How a rendition is encoded: JPEG for what is opaque, PNG for what is not, as the original system does, unless
    /// the request says otherwise.
    private func form(of image: Image) -> (ImageFormat, EncodeOptions) {
        switch request.policy.stored {
        case .automatic, .pixels: (image.pixels.isOpaque ? .jpeg : .png, services.configuration.encodeOptions)
        case .encoded(let format, let options): (format, options)
        }
    }
}

extension CacheEntry {
    /// With the bytes that a serializer chose; `nil` where it chose none.
    fileprivate func taking(_ form: CacheSerializer.Form) -> CacheEntry? {
        guard case .bytes(let data, let format) = form else {
            if case .nothing = form { return nil }
            return self
        }
        var entry = self
        // No longer what the file that they came in has.
        (entry.data, entry.format, entry.file) = (data, format, nil)
        return entry
    }
}
