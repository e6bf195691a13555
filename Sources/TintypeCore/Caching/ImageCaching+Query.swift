public import Foundation

// Use of a cache without a pipeline: reads decode the bytes, writes encode the image.

// MARK: - Reading

extension ImageCaching {
    /// Returns the image of a key from the first tier that has it.
    ///
    /// A memory hit does not suspend. Otherwise an original in memory is reduced to the requested part and size, if
    /// that is possible; then the pixel tier is read; then the disk entry is decoded. If `tiers` contains the memory,
    /// an image from the pixel tier or the disk is stored there, at most until the entry expires.
    ///
    /// Returns `nil` for a miss. Damaged bytes are a miss too. They are removed from the disk unless `decode` names the
    /// decoder.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - tiers: The tiers to read. Others are neither read nor filled.
    ///   - data: Whether to return the encoded bytes even if the image comes from memory or the pixel tier.
    ///   - decode: How to decode the bytes of an original. The result is stored under the key that a pipeline would
    ///     use, so it never replaces the original in memory. An original in memory is reduced if the options select
    ///     only a part, a size or frames. For the key of a rendition, use the default.
    ///   - coders: The codecs to decode with.
    /// - Throws: ``TintypeError/Code/cancelled`` at once if the task is cancelled, also while the disk is read.
    package func query(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions(),
        with coders: ImageCoderRegistry
    ) async throws(TintypeError) -> CacheHit? {
        let query = CacheQuery(key, among: tiers, wantsData: data, decode: decode)
        if !data, let hit = memoryHit(query) { return hit.atScale(decode.scale) }
        let finding = tiers == .memory ? lookUp(query) : try await Self.result(on: .disk) { self.lookUp(query) }
        guard let finding else { return nil }
        if case .hit(let hit) = finding { return hit.atScale(decode.scale) }
        return try await Self.result(on: .pixels) {
            self.hit(of: finding, query, with: coders)?.atScale(decode.scale)
        }
    }

    /// Returns the result of work on a queue. If the task is cancelled, the wait ends at once: work that has begun goes
    /// on without it.
    private static func result<Value: Sendable>(
        on queue: WorkQueue, _ work: @escaping @Sendable () -> Value
    ) async throws(TintypeError) -> Value {
        guard !Task.isCancelled else { throw .cancelled }
        let outcome = SharedPromise<Value?>()
        queue.enqueue(at: .normal) {
            if !outcome.promise.isFulfilled { outcome.fulfill(work()) }
        }
        let value = await outcome.wait {
            // Work that has not begun sees this.
            outcome.fulfill(.none)
            return nil
        }
        guard let value else { throw .cancelled }
        return value
    }

    /// Returns the image of a key from the first tier that has it, on the calling thread.
    ///
    /// **Blocks** while the disk is read and the image is decoded. Use it for an image that must be present when a
    /// window opens. See ``query(_:among:data:decode:with:)`` for the parameters.
    package func blockingQuery(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions(),
        with coders: ImageCoderRegistry
    ) -> CacheHit? {
        let query = CacheQuery(key, among: tiers, wantsData: data, decode: decode)
        return lookUp(query).flatMap { hit(of: $0, query, with: coders) }?.atScale(decode.scale)
    }

    /// Looks for the image in all tiers, without decoding it. Blocks, unless the memory is the only tier.
    private func lookUp(_ query: CacheQuery) -> Finding? {
        if let hit = memoryHit(query) { return .hit(withData(hit, query)) }
        if let original = reducibleOriginal(query) {
            return .original(withData(CacheHit(image: original, data: nil, tier: .memory), query))
        }
        if let hit = pixelHit(query) { return .hit(withData(hit, query)) }
        return query.tiers.contains(.disk) ? entry(for: query.key).map { .entry($0) } : nil
    }

    private func withData(_ hit: CacheHit, _ query: CacheQuery) -> CacheHit {
        guard query.wantsData, query.tiers.contains(.disk) else { return hit }
        return CacheHit(image: hit.image, data: entry(for: query.key)?.data, tier: hit.tier)
    }

