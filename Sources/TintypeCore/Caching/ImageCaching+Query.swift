public import Foundation

// Use of a cache without a pipeline: reads decode the bytes, writes encode the image.

// MARK: - Reading

extension ImageCaching {
    /// Returns the image of a key from the first tier that has it.
    ///
    /// A memory hit does not suspend. Otherwise the pixel tier is read; then the disk entry is decoded. If `tiers` contains
    /// the memory, the image is stored there, at most until the entry expires. `nil` is a miss. Bytes that do not decode
    /// are a miss too, and are removed, unless `decode` names the decoder.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - tiers: The tiers to read. Others are neither read nor filled.
    ///   - data: Whether to return the encoded bytes even if the image comes from memory or the pixel tier.
    ///   - decode: How to decode the bytes. Use the same options for every query of a key: a memory hit ignores them.
    ///   - coders: The codecs to decode with.
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the read or the decode starts.
    public func query(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions(),
        with coders: ImageCoderRegistry
    ) async throws(TintypeError) -> CacheHit? {
        if !data, let hit = memoryHit(key, among: tiers) { return hit }
        guard tiers != .memory else { return memoryHit(key, among: tiers) }
        let job = JobContext(priority: .normal)
        let result = try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            self.lookUp(key, among: tiers, wantsData: data)
        }
        guard case .entry(let entry)? = result else { return result?.hit }
        return try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            self.decode(entry, for: key, among: tiers, options: decode, with: coders)
        }
    }

    /// Returns the image of a key from the first tier that has it, on the calling thread.
    ///
    /// **Blocks** while the disk is read and the image is decoded. Use it for an image that must be present when a window
    /// opens. See ``query(_:among:data:decode:with:)`` for the parameters.
    public func blockingQuery(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions(),
        with coders: ImageCoderRegistry
    ) -> CacheHit? {
        let result = lookUp(key, among: tiers, wantsData: data)
        guard case .entry(let entry)? = result else { return result?.hit }
        return self.decode(entry, for: key, among: tiers, options: decode, with: coders)
    }

    /// Blocks.
    private func lookUp(_ key: CacheKey, among tiers: CacheTiers, wantsData: Bool) -> LookUpResult? {
        if let hit = memoryHit(key, among: tiers) ?? pixelHit(key, among: tiers) {
            guard wantsData, tiers.contains(.disk) else { return .hit(hit) }
            return .hit(CacheHit(image: hit.image, data: entry(for: key)?.data, tier: hit.tier))
        }
        return tiers.contains(.disk) ? entry(for: key).map { .entry($0) } : nil
    }

    private func memoryHit(_ key: CacheKey, among tiers: CacheTiers) -> CacheHit? {
        guard tiers.contains(.memory) else { return nil }
        return image(for: key).map { CacheHit(image: $0, data: nil, tier: .memory) }
    }

    private func pixelHit(_ key: CacheKey, among tiers: CacheTiers) -> CacheHit? {
        guard tiers.contains(.pixels), let image = pixels(for: key) else { return nil }
        if tiers.contains(.memory) { store(image, for: key, timeToLive: Self.timeLeft(until: image.expires)) }
        return CacheHit(image: image, data: nil, tier: .pixels)
    }

    /// Decodes a disk entry, and stores the image in memory if that is among the tiers.
    private func decode(
        _ entry: CacheEntry, for key: CacheKey, among tiers: CacheTiers, options: DecodeOptions,
        with coders: ImageCoderRegistry
    ) -> CacheHit? {
        let context = DecodeContext(options: options)
        do throws(TintypeError) {
            let decoded = try coders.decoder(for: entry.data, options: options).decodeChecked(
                entry.data, context: context)
            let storedInfo = key.isOriginal ? nil : StoredInfo(decoding: entry.metadata)
            let image =
                storedInfo?.applied(to: decoded, expires: entry.expires)
                ?? decoded.dated(received: decoded.received, expires: entry.expires)
            if tiers.contains(.memory) { store(image, for: key, timeToLive: Self.timeLeft(until: entry.expires)) }
            return CacheHit(image: image, data: entry.data, tier: .disk)
        } catch {
            // Keep bytes that only lack a decoder here, or that a decoder which the caller chose cannot read: another
            // caller may have one that can.
            if error.code == .undecodable, options.decoder == nil { remove(key, from: .disk) }
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
}

private enum LookUpResult {
    case hit(CacheHit)
    /// An entry that is not decoded yet.
    case entry(CacheEntry)

    var hit: CacheHit? {
        guard case .hit(let hit) = self else { return nil }
        return hit
    }
}

// MARK: - Storing

extension ImageCaching {
    /// Stores an image in some tiers. It is on disk after ``flush()``.
    ///
    /// The disk stores the first of these that it can:
    /// - `data`;
    /// - the original bytes of an animation;
    /// - all frames of an animation that has none, encoded in its own format, or else as PNG or in another format for which
    ///   there is an encoder;
    /// - the image encoded in its own format, without loss of transparency;
    /// - the image encoded as JPEG if all pixels are opaque, otherwise as PNG.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - data: The encoded bytes of the image, if the caller has them.
    ///   - key: The key of the image.
    ///   - tiers: The tiers to store the image in. ``CacheTiers/pixels`` is not among the defaults.
    ///   - coders: The codecs to encode with.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory`` or
    ///   ``TintypeError/Code/cancelled``. The memory and pixel tiers may already hold the image then.
    public func store(
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
