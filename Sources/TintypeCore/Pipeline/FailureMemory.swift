/// The sources that recently failed in a pipeline, so that a scrolling list does not request the same broken image
/// repeatedly.
///
/// By default, a failure is remembered if the bytes are not an image, or if the source can never be loaded. Failures of
/// the network or the server are not remembered, because they may be transient. See ``Settings``. All members may be
/// called from any thread.
public final class FailureMemory: Sendable {
    /// Which failures are remembered, how many, and for how long.
    public struct Settings: Sendable {
        /// The largest number of sources that are remembered; 0 remembers none.
        public var capacity: Int
        /// How long each failure is remembered.
        public var timeToLive: Duration
        /// How long it is remembered that a server has no image (status 404 or 410); zero, the default, does not
        /// remember it.
        public var missingTimeToLive = Duration.zero
        /// Returns whether a retry would fail in the same way. `nil`, the default, leaves this to the loader of the
        /// source: see ``ImageLoader/isLasting(_:of:)``.
        public var shouldRemember: (@Sendable (ImageSource, TintypeError) -> Bool)?

        /// Creates settings. By default at most 1,000 failures are remembered, for ten minutes each.
        public init(
            capacity: Int = 1000, timeToLive: Duration = .seconds(600),
            shouldRemember: (@Sendable (ImageSource, TintypeError) -> Bool)? = nil
        ) {
            self.capacity = capacity
            self.timeToLive = timeToLive
            self.shouldRemember = shouldRemember
        }
    }

    private let table: Locked<FailureTable>
    private let name: @Sendable (ImageRequest) -> String
    private let settings: Settings
    private let time: TimeSource

    /// - Parameter name: Returns the name of a request's source in keys.
    init(
        _ settings: Settings = Settings(), time: TimeSource, name: @escaping @Sendable (ImageRequest) -> String
    ) {
        self.time = time
        self.name = name
        self.settings = settings
        table = Locked(FailureTable(capacity: settings.capacity))
    }

    /// The remembered errors by ``CacheKey/source``. If a source failed for several kinds of requests, the value is one
    /// of its errors.
    ///
    /// The key of a local file also contains its time of modification and its size (``FileIdentity``), so look up a
    /// source by ``ImagePipeline/cacheKey(for:)`` rather than by its URL.
    public var all: [String: TintypeError] {
        let now = time.uptime()
        return table.withLock { $0.all(at: now) }
    }

    /// Allows every request to try the source of a request again. The pipeline's interceptors are applied to the
    /// request first. O(number of remembered sources).
    public func forget(_ request: ImageRequest) {
        let name = name(request)
        table.withLock { $0.forgetAll(of: name) }
    }

    /// Allows every source to be tried again.
    public func forgetAll() {
        table.withLock { $0.forgetAll() }
    }

    /// Forgets a failure because the source was loaded and decoded.
    func forget(_ key: FailureKey) {
        table.withLock { $0.forget(key) }
    }

    /// - Throws: ``TintypeError/Code/failedBefore`` if the source of a request is remembered, with its error as the
    ///   cause.
    func check(_ request: ImageRequest) throws(TintypeError) {
        let now = time.uptime()
        guard let error = table.withLock({ $0.failure(of: FailureKey(request), at: now) }) else { return }
        throw TintypeError(
            .failedBefore, stage: .load, "failed before: \(error.message)", subject: request.source.displayName,
            underlying: error)
    }

    /// Remembers a failure, if a retry would fail in the same way.
    ///
    /// - Parameter loader: Decides whether a retry would fail in the same way, unless ``Settings/shouldRemember`` is
    ///   set.
    func remember(_ error: TintypeError, of request: ImageRequest, judgedBy loader: some ImageLoader) {
        let key = FailureKey(request)
        guard error.code != .cancelled, key.isShort else { return }
        let isLasting = settings.shouldRemember?(request.source, error) ?? loader.isLasting(error, of: request.source)
        let timeToLive = isLasting ? settings.timeToLive : error.isMissing ? settings.missingTimeToLive : .zero
        guard timeToLive > .zero else { return }
        let expiry = time.uptime() + timeToLive
        table.withLock { $0.remember(error, of: key, until: expiry) }
    }
}

extension TintypeError {
    /// Whether the source itself is at fault, so that a retry would fail in the same way.
    ///
    /// These are the errors that SDWebImage remembers: its errors 1000 and 1001, and permanent network errors. A body
    /// that is too large is one of them, because a retry would load it only to refuse it again. A status is not,
    /// because the server may change it. Neither is ``Code/notAnimated``, because the image is intact and only one
    /// request refuses it.
    public var isLasting: Bool {
        [
            .invalidSource, .notAnImage, .noCoder, .undecodable, .decoderCrashed, .undecipherable, .emptyBody,
            .limitExceeded, .insecure,
            .tooManyRedirects,
        ].contains(code)
    }

    /// Whether the server has no such image (RFC 9110, 15.5.5 and 15.5.11).
    fileprivate var isMissing: Bool { code == .badStatus && (status == 404 || status == 410) }
}

/// The key of a failure: a source, the request's own loader and its extras. Other requests may succeed with the same
/// source.
struct FailureKey: Hashable, Sendable {
    let source: String
    private let loader: RequestOverrides.Identity?
    private let extras: RequestExtras
    /// A strict request fails where others succeed.
    private let verification: LoadPolicy.Verification

    init(_ request: ImageRequest) {
        source = request.key.source
        loader = request.overrides?.loader == nil ? nil : request.overrides?.identity
        extras = request.extras
        verification = request.policy.verification
    }

    /// Whether the name is short enough to be stored. A retry of a data URL costs no transfer.
    var isShort: Bool { CacheKey.isShort(source) }

    /// Hashes the source alone: the rest seldom differs.
    func hash(into hasher: inout Hasher) {
        hasher.combine(source)
    }
}

/// The failures of a ``FailureMemory``. Beyond ``capacity``, the oldest is removed.
struct FailureTable: Sendable {
    let capacity: Int
    private var failures: [FailureKey: (error: TintypeError, expiry: Duration, number: Int)] = [:]
    private var order: ArraySlice<(key: FailureKey, number: Int)> = []
    private var lastNumber = 0

    init(capacity: Int) {
        self.capacity = max(0, capacity)
    }

    /// Returns the error of a source, if it is still remembered.
    mutating func failure(of key: FailureKey, at now: Duration) -> TintypeError? {
        guard let failure = failures[key] else { return nil }
        guard now < failure.expiry else {
            failures[key] = nil
            return nil
        }
        return failure.error
    }

    mutating func remember(_ error: TintypeError, of key: FailureKey, until expiry: Duration) {
        guard capacity > 0 else { return }
        lastNumber += 1
        failures[key] = (error, expiry, lastNumber)
        order.append((key, lastNumber))
        while failures.count > capacity || order.count > 2 * capacity, let oldest = order.popFirst() {
            // A newer failure or a success may have replaced this entry.
            if failures[oldest.key]?.number == oldest.number { failures[oldest.key] = nil }
        }
    }

    mutating func forget(_ key: FailureKey) {
        failures[key] = nil
    }

    /// Forgets a source, however it was requested. O(number of remembered failures).
    mutating func forgetAll(of source: String) {
        failures = failures.filter { $0.key.source != source }
    }

    mutating func forgetAll() {
        failures = [:]
        order = []
    }

    /// Returns everything that is remembered now.
    func all(at now: Duration) -> [String: TintypeError] {
        let current = failures.filter { now < $0.value.expiry }
        return Dictionary(current.map { ($0.key.source, $0.value.error) }, uniquingKeysWith: { first, _ in first })
    }
}