    private func memoryHit(_ query: CacheQuery) -> CacheHit? {
        guard query.tiers.contains(.memory) else { return nil }
        return image(for: query.rendition).map { CacheHit(image: $0, data: nil, tier: .memory) }
    }

    /// Returns the original in memory, if the wanted image can be made from it.
    private func reducibleOriginal(_ query: CacheQuery) -> Image? {
        guard query.tiers.contains(.memory), query.canReduceOriginal, let original = image(for: query.key),
            // A vector image is drawn again at the requested size.
            !original.info.format.isVector
        else { return nil }
        return original
    }

    private func pixelHit(_ query: CacheQuery) -> CacheHit? {
        guard query.tiers.contains(.pixels), let image = pixels(for: query.rendition) else { return nil }
        if query.fillsMemory { store(image, for: query.rendition, timeToLive: Self.timeLeft(until: image.expires)) }
        return CacheHit(image: image, data: nil, tier: .pixels)
    }

    /// Decodes a disk entry, or reduces an original. `nil` if there is no such image.
    private func hit(of finding: Finding, _ query: CacheQuery, with coders: ImageCoderRegistry) -> CacheHit? {
        switch finding {
        case .hit(let hit): return hit
        case .original(var hit):
            // Not stored: the pixels may differ a little from those that a decoder makes.
            guard let image = try? hit.image.reduced(to: query.options) else { return nil }
            hit.image = image
            return hit
        case .entry(let entry): return decode(entry, query, with: coders)
        }
    }

    /// Decodes a disk entry, and stores the image in memory if that is among the tiers.
    private func decode(_ entry: CacheEntry, _ query: CacheQuery, with coders: ImageCoderRegistry) -> CacheHit? {
        let (key, options) = (query.key, query.options)
        var context = DecodeContext(options: options)
        // As in a pipeline, the image in memory has the scale in the name of its source, such as `logo@2x.png`. Each
        // caller then receives the scale that it asks for.
        context.options.scale = key.scaleInName
        do throws(TintypeError) {
            let decoded = try coders.decoder(for: entry.data, options: options, name: key.name).decodeChecked(
                entry.data, context: context)
            let storedInfo = key.isOriginal ? nil : StoredInfo(decoding: entry.metadata)
            let image =
                storedInfo?.applied(to: decoded, expires: entry.expires)
                ?? decoded.dated(received: decoded.received, expires: entry.expires)
            if query.fillsMemory {
                store(image, for: query.rendition, timeToLive: Self.timeLeft(until: entry.expires))
            }
            return CacheHit(image: image, data: entry.data, tier: .disk)
        } catch {
            // Keep bytes that only lack a decoder here, or that a decoder which the caller chose cannot read: another
            // caller may have one that can.
            if error.isDamage, options.decoder == nil { remove(key, from: .disk) }
            return nil
        }
    }

    /// The time to live of an image in memory, which must not outlive its bytes on disk.
    private static func timeLeft(until expires: Date?) -> Duration? {
        expires.map { .seconds(max(0, $0.timeIntervalSinceNow)) }
    }
}

/// The result of a query.
public struct CacheHit: Sendable {
    /// The image.
    public var image: Image
    /// The encoded bytes; `nil` if they were neither read nor requested, or if the disk does not have them.
    public var data: Data?
    /// The tier that held the image.
    public var tier: CacheTiers

    fileprivate func atScale(_ scale: Double?) -> CacheHit {
        guard let scale else { return self }
        return CacheHit(image: image.atScale(scale), data: data, tier: tier)
    }
}

/// The parameters of a query.
private struct CacheQuery: Sendable {
    /// The key of the encoded bytes.
    let key: CacheKey
    /// The key of the decoded image.
    let rendition: CacheKey
    let tiers: CacheTiers
    let wantsData: Bool
    let options: DecodeOptions

    init(_ key: CacheKey, among tiers: CacheTiers, wantsData: Bool, decode options: DecodeOptions) {
        (self.key, self.tiers, self.wantsData, self.options) = (key, tiers, wantsData, options)
        guard key.isOriginal, options != DecodeOptions() else {
            rendition = key
            return
        }
        rendition = CacheKey(source: key.source, rendition: Rendition(decode: options).identifier)
    }

