public import Foundation

/// A cache of a tier in memory and two on disk, each of which may be missing or replaced.
public struct ImageCache: ImageCaching {
    /// For decoded pictures; `nil` for none.
    public let memory: MemoryCache?
    /// For encoded bytes; `nil` for none.
    public let disk: (any DataCaching)?
    /// For renditions whose request wants it: see ``LoadPolicy/StoredForm/pixels``.
    public let pixels: (any PixelCaching)?
    /// For ``query(_:among:data:decode:)`` and for pictures that are stored without their bytes; a pipeline uses its own.
    public let coders: ImageCoderRegistry

    public init(
        memory: MemoryCache? = MemoryCache(), disk: (any DataCaching)? = nil, pixels: (any PixelCaching)? = nil,
        coders: ImageCoderRegistry = ImageCoderRegistry()
    ) {
        self.memory = memory
        self.disk = disk
        self.pixels = pixels
        self.coders = coders
    }

    public var tiers: CacheTiers {
        var tiers: CacheTiers = []
        if memory != nil { tiers.insert(.memory) }
        if disk != nil { tiers.insert(.disk) }
        if pixels != nil { tiers.insert(.pixels) }
        return tiers
    }

    public func image(for key: CacheKey) -> Image? { memory?.image(for: key) }

    @discardableResult
    public func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int {
        memory?.store(image, for: key, timeToLive: timeToLive) ?? 0
    }

    public func entry(for key: CacheKey) -> CacheEntry? { disk?.entry(for: key) }

    public func store(_ entry: CacheEntry, for key: CacheKey) { disk?.store(entry, for: key) }

    public func pixels(for key: CacheKey) -> Image? { pixels?.image(for: key) }

    @discardableResult
    public func storePixels(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Bool {
        pixels?.store(image, for: key, timeToLive: timeToLive) ?? false
    }

    public func remove(_ key: CacheKey, from tiers: CacheTiers) {
        if tiers.contains(.memory) { memory?.remove(key) }
        if tiers.contains(.disk) { disk?.remove(key) }
        if tiers.reachesPixels { pixels?.remove(key) }
    }

    public func tiers(holding key: CacheKey, among tiers: CacheTiers) -> CacheTiers {
        var found: CacheTiers = []
        if tiers.contains(.memory), memory?.contains(key) ?? false { found.insert(.memory) }
        if tiers.contains(.disk), disk?.contains(key) ?? false { found.insert(.disk) }
        if tiers.contains(.pixels), pixels?.contains(key) ?? false { found.insert(.pixels) }
        return found
    }

    public func clear(_ tiers: CacheTiers) async throws(TintypeError) {
        if tiers.contains(.memory) { memory?.clear() }
        try await onDisks { () throws(TintypeError) in
            if tiers.contains(.disk) { try await disk?.removeAll() }
        } and: { () throws(TintypeError) in
            if tiers.reachesPixels { try await pixels?.removeAll() }
        }
    }

    public func flush() async throws(TintypeError) {
        try await onDisks { () throws(TintypeError) in
            try await disk?.flush()
        } and: { () throws(TintypeError) in
            try await pixels?.flush()
        }
    }

    /// Reaches both, even if the first fails.
    ///
    /// - Throws: the first error.
    private func onDisks(
        _ first: () async throws(TintypeError) -> Void, and second: () async throws(TintypeError) -> Void
    ) async throws(TintypeError) {
        let errors = [await TintypeError.thrown(by: first), await TintypeError.thrown(by: second)]
        if let error = errors.compactMap(\.self).first { throw error }
    }
}

extension ImageCache {
    /// The picture of a key: from memory, without suspending; as pixels from disk; or decoded from its bytes there with
    /// ``coders``, and kept in memory then. `nil` is a miss, and so are bytes that do not decode, which are removed.
    ///
    /// - Parameters:
    ///   - tiers: that may answer.
    ///   - data: whether the bytes are wanted even when memory has the picture.
    ///   - decode: what to make of the bytes. What was stored under a key is best asked for in one way.
    /// - Throws: ``TintypeError/Code/cancelled`` when the task was cancelled before its turn.
    public func query(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions()
    ) async throws(TintypeError) -> CacheHit? {
        try await query(key, among: tiers, data: data, decode: decode, with: coders)
    }

    /// The same on the calling thread. **Blocks** while the disk is read and the picture is decoded: for the one that has
    /// to be there when a window opens.
    public func blockingQuery(
        _ key: CacheKey, among tiers: CacheTiers = .all, data: Bool = false, decode: DecodeOptions = DecodeOptions()
    ) -> CacheHit? {
        blockingQuery(key, among: tiers, data: data, decode: decode, with: coders)
    }

    /// Keeps a picture in some tiers. On disk it is its bytes; where there are none, an animation's own, or what
    /// ``coders`` encode the picture as: in the format that it came in, or else as JPEG if every pixel is opaque and as PNG
    /// if not. The disk has it after ``flush()``.
    ///
    /// - Parameter tiers: not ``CacheTiers/pixels`` unless that is said.
    /// - Throws: ``TintypeError/Code/noCoder``, ``TintypeError/Code/encodeFailed``, ``TintypeError/Code/outOfMemory``;
    ///   ``TintypeError/Code/cancelled``. Tiers before the disk have it then.
    public func store(
        _ image: Image, data: Data?, for key: CacheKey, in tiers: CacheTiers = [.memory, .disk]
    ) async throws(TintypeError) {
        try await store(image, data: data, for: key, in: tiers, with: coders)
    }
}

extension TintypeError {
    /// What `body` throws, for who has more to do before it is told.
    static func thrown(by body: () async throws(TintypeError) -> Void) async -> TintypeError? {
        do throws(TintypeError) { try await body() } catch { return error }
        return nil
    }
}
