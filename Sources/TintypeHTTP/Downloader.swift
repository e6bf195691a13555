public import Foundation
public import TintypeCore

/// Loads `http:` and `https:` URLs: the HTTP ``TintypeCore/ImageLoader``, on async-http-client.
///
/// Equal requests share one transfer, whichever pipeline or program they come from: requests with the same method, URL, header
/// fields and options. A few transfers run at once, the most urgent first. A transfer leaves its slot before its bytes are
/// decoded. All members may be called from any thread.
public final class Downloader: ImageLoader {
    private struct State: Sendable {
        var configuration: DownloaderConfiguration
        /// The number of times that the configuration has changed.
        var generation = 0
        var isInvalidated = false
        /// The settings of requests without options of their own. Stored, because nearly all requests are such.
        var plain: TransferSettings?
    }

    private let state: Locked<State>
    private let services: TransferServices
    /// The table in which transfers are shared, for direct callers and for pipelines.
    package let loads = ByteLoads()

    /// Creates a downloader. Nothing is started or opened before the first transfer.
    public init(_ configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        state = Locked(State(configuration: configuration))
        services = TransferServices(configuration)
    }

    /// The settings. A change applies to transfers that start later; the limits on concurrent transfers and their order change
    /// at once.
    public var configuration: DownloaderConfiguration {
        get { state.withLock { $0.configuration } }
        set {
            state.withLock { state in
                state.configuration = newValue
                state.generation += 1
                state.plain = nil
            }
            services.apply(newValue)
        }
    }

    /// Starts a transfer, or joins that of an equal request.
    ///
    /// - Parameters:
    ///   - options: What this request wants of HTTP beside its source.
    ///   - onProgress: Called on any thread, which it must not block. A late caller is told the current progress first.
    /// - Returns: The caller's share in the transfer. It has failed already if the source cannot be requested.
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
        var extras = RequestExtras()
        if !options.isDefault { extras[HTTPOptionsKey.self] = options }
        let request = ByteRequest(
            source: source, extras: extras, byteLimit: options.maximumByteCount ?? defaultByteLimit, stored: nil)
        let key = try key(for: request)
        let receiver = ByteLoads.Receiver(onStatus: { download.update($0) }, onEnd: { download.finish($0) })
        let priority = download.priority
        let subscription = loads.attach(key, at: priority, receiver: receiver) { self.work(for: request) }
        download.bind(subscription, subscribedAt: priority)
    }

    /// The largest body in bytes that ``download(_:options:priority:onProgress:)`` accepts by default.
    private var defaultByteLimit: Int { state.withLock { $0.configuration.maximumByteCount } ?? 64 << 20 }
}

// MARK: - As the loader of a pipeline

extension Downloader: SharedLoader {
    /// Returns whether the source is an `http:` or `https:` URL.
    public func canLoad(_ source: ImageSource) -> Bool {
        switch source {
        case .url(let url): url.isHTTP
        case .http: true
        case .bytes, .closure: false
        }
    }

    /// Joins the transfer of equal requests, or starts it.
    ///
    /// - Throws: The error of the transfer, or ``TintypeCore/TintypeError/Code/cancelled``.
    @concurrent
    public func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let request = ByteRequest(
            source: source, extras: context.extras, byteLimit: context.received.limit, stored: context.stored)
        return try await loads.value(
            try key(for: request), for: context.job, onStatus: { context.received.show($0) }, work: work(for: request))
    }

    /// Returns whether a stored response may be used again: RFC 9111, for a private cache.
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        // Nothing is known of an entry that was stored without the head of its response.
        guard let response = StoredResponse(decoding: stored.metadata),
            let request = try? DownloadRequest(source, settings(extras, byteLimit: .max))
        else { return .stale(usableOnError: true) }
        return Freshness(request: request, stored: response, now: now).verdict
    }

    /// - Throws: ``TintypeCore/TintypeError/Code/invalidated``.
    package func key(for request: ByteRequest) throws(TintypeError) -> ByteLoadKey {
        let (generation, isInvalidated) = state.withLock { ($0.generation, $0.isInvalidated) }
        guard !isInvalidated else {
            throw TintypeError(.invalidated, stage: .load, "the downloader was invalidated")
        }
        return ByteLoadKey(request, in: .generation(generation))
    }

    package func work(for request: ByteRequest) -> ByteLoads.Work {
        let settings = settings(request.extras, byteLimit: request.byteLimit)
        return { [services] (job, reporter) throws(TintypeError) in
            try await Transfer(of: request.source, settings, services, stored: request.stored, for: job, reporter).run()
        }
    }

    private func settings(_ extras: RequestExtras, byteLimit: Int) -> TransferSettings {
        let isPlain = !extras.contains(HTTPOptionsKey.self)
        return state.withLock { state in
            if isPlain, let plain = state.plain, plain.byteLimit == byteLimit { return plain }
            let settings = TransferSettings(
                configuration: state.configuration, options: extras[HTTPOptionsKey.self], byteLimit: byteLimit)
            if isPlain { state.plain = settings }
            return settings
        }
    }
}

// MARK: - All transfers

extension Downloader {
    /// Whether waiting transfers are held back. Running ones go on.
    public var isSuspended: Bool {
        get { services.queue.isSuspended }
        set { services.queue.isSuspended = newValue }
    }

    /// The number of transfers that run or wait, however many callers wait for each.
    public var currentDownloadCount: Int { loads.count }

    /// The number of transfers that run.
    public var runningDownloadCount: Int { services.queue.runningCount }

    /// Ends every transfer with ``TintypeCore/TintypeError/Code/cancelled`` for all its callers.
    public func cancelAll() {
        loads.cancelAll()
    }

    /// Makes all later calls fail with ``TintypeCore/TintypeError/Code/invalidated``.
    ///
    /// - Parameter cancellingAll: Whether running transfers are cancelled. Otherwise they go on to their end.
    public func invalidate(cancellingAll: Bool = false) {
        state.withLock { $0.isInvalidated = true }
        if cancellingAll { cancelAll() }
    }
}
