public import TintypeCore

/// The settings of a ``SharedCache``.
public struct SharedCacheConfiguration: Sendable {
    /// How long entries live in the store, ±10 % at random, so that entries that were stored together do not expire
    /// together. `nil` leaves this to the store. By default one day.
    ///
    /// Choose days for a small store in memory and a month for a bucket. The tier does not use an entry that is older,
    /// nor one after its own expiry date, even if the store still has it.
    public var timeToLive: Duration? = .seconds(24 * 3600)

    /// The longest time of a read, in addition to the time limits of the store. By default 1 second.
    public var readLimit = Duration.seconds(1)

    /// The bounds of the wait for a read, by default 50 to 250 milliseconds. Within them it depends on how long the
    /// last reads have taken. A read that takes longer is a miss; it goes on up to ``readLimit``, to measure the store.
    ///
    /// Choose the upper bound by what a miss costs: there is no use in waiting much longer than that.
    public var readWait = Duration.milliseconds(50)...Duration.milliseconds(250)

    /// The longest wait for a write, in addition to the time limits of the store. By default 10 seconds.
    public var writeLimit = Duration.seconds(10)

    /// The longest wait of ``SharedCache/flush()``. By default 10 seconds.
    public var flushLimit = Duration.seconds(10)

    /// The bound on the bytes that wait to be written. When it is exceeded, the oldest waiting entries are dropped. By
    /// default 64 MB.
    public var queueByteLimit = 64 << 20

    /// Returns whether the entry of a key may be in the store; by default `CacheKey.isShareable`. Called
    /// on any thread, so it must be fast.
    ///
    /// For a store that holds only small values, let it accept renditions alone.
    public var accepts: @Sendable (CacheKey) -> Bool = { $0.isShareable }

    /// Creates the default settings.
    public init() {}

    var readTime: CallTime { CallTime(limit: readLimit, wait: readWait) }
    var writeTime: CallTime { CallTime(limit: writeLimit) }
}
