public import Foundation

/// A cache with a memory tier and two disk tiers, each of which may be absent or replaced.
public struct ImageCache: ImageCaching {
    /// The tier of decoded images in memory, or `nil` for none.
    public let memory: (any MemoryCaching)?
    /// The tier of encoded images on disk, or `nil` for none.
    public let disk: (any DataCaching)?
    /// The tier of decoded images on disk, or `nil` for none. It holds the renditions of requests that ask for it: see
    /// ``LoadPolicy/StoredForm/pixels``.
    public let pixels: (any PixelCaching)?
    /// The codecs for ``query(_:among:data:decode:)`` and for images stored without their bytes. A pipeline uses its
    /// own.
    package let coders: ImageCoderRegistry

    /// Creates a cache from its tiers. By default it has only a memory tier with the standard limits.
    public init(
        memory: (any MemoryCaching)? = MemoryCache(), disk: (any DataCaching)? = nil,
        pixels: (any PixelCaching)? = nil,
        coders: ImageCoderRegistry = ImageCoderRegistry()
    ) {
        self.memory = memory
        self.disk = disk
        self.pixels = pixels
        self.coders = coders
    }

    /// The tiers that are present.
    public var tiers: CacheTiers {
        var tiers: CacheTiers = []
        if memory != nil { tiers.insert(.memory) }
        if disk != nil { tiers.insert(.disk) }
        if pixels != nil { tiers.insert(.pixels) }
        return tiers
    }

    /// Returns the decoded image in memory, or `nil` for a miss. Never blocks.
    public func image(for key: CacheKey) -> Image? { memory?.image(for: key) }

    /// Sets ``MemoryCaching/isHidden`` of the memory tier.
    public func setHidden(_ isHidden: Bool) { memory?.isHidden = isHidden }

    /// Stores a decoded image in memory. Never blocks.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served, if less than ``CacheLimits/age``.
    /// - Returns: The number of other images that were evicted to make room.
    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
        memory?.store(image, for: key, timeToLive: timeToLive) ?? 0
    }

    /// Returns the verified disk entry, or `nil` for a miss. Blocks.
    public func entry(for key: CacheKey) -> CacheEntry? { disk?.entry(for: key) }

    /// Stores an entry on disk. Returns at once.
    public func store(_ entry: CacheEntry, for key: CacheKey) { disk?.store(entry, for: key) }

    /// Returns the decoded image in the pixel tier, or `nil` for a miss. Blocks.
    public func pixels(for key: CacheKey) -> Image? { pixels?.image(for: key) }

    /// Stores the decoded pixels of an image on disk. Returns at once.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: How long the image may be served; `nil` leaves this to the limits of the tier.
    /// - Returns: Whether the pixel tier accepted the image; `false` if there is none.
    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        pixels?.store(image, for: key, timeToLive: timeToLive) ?? false
    }

    /// Removes the entry of a key. Removing it from the disk also removes its pixels.
    ///
    /// Blocks if `tiers` contains the disk or the pixels.
    public func remove(_ key: CacheKey, from tiers: CacheTiers) {
        if tiers.contains(.memory) { memory?.remove(key) }
        if tiers.contains(.disk) { disk?.remove(key) }
        if tiers.reachesPixels { pixels?.remove(key) }
    }

    /// Returns the tiers that hold an entry for a key. Blocks if `tiers` contains the disk or the pixels.
    public func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        var holding: CacheTiers = []
        if tiers.contains(.memory), memory?.contains(key) ?? false { holding.insert(.memory) }
        if tiers.contains(.disk), disk?.contains(key) ?? false { holding.insert(.disk) }
        if tiers.contains(.pixels), pixels?.contains(key) ?? false { holding.insert(.pixels) }
        return holding
    }

    /// Removes all entries of some tiers. Clearing the disk also clears the pixels.
    ///
    /// Both disk tiers are cleared even if the first one fails.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if the files cannot be removed.
    public func clear(_ tiers: CacheTiers) async throws(TintypeError) {
        if tiers.contains(.memory) { memory?.clear() }
        try await runBoth { () throws(TintypeError) in
            if tiers.contains(.disk) { try await disk?.removeAll() }
        } and: { () throws(TintypeError) in
            if tiers.reachesPixels { try await pixels?.removeAll() }
        }
    }

    /// Waits, without blocking, until both disk tiers have written everything stored so far.
    ///
    /// - Throws: ``TintypeError/Code/unwritable`` if a write has failed since the last call.
    public func flush() async throws(TintypeError) {
        try await runBoth { () throws(TintypeError) in
            try await disk?.flush()
        } and: { () throws(TintypeError) in
            try await pixels?.flush()
        }
    }

    /// Runs both closures in order, the second even if the first throws.
    ///
    /// - Throws: The first error.
    private func runBoth(
        _ first: () async throws(TintypeError) -> Void, and second: () async throws(TintypeError) -> Void
    ) async throws(TintypeError) {
        let errors = [await TintypeError.thrown(by: first), await TintypeError.thrown(by: second)]
        if let error = errors.compactMap(\.self).first { throw error }
    }
}

