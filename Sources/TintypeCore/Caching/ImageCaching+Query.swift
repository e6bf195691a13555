public import Foundation

// A cache on its own, without a pipeline: what is decoded on the way in and encoded on the way out.

extension ImageCaching {
    /// The picture of a key: from memory, without suspending; as pixels from disk; or decoded from its bytes there, and
    /// kept in memory then. `nil` is a miss, and so are bytes that do not decode, which are removed.
    ///
    /// - Parameters:
    ///   - tiers: that may answer.
    ///   - data: whether the bytes are wanted even when memory has the picture.
    ///   - decode: what to make of the bytes. What was stored under a key is best asked for in one way.
    ///   - coders: to decode with.
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func query(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions(),
        with coders: ImageCoderRegistry
    ) async throws(TintypeError) -> CacheHit? {
        if !data, let hit = memoryHit(key, tiers) { return hit }
        guard tiers != .memory else { return memoryHit(key, tiers) }
        let job = JobContext(priority: .normal)
        let found = try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            self.found(key, tiers, data: data)
        }
        guard case .entry(let entry)? = found else { return found?.hit }
        return try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            self.decoded(entry, key, decode, coders)
        }
    }

    /// The same on the calling thread. **Blocks** while the disk is read and the picture is decoded: for the one that has
    /// to be there when a window opens.
    public func blockingQuery(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions(),
        with coders: ImageCoderRegistry
    ) -> CacheHit? {
        let found = found(key, tiers, data: data)
        guard case .entry(let entry)? = found else { return found?.hit }
        return decoded(entry, key, decode, coders)
    }

    private func memoryHit(_ key: CacheKey, _ tiers: CacheTiers) -> CacheHit? {
        guard tiers.contains(.memory) else { return nil }
        return image(for: key).map { CacheHit(image: $0, data: nil, tier: .memory) }
    }

    /// Blocks.
    private func found(_ key: CacheKey, _ tiers: CacheTiers, data wantsData: Bool) -> Found? {
        if let hit = memoryHit(key, tiers) ?? pixelHit(key, tiers) {
            guard wantsData, tiers.contains(.disk) else { return .hit(hit) }
            return .hit(CacheHit(image: hit.image, data: entry(for: key)?.data, tier: hit.tier))
        }
        return tiers.contains(.disk) ? entry(for: key).map { .entry($0) } : nil
    }

    private func pixelHit(_ key: CacheKey, _ tiers: CacheTiers) -> CacheHit? {
        guard tiers.contains(.pixels), let image = pixels(for: key) else { return nil }
        store(image, for: key)
        return CacheHit(image: image, data: nil, tier: .pixels)
    }

    private func decoded(
        _ entry: CacheEntry, _ key: CacheKey, _ options: DecodeOptions, _ coders: ImageCoderRegistry
    ) -> CacheHit? {
        let context = DecodeContext(options: options)
        do throws(TintypeError) {
            let image = try coders.decoder(for: entry.data, options).decodeChecked(entry.data, context: context)
            let known = key.isOriginal ? nil : StoredInfo(decoding: entry.metadata)
            let whole = known?.applied(to: image.pixels, scale: image.scale) ?? image
            // Not for longer than its bytes may be used.
            let timeToLive = entry.expires.map { Duration.seconds(max(0, $0.timeIntervalSinceNow)) }
            store(whole, for: key, timeToLive: timeToLive)
            return CacheHit(image: whole, data: entry.data, tier: .disk)
        } catch {
            // Bytes that no decoder here knows may be good for another program.
            if error.code == .undecodable { remove(key, from: .disk) }
            return nil
        }
    }
}

private enum Found {
    case hit(CacheHit)
    /// To be decoded.
    case entry(CacheEntry)

    var hit: CacheHit? {
        guard case .hit(let hit) = self else { return nil }
        return hit
    }
}

// MARK: - Storing

extension ImageCaching {
    /// Keeps a picture in some tiers. On disk it is its bytes; where there are none, an animation's own, or what the
    /// picture is encoded as: in the format that it came in, or else as JPEG if every pixel is opaque and as PNG if not.
    /// The disk has it after ``flush()``.
    ///
    /// - Parameters:
    ///   - tiers: not ``CacheTiers/pixels`` unless that is said.
    ///   - coders: to encode with.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``;
    ///   ``TintypeError/Code/cancelled``. Tiers before the disk have it then.
    public func store(
        _ image: Image, data: Data?, for key: CacheKey, in tiers: CacheTiers = [.memory, .disk],
        with coders: ImageCoderRegistry
    ) async throws(TintypeError) {
        if tiers.contains(.memory) { store(image, for: key) }
        guard !tiers.isDisjoint(with: [.disk, .pixels]) else { return }
        try await WorkQueue.pixels.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            if tiers.contains(.pixels) { self.storePixels(image, for: key) }
            if tiers.contains(.disk) { try self.storeEncoded(image, data, for: key, coders) }
        }
    }

    private func storeEncoded(
        _ image: Image, _ data: Data?, for key: CacheKey, _ coders: ImageCoderRegistry
    ) throws(TintypeError) {
        guard tiers.contains(.disk) else { return }
        guard !image.isPartial else {
            throw TintypeError(.encodeFailed, stage: .encode, "what is not the whole picture is not kept on disk")
        }
        let (bytes, format) =
            if let data { (data, FormatSniffer.format(of: data)) } else { try coders.encoded(image) }
        let metadata = key.isOriginal ? Data() : StoredInfo(image).encoded
        store(CacheEntry(data: bytes, format: format, metadata: metadata), for: key)
    }
}

extension ImageCoderRegistry {
    /// The bytes to keep of a picture that came without.
    fileprivate func encoded(_ image: Image) throws(TintypeError) -> (Data, ImageFormat?) {
        if let animation = image.animation {
            guard let bytes = animation.originalBytes else {
                throw TintypeError(.encodeFailed, stage: .encode, "an animation that was changed has no bytes to keep")
            }
            return (bytes, image.info.format)
        }
        let format = format(of: image)
        return (try encoder(for: format).encode(image.pixels, as: format, options: EncodeOptions()), format)
    }

    private func format(of image: Image) -> ImageFormat {
        let own = image.info.format
        let isOpaque = image.pixels.isOpaque
        if encodableFormats.contains(own), isOpaque || own != .jpeg { return own }
        return isOpaque ? .jpeg : .png
    }
}

/// What a query of a cache found.
public struct CacheHit: Sendable {
    /// The picture.
    public var image: Image
    /// The encoded bytes, where they were read or asked for and are there.
    public var data: Data?
    /// The tier that had the picture.
    public var tier: CacheTiers
}
