public import Foundation
public import TintypeCore

/// Loads `http:` and `https:` URLs: the HTTP ``TintypeCore/ImageLoader``, on async-http-client.
///
/// Equal requests share one transfer, whoever asks: the same method, URL, header fields and options. A few transfers run
/// at once, the most urgent first, and one frees its place before its bytes are decoded.
public final class Downloader: ImageLoader {
    struct State: Sendable {
        var configuration: DownloaderConfiguration
        /// How often that was changed.
        var generation = 0
        var isInvalidated = false
        /// What holds for a request that wants nothing special: made once, since nearly all are such.
        var plain: TransferSettings?
    }

    let state: Locked<State>
    private let services: TransferServices
    let jobs = ByteJobs()

    public init(_ configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        state = Locked(State(configuration: configuration))
        services = TransferServices(configuration)
    }

    /// The settings. What is changed here holds for what starts later; the number of places and their order, at once.
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

    public func canLoad(_ source: ImageSource) -> Bool {
        guard case .url(let url) = source else {
            if case .http = source { return true } else { return false }
        }
        return url.isHTTP
    }

    @concurrent
    public func load(_ source: ImageSource, _ context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let limit = context.received.limit
        let key = try key(source, context.extras, byteLimit: limit, stored: context.stored)
        return try await jobs.value(
            key, for: context.job, onStatus: { context.received.show($0) },
            work: transfer(of: source, context.extras, byteLimit: limit, stored: context.stored))
    }

    /// RFC 9111, for a private cache.
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, _ extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        // Of what was kept without its head nothing is known.
        guard let response = StoredResponse(decoding: stored.metadata),
            let request = try? DownloadRequest(source, settings(extras, byteLimit: .max))
        else { return .stale(usableOnError: true) }
        return Freshness(request: request, stored: response, now: now).verdict
    }

    // MARK: All of them

    /// Whether transfers wait without beginning. Those that run go on.
    public var isSuspended: Bool {
        get { services.queue.isSuspended }
        set { services.queue.isSuspended = newValue }
    }

    /// Transfers that run or wait, each counted once however many wait for it.
    public var currentDownloadCount: Int { jobs.count }

    /// Transfers that have a place now.
    public var runningDownloadCount: Int { services.queue.runningCount }

    /// Ends every transfer with ``TintypeCore/TintypeError/Code/cancelled`` for all who wait for it.
    public func cancelAll() {
        jobs.cancelAll()
    }

    /// Takes nothing more: later calls fail with ``TintypeCore/TintypeError/Code/invalidated``.
    ///
    /// - Parameter cancellingAll: whether what runs is cancelled. Otherwise it goes on to its end.
    public func invalidate(cancellingAll: Bool = false) {
        state.withLock { $0.isInvalidated = true }
        if cancellingAll { cancelAll() }
    }

    // MARK: One of them

    /// - Throws: ``TintypeCore/TintypeError/Code/invalidated``.
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

    private func settings(_ extras: RequestExtras, byteLimit: Int) -> TransferSettings {
        let isPlain = !extras.contains(HTTPOptionsKey.self)
        return state.withLock { state in
            if isPlain, let plain = state.plain, plain.byteLimit == byteLimit { return plain }
            let made = TransferSettings(
                configuration: state.configuration, options: extras[HTTPOptionsKey.self], byteLimit: byteLimit)
            if isPlain { state.plain = made }
            return made
        }
    }

    /// The work of one job.
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
    /// Bytes of one body that ``download(_:options:priority:onProgress:)`` takes where its options say nothing.
    private var standardByteLimit: Int { state.withLock { $0.configuration.maximumByteCount } ?? 64 << 20 }

    /// Starts a transfer, or joins the one for an equal request.
    ///
    /// - Parameter onProgress: called on any thread, which it must not block, with what has come so far for one that
    ///   joins late.
    /// - Returns: a share in it; one that has failed for what cannot be asked for.
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
        let limit = options.maximumByteCount ?? standardByteLimit
        var extras = RequestExtras()
        if !options.isPlain { extras[HTTPOptionsKey.self] = options }
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
