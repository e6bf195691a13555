import TintypeCore

/// A limit on the rate at which requests start: a token bucket.
public struct StartRate: Hashable, Sendable {
    /// The number of requests per second, in the long run.
    package var perSecond: Double
    /// The maximum number of requests that start at once after a pause, at least 1.
    package var burst: Int

    /// Creates a limit with a rate and a burst.
    public init(perSecond: Double, burst: Int) {
        self.perSecond = perSecond
        self.burst = burst
    }
}

/// Limits a rate: tokens accrue at a steady rate, up to a burst, and each event takes some. A pure struct: the time is
/// an argument.
///
/// An event that finds too few tokens takes the next ones in advance, and waits until they accrue. All operations are
/// O(1).
struct TokenBucket: Sendable {
    struct Rate: Hashable, Sendable {
        var perSecond: Double
        /// The maximum number of tokens, at least 1.
        var burst: Double
    }

    /// `nil` for no limit.
    var rate: Rate?
    /// The number of tokens at ``last``; negative when some were taken in advance. `nil` before the first event.
    private var tokens: Double?
    /// The uptime of the last event.
    private var last = Duration.zero

    init(_ rate: Rate?) {
        self.rate = rate
    }

    init(_ rate: StartRate?) {
        self.init(rate.map(Rate.init))
    }

    /// Takes tokens, and returns how long to wait for them.
    ///
    /// - Parameter count: At least 0; may exceed the burst.
    mutating func take(_ count: Int = 1, at now: Duration) -> Duration {
        guard let rate, rate.perSecond > 0 else { return .zero }
        let burst = max(1, rate.burst)
        let gained = max(0, (now - last) / .seconds(1)) * rate.perSecond
        let left = min(burst, (tokens ?? burst) + gained) - Double(count)
        tokens = left
        last = now
        return left >= 0 ? .zero : .seconds(-left / rate.perSecond)
    }
}

extension TokenBucket.Rate {
    /// Creates a bucket in which each token stands for the start of one request.
    init(_ rate: StartRate) {
        self.init(perSecond: rate.perSecond, burst: Double(rate.burst))
    }

    /// Creates a bucket in which each token stands for one byte. The burst is what arrives in a tenth of a second, so
    /// that a late timer loses nothing.
    init(bytesPerSecond: Int) {
        self.init(perSecond: Double(max(1, bytesPerSecond)), burst: Double(bytesPerSecond) / 10)
    }
}

/// Limits the rate at which all transfers of a downloader receive their bodies: a ``TokenBucket`` of bytes behind a
/// lock.
///
/// A part of a body takes its bytes when it has arrived. Until they have accrued, its connection is not read, so that
/// the origin waits and no memory fills.
final class ByteRateLimiter: Sendable {
    private let bucket: Locked<TokenBucket>
    private let clock: TransferClock

    init(_ configuration: DownloaderConfiguration) {
        bucket = Locked(TokenBucket(Self.rate(of: configuration)))
        clock = configuration.clock
    }

    /// Adopts the limit of a configuration. Parts that wait are not affected.
    func apply(_ configuration: DownloaderConfiguration) {
        bucket.withLock { $0.rate = Self.rate(of: configuration) }
    }

    private static func rate(of configuration: DownloaderConfiguration) -> TokenBucket.Rate? {
        configuration.maximumBytesPerSecond.map(TokenBucket.Rate.init(bytesPerSecond:))
    }

    /// Counts bytes that have arrived.
    ///
    /// - Returns: How long to wait before more are read.
    func take(_ byteCount: Int) -> Duration {
        let now = clock.uptime()
        return bucket.withLock { $0.take(byteCount, at: now) }
    }

    /// Calls a closure once after a duration, on any thread.
    func schedule(_ delay: Duration, _ body: @escaping @Sendable () -> Void) {
        clock.schedule(delay, body)
    }
}