// MARK: - Use without a pipeline

extension ImageCache {
    /// Returns the image of a key from the first tier that has it.
    ///
    /// A memory hit does not suspend. Otherwise an original in memory is reduced to the requested part and size, if
    /// that is possible; then the pixel tier is read; then the disk entry is decoded with `coders`. If `tiers`
    /// contains the memory, an image from disk is stored there, at most until the entry expires.
    ///
    /// Returns `nil` for a miss. Damaged bytes are a miss too. They are removed from the disk unless `decode` names the
    /// decoder.
    ///
    /// - Parameters:
    ///   - key: The key of the image.
    ///   - tiers: The tiers to read. Others are neither read nor filled.
    ///   - data: Whether to return the encoded bytes even if the image comes from memory or the pixel tier.
    ///   - decode: How to decode the bytes of an original. The result is stored under the key that a pipeline would
    ///     use: it never replaces the original in memory.
    /// - Throws: ``TintypeError/Code/cancelled`` if the task is cancelled before the read or the decode starts.
    public func query(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions()
    ) async throws(TintypeError) -> CacheHit? {
        try await query(key, among: tiers, data: data, decode: decode, with: coders)
    }

    /// Returns the image of a key from the first tier that has it, on the calling thread.
    ///
    /// **Blocks** while the disk is read and the image is decoded. Use it for an image that must be present when a
    /// window opens. See ``query(_:among:data:decode:)`` for the parameters.
    public func blockingQuery(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions()
    ) -> CacheHit? {
        blockingQuery(key, among: tiers, data: data, decode: decode, with: coders)
    }

    /// Stores an image in some tiers, encoded with `coders` if it comes without bytes. It is on disk after
    /// ``flush()``.
    ///
    /// The disk stores the first of these that it can:
    /// - `data`;
    /// - the original bytes of an animation;
    /// - for an animation without original bytes, all frames, encoded in its own format, else as PNG, else in any
    ///   format for which there is an encoder of animations;
    /// - the image encoded in its own format, if there is an encoder and the format can store its transparency;
    /// - the image encoded as JPEG if all pixels are opaque, otherwise as PNG.
    ///
    /// - Parameters:
    ///   - image: The image.
    ///   - data: The encoded bytes of the image, if the caller has them.
    ///   - key: The key of the image.
    ///   - tiers: The tiers to store the image in. ``CacheTiers/pixels`` is not among the defaults.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``
    ///   or ``TintypeError/Code/cancelled``. The memory and pixel tiers may already hold the image then.
    public func store(
        _ image: Image, data: Data?, for key: CacheKey, in tiers: CacheTiers = [.memory, .disk]
    ) async throws(TintypeError) {
        try await store(image, data: data, for: key, in: tiers, with: coders)
    }
}

extension TintypeError {
    /// Returns the error that `body` throws, for callers that continue with other work before they throw it.
    static func thrown(by body: () async throws(TintypeError) -> Void) async -> TintypeError? {
        do throws(TintypeError) { try await body() } catch { return error }
        return nil
    }
}
