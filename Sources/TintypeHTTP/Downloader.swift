public import Foundation
public import TintypeCore

/// The ``TintypeCore/ImageLoader`` for `http:` and `https:` URLs, built on async-http-client.
///
/// Requests with equal method, URL, header fields and options share one transfer, from pipelines and from
/// ``download(_:options:priority:onProgress:)`` alike. A limited number of transfers run at once, the most urgent
/// first; a transfer frees its place before its bytes are decoded.
///
/// All methods may be called from any thread.
public final class Downloader: ImageLoader {
    struct State: Sendable {
        var configuration: DownloaderConfiguration
        /// The number of changes to the configuration.
        var generation = 0
        var isInvalidated = false
        /// The settings of requests without options, which nearly all share.
        var defaultSettings: TransferSettings?
    }

    let state: Locked<State>
    private let services: TransferServices
    let jobs = ByteJobs()

    /// Creates a downloader with a configuration.
    public init(_ configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        state = Locked(State(configuration: configuration))
        services = TransferServices(configuration)
    }

    /// The settings. Changes apply to transfers that start later; limits on the number and rate of transfers, and their
    /// order, apply at once.
    public var configuration: DownloaderConfiguration {
        get { state.withLock { $0.configuration } }
        set {
            state.withLock { state in
                state.configuration = newValue
                state.generation += 1
                state.defaultSettings = nil
            }
            services.apply(newValue)
        }
    }

    /// Whether a source is an `http:` or `https:` URL.
    public func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else {
            if case .http = source { return true } else { return false }
        }
        return url.isHTTP
    }

    /// Loads a source: starts a transfer, or joins the one for an equal request.
    ///
    /// - Throws: the error of the transfer; ``TintypeCore/TintypeError/Code/invalidated`` after
    ///   ``invalidate(cancellingAll:)``; ``TintypeCore/TintypeError/Code/cancelled`` when the task is cancelled.
    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let limit = context.received.limit
        let key = try key(source, context.extras, byteLimit: limit, stored: context.stored)
        return try await jobs.value(
            key, for: context.job, onStatus: { context.received.show($0) },
            work: transfer(of: source, context.extras, byteLimit: limit, stored: context.stored))
    }

    /// Decides how a stored response may be used (RFC 9111, for a private cache).
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, _ extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        // Without the header fields of the response, its freshness is unknown.
        guard let response = StoredResponse(decoding: stored.metadata),
            let request = try? DownloadRequest(source, settings(extras, byteLimit: .max))
        else { return .stale(usableOnError: true) }
        return Freshness(request: request, stored: response, now: now).verdict
    }

    // MARK: All transfers

    /// Whether waiting transfers stay in the queue. Running transfers continue.
    public var isSuspended: Bool {
        get { services.queue.isSuspended }
        set { services.queue.isSuspended = newValue }
    }

    /// The number of transfers that run or wait; one that several callers share counts once.
    public var currentDownloadCount: Int { jobs.count }

    /// The number of running transfers.
    public var runningDownloadCount: Int { services.queue.runningCount }

    /// Cancels every transfer: all callers get ``TintypeCore/TintypeError/Code/cancelled``.
    public func cancelAll() {
        jobs.cancelAll()
    }

    /// Stops accepting requests: later calls fail with ``TintypeCore/TintypeError/Code/invalidated``.
    ///
    /// - Parameter cancellingAll: whether running and waiting transfers are cancelled. Otherwise they complete.
    public func invalidate(cancellingAll: Bool = false) {
        state.withLock { $0.isInvalidated = true }
        if cancellingAll { cancelAll() }
    }

    // MARK: One transfer

    /// Returns the key by which equal requests find their transfer.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/invalidated`` after ``invalidate(cancellingAll:)``.
    func key(
        _ source: ImageSource, _ extras: RequestExtras, byteLimit: Int, stored: CacheEntry?
    ) throws(TintypeError) -> ByteJobKey {
        let (generation, isInvalidated) = state.withLock { ($0.generation, $0.isInvalidated) }
        guard !isInvalidated else {
            throw TintypeError(.invalidated, stage: .load, "the downloader was invalidated")
        }
        return ByteJobKey(
            source: source.identity, extras: extras, byteLimit: byteLimit, stored: stored?.metadata,
            generation: generation)
    }

    /// Returns the settings of a request.
    private func settings(_ extras: RequestExtras, byteLimit: Int) -> TransferSettings {
        let isDefault = !extras.contains(HTTPOptionsKey.self)
        return state.withLock { state in
            if isDefault, let settings = state.defaultSettings, settings.byteLimit == byteLimit { return settings }
            let settings = TransferSettings(
                configuration: state.configuration, options: extras[HTTPOptionsKey.self], byteLimit: byteLimit)
            if isDefault { state.defaultSettings = settings }
            return settings
        }
    }

    /// Returns the work of one job: a transfer.
    func transfer(
        of source: ImageSource, _ extras: RequestExtras, byteLimit: Int, stored: CacheEntry?
    ) -> ByteJobs.Work {
        let settings = settings(extras, byteLimit: byteLimit)
        return { [services] (job, report) throws(TintypeError) in
            try await Transfer(of: source, settings, services, stored: stored, for: job, report).run()
        }
    }
}

extension Downloader {
    /// The limit of ``download(_:options:priority:onProgress:)`` without one in its options.
    private var defaultByteLimit: Int { state.withLock { $0.configuration.maximumByteCount } ?? 64 << 20 }

    /// Starts a transfer, or joins the one for an equal request.
    ///
    /// - Parameters:
    ///   - source: an `http:` or `https:` URL, or an ``TintypeCore/HTTPSource``.
    ///   - options: the HTTP options of the request.
    ///   - priority: the priority in the queue.
    ///   - onProgress: called on any thread, which it must not block. A caller that joins late gets the current
    ///     progress.
    /// - Returns: the caller's share of the transfer. It has already failed when the source cannot be requested.
    @discardableResult
    public func download(
        _ source: ImageSource, options: HTTPOptions = HTTPOptions(), priority: ImagePriority = .normal,
        onProgress: (@Sendable (LoadProgress) -> Void)? = nil
    ) -> Download {
        let download = Download(priority, onProgress)
        do throws(TintypeError) {
            try start(download, source, options)
        } catch {
            download.finish(.failure(error))
        }
        return download
    }

    private func start(_ download: Download, _ source: ImageSource, _ options: HTTPOptions) throws(TintypeError) {
        let limit = options.maximumByteCount ?? defaultByteLimit
        var extras = RequestExtras()
        if !options.isDefault { extras[HTTPOptionsKey.self] = options }
        let key = try key(source, extras, byteLimit: limit, stored: nil)
        let receiver = ByteJobs.Receiver(
            onStatus: { download.update($0) }, onEnd: { download.finish($0) })
        let priority = download.priority
        let subscription = jobs.attach(key, at: priority, receiver: receiver) {
            self.transfer(of: source, extras, byteLimit: limit, stored: nil)
        }
        download.bind(subscription, at: priority)
    }
}
