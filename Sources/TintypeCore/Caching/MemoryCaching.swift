/// A cache of decoded images in memory: the memory tier of an ``ImageCache``. ``MemoryCache`` is the one of Tintype.
///
/// All methods may be called from any thread, and must not block: a view asks for its image before it is drawn.
public protocol MemoryCaching: AnyObject, Sendable {
    /// Returns the image of a key, or `nil` if there is none or it has expired.
    func image(for key: CacheKey) -> Image?

    /// Returns whether there is an unexpired image for a key. Does not count as a use.
    func contains(_ key: CacheKey) -> Bool

    /// Stores an image, or refuses it. An older image of the same key is removed in either case.
    ///
    /// - Parameters:
    ///   - image: The decoded image.
    ///   - key: The key under which it is found.
    ///   - timeToLive: The longest time for which the image may be served; `nil` leaves this to the cache.
    /// - Returns: The number of other images that were evicted to make room.
    @discardableResult
    func store(_ image: Image, for key: CacheKey, timeToLive: Duration?) -> Int

    /// Removes the image of a key.
    func remove(_ key: CacheKey)

    /// Removes all images.
    func clear()

    /// Evicts images because the system lacks memory: see `MemoryPressure.remainder(of:)`.
    func shrink(for pressure: MemoryPressure)

    /// Whether the program shows no image at the moment, so that less memory may suffice. By default this changes
    /// nothing.
    var isHidden: Bool { get set }
}

extension MemoryCaching {
    /// Does nothing: by default, a cache has the same limits while the program is hidden.
    public var isHidden: Bool {
        get { false }
        set {}
    }
}

extension MemoryCache: MemoryCaching {}
