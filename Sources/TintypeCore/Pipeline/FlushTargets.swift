/// Loaders and caches that write files in the background.
struct FlushTarget: Sendable {
    let loaders: [any FlushableLoader]
    let caches: [any ImageCaching]

    /// Waits until all of them have written everything stored so far.
    ///
    /// - Throws: The first error, after all of them have been flushed.
    func flush() async throws(TintypeError) {
        var first: TintypeError?
        for loader in loaders {
            let error = await TintypeError.thrown { () throws(TintypeError) in try await loader.flush() }
            first = first ?? error
        }
        for cache in caches {
            let error = await TintypeError.thrown { () throws(TintypeError) in try await cache.flush() }
            first = first ?? error
        }
        if let first { throw first }
    }
}

/// The parts of ``RequestOverrides`` that may have something to write: those of at most ``capacity`` overrides, so that
/// a program which creates new ones for every request does not fill the memory.
///
/// They are held until they are flushed, because a flush includes them even if the program has released the overrides.
/// The overrides themselves, and images in memory, are not held.
struct FlushTargets: Sendable {
    static let capacity = 64

    private struct Entry: Sendable {
        weak let overrides: RequestOverrides?
        let target: FlushTarget
    }

    private var entries: [Entry] = []

    /// Adds the parts of some overrides that write, unless they are present.
    ///
    /// - Returns: The oldest ones if there are too many. The caller flushes them.
    mutating func add(_ overrides: RequestOverrides) -> FlushTarget? {
        guard !entries.contains(where: { $0.overrides === overrides }), let target = FlushTarget(overrides) else {
            return nil
        }
        entries.append(Entry(overrides: overrides, target: target))
        return entries.count > Self.capacity ? entries.removeFirst().target : nil
    }

    /// Removes and returns all of them, the oldest first.
    mutating func takeAll() -> [FlushTarget] {
        defer { entries = [] }
        return entries.map(\.target)
    }
}

extension FlushTarget {
    /// - Returns: `nil` if the overrides bring nothing that writes.
    fileprivate init?(_ overrides: RequestOverrides) {
        loaders = ImageLoaderChain(overrides.loader.map { [$0] } ?? []).flushable
        caches = [overrides.originalCache, overrides.cache].compactMap { $0?.withoutMemory }
        guard !loaders.isEmpty || !caches.isEmpty else { return nil }
    }
}

extension ImageCaching {
    /// The tiers of this cache that are slower than memory; `nil` if there are none.
    fileprivate var withoutMemory: (any ImageCaching)? {
        switch self {
        case let cache as ImageCache:
            cache.disk == nil && cache.pixels == nil
                ? nil : ImageCache(memory: nil, disk: cache.disk, pixels: cache.pixels, coders: cache.coders)
        case let chain as ImageCacheChain:
            ImageCacheChain(chain.caches.compactMap { $0.withoutMemory }, rules: chain.rules)
        default: self
        }
    }
}