    /// Whether the image is stored in memory: not if it has no pixels to show.
    var fillsMemory: Bool { tiers.contains(.memory) && options.size != .noPixels }

    /// Whether the image can be made from the decoded original: the options select only a part, a size or frames.
    var canReduceOriginal: Bool {
        guard rendition != key else { return false }
        var rest = options
        (rest.crop, rest.size, rest.frames, rest.scale) = (nil, .full, .all, nil)
        (rest.sizeScope, rest.crops) = (nil, nil)
        return rest == DecodeOptions()
    }
}

/// The result of the lookup of a query.
private enum Finding: Sendable {
    case hit(CacheHit)
    /// The original in memory, from which the image can be made.
    case original(CacheHit)
    /// An entry that is not decoded yet.
    case entry(CacheEntry)
}

// MARK: - Storing

extension ImageCaching {
    /// Stores an image in some tiers. It is on disk after ``flush()``.
    ///
    /// ``ImageCache/store(_:data:for:in:)`` tells what the disk stores.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - data: The encoded bytes of the image, if the caller has them.
    ///   - key: The key of the image.
    ///   - tiers: The tiers to store the image in. ``CacheTiers/pixels`` is not among the defaults.
    ///   - coders: The codecs to encode with.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``
    ///   or ``TintypeError/Code/cancelled``. The memory and pixel tiers may already hold the image then.
    package func store(
        _ image: Image, data: Data?, for key: CacheKey, in tiers: CacheTiers = [.memory, .disk],
        with coders: ImageCoderRegistry
    ) async throws(TintypeError) {
        let timeToLive = Self.timeLeft(until: image.expires)
        if tiers.contains(.memory) { store(image, for: key, timeToLive: timeToLive) }
        guard !tiers.isDisjoint(with: [.disk, .pixels]) else { return }
        try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            if tiers.contains(.pixels) { self.storePixels(image, for: key, timeToLive: timeToLive) }
            if tiers.contains(.disk) { try self.storeEncoded(image, data, for: key, with: coders) }
        }
    }

    private func storeEncoded(
        _ image: Image, _ data: Data?, for key: CacheKey, with coders: ImageCoderRegistry
    ) throws(TintypeError) {
        guard tiers.contains(.disk) else { return }
        guard !image.isPartial else {
            throw TintypeError(.encodeFailed, stage: .encode, "a partial image cannot be stored on disk")
        }
        let (bytes, format) =
            if let data { (data, coders.format(of: data, showing: image)) } else { try coders.storableBytes(of: image) }
        let metadata = key.isOriginal ? Data() : StoredInfo(image).encoded
        store(CacheEntry(data: bytes, format: format, metadata: metadata, expires: image.expires), for: key)
    }
}

extension ImageCoderRegistry {
    /// Returns bytes to store for an image that came without them.
    fileprivate func storableBytes(of image: Image) throws(TintypeError) -> (Data, ImageFormat?) {
        if let animation = image.animation {
            if let bytes = animation.originalBytes { return (bytes, image.info.format) }
            let formats = animatedFormats
            guard let format = [image.info.format, .png].first(where: formats.contains) ?? formats.first else {
                throw TintypeError(.noCoder, stage: .encode, "no encoder for animations is registered")
            }
            return (try encode(image, as: format, options: EncodeOptions()), format)
        }
        let format = storageFormat(of: image)
        return (try encoder(for: format).encode(image.pixels, as: format, options: EncodeOptions()), format)
    }

    /// Returns the format of the encoded bytes of an image; `nil` if it is unknown.
    fileprivate func format(of data: Data, showing image: Image) -> ImageFormat? {
        recognizingDecoder(for: data) == nil ? FormatSniffer.format(of: data) : image.info.format
    }

    private func storageFormat(of image: Image) -> ImageFormat {
        let format = image.info.format
        let isOpaque = image.pixels.isOpaque
        if encodableFormats.contains(format), isOpaque || format != .jpeg { return format }
        return isOpaque ? .jpeg : .png
    }
}
