public import Foundation
public import TintypeCore

/// The `ImageLoader` for `http:` and `https:` URLs, over an ``HTTPTransport``.
///
/// Requests with equal method, URL, header fields and options share one transfer, from pipelines and direct callers
/// alike. A limited number of transfers run at once, the most urgent first. A transfer frees its slot for the next one
/// before its bytes are decoded. All members may be called from any thread.
public final class Downloader: ImageLoader {
    private struct State: Sendable {
        var configuration: DownloaderConfiguration
        /// The number of times that the configuration has changed.
        var generation = 0
        var isInvalidated = false
        /// The settings of requests without options, which nearly all requests share.
        var defaultSettings: TransferSettings?
    }

    private let state: Locked<State>
    private let services: TransferServices
    package let guardFlag: GuardFlag
    /// The table in which transfers are shared, for direct callers and for pipelines.
    package let loads = ByteLoads()

    /// Creates a downloader. Nothing is started or opened before the first transfer.
    public init(_ configuration: DownloaderConfiguration = DownloaderConfiguration()) {
        state = Locked(State(configuration: configuration))
        guardFlag = GuardFlag(configuration.serverGuard != nil)
        services = TransferServices(configuration)
    }

    /// The settings. A change applies to transfers that start later; the limits on concurrent transfers and their order
    /// change at once.
    public var configuration: DownloaderConfiguration {
        get { state.withLock { $0.configuration } }
        set {
            state.withLock { state in
                state.configuration = newValue
                state.generation += 1
                state.defaultSettings = nil
                guardFlag.isSet = newValue.serverGuard != nil
            }
            services.apply(newValue)
        }
    }

    /// Starts a transfer, or joins the transfer of an equal request.
    ///
    /// - Parameters:
    ///   - source: An `http:` or `https:` URL, or an `HTTPSource`.
    ///   - options: The HTTP options of the request.
    ///   - priority: The priority in the queue.
    ///   - onProgress: Called on any thread, which it must not block. A caller that joins late gets the current
    ///     progress first.
    /// - Returns: The caller's share of the transfer. It has already failed if the source cannot be requested.
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
        extras[HTTPOptionsKey.self] = options
        let request = ByteRequest(
            source: source, extras: extras, byteLimit: options.maximumByteCount ?? defaultByteLimit)
        let key = try key(for: request)
        let priority = download.priority
        let subscription = loads.attach(key, at: priority, receiver: download) { self.work(for: request) }
        download.bind(subscription, subscribedAt: priority)
    }

    /// The largest body in bytes that ``download(_:options:priority:onProgress:)`` accepts by default.
    private var defaultByteLimit: Int { state.withLock { $0.configuration.maximumByteCount } ?? 64 << 20 }
}

// MARK: - As the loader of a pipeline

extension Downloader: SharedLoader {
    /// Whether a source is an `http:` or `https:` URL.
    public func canLoad(_ source: ImageSource) -> Bool {
        switch source {
        case .url(let url): url.isHTTP
        case .http: true
        case .bytes, .closure, .custom: false
        }
    }

    /// Loads a source: starts a transfer, or joins the transfer of an equal request.
    ///
    /// - Throws: The error of the transfer; `TintypeError.Code.invalidated` after
    ///   ``invalidate(cancellingAll:)``; `TintypeError.Code.cancelled` when the task is cancelled.
    @concurrent
    public func load(_ source: ImageSource, context: LoadContext) async throws(TintypeError) -> LoadedBytes {
        let request = ByteRequest(
            source: source, extras: context.extras, byteLimit: context.received.limit, accept: context.accept,
            stored: context.stored, cache: context.received.cache)
        return try await loads.value(
            try key(for: request), for: context.job, onStatus: { context.received.show($0) }, work: work(for: request))
    }

    /// Returns how a stored response may be used (RFC 9111, for a private cache).
    ///
    /// Interceptors may add header fields that decide about it, and only a load can run them. So no stored response is
    /// fresh here if there are interceptors.
    public func verdict(
        on stored: CacheEntry, for source: ImageSource, extras: RequestExtras, at now: Date
    ) -> StoredVerdict {
        let settings = settings(extras, accept: nil, byteLimit: nil)
        guard settings.interceptors.isEmpty else { return .stale(usableOnError: false) }
        let request = try? DownloadRequest(source, settings).withCookies(settings, at: now)
        let judgement = ResponseJudge(request: request).judge(stored, for: CacheKey(source: source.identity), at: now)
        return if case .selected(let verdict) = judgement { verdict } else { .stale(usableOnError: false) }
    }

    /// Returns a judge that knows the request as it would be sent now.
    package func judge(for request: ByteRequest) async -> any EntryJudge {
        let settings = settings(request.extras, accept: request.accept, byteLimit: nil)
        guard let request = try? DownloadRequest(request.source, settings) else { return ResponseJudge(request: nil) }
        return ResponseJudge(request: await settings.requestToSend(for: request))
    }

    /// Returns the key by which equal requests find their transfer.
    ///
    /// - Throws: `TintypeError.Code.invalidated` after ``invalidate(cancellingAll:)``.
    package func key(for request: ByteRequest) throws(TintypeError) -> ByteLoadKey {
        let (generation, isInvalidated) = state.withLock { ($0.generation, $0.isInvalidated) }
        guard !isInvalidated else {
            throw TintypeError(.invalidated, stage: .load, "the downloader was invalidated")
        }
        return ByteLoadKey(request, in: .generation(generation))
    }

    /// Returns the work of one transfer.
    package func work(for request: ByteRequest) -> ByteLoads.Work {
        let settings = settings(request.extras, accept: request.accept, byteLimit: request.byteLimit)
        return { [services] (job, reporter) throws(TintypeError) in
            try await Self.transfer(request, settings, services, job, reporter).run()
        }
    }

    /// Never inlined, so that the frame of the task has no room for what makes a transfer.
    @inline(never)
    private static func transfer(
        _ request: ByteRequest, _ settings: TransferSettings, _ services: TransferServices, _ job: JobContext,
        _ reporter: JobReporter<ReceivedBytes>
    ) throws(TintypeError) -> Transfer {
        try Transfer(request, settings, services, for: job, reporter)
    }

    /// Returns the settings of a request.
    ///
    /// - Parameters:
    ///   - accept: The media types that the pipeline can decode.
    ///   - byteLimit: `nil` if no bytes are loaded with the settings.
    private func settings(_ extras: RequestExtras, accept: String?, byteLimit: Int?) -> TransferSettings {
        let isDefault = !extras.contains(HTTPOptionsKey.self)
        return state.withLock { state in
            if isDefault, let settings = state.defaultSettings, settings.byteLimit == byteLimit ?? settings.byteLimit,
                settings.accept == accept
            {
                return settings
            }
            let settings = TransferSettings(
                configuration: state.configuration, options: extras[HTTPOptionsKey.self], accept: accept,
                byteLimit: byteLimit ?? .max)
            if isDefault { state.defaultSettings = settings }
            return settings
        }
    }
}

// MARK: - As the guard of a pipeline

extension Downloader: GuardingLoader {
    /// Refuses URLs that the server guard of the request, or else of the configuration, does not allow. The addresses
    /// of names are checked when a transfer starts.
    ///
    /// - Throws: `TintypeError.Code.forbidden`.
    package func check(_ request: ImageRequest) throws(TintypeError) {
        let options = request.http
        guard let serverGuard = options.serverGuard ?? state.withLock({ $0.configuration.serverGuard }) else { return }
        try serverGuard.check(request.source)
    }
}

extension Downloader: FlushableLoader {
    /// Waits until the bytes of interrupted transfers, and cookies, are on disk.
    ///
    /// - Throws: `TintypeError.Code.unwritable` if the cookies cannot be written. Errors of files of
    ///   interrupted transfers are ignored.
    package func flush() async throws(TintypeError) {
        let configuration = state.withLock { $0.configuration }
        await configuration.partials?.flush()
        try await configuration.cookies.flush()
    }
}

// MARK: - All transfers

extension Downloader {
    /// Whether waiting transfers stay in the queue. Running transfers continue.
    public var isSuspended: Bool {
        get { services.queue.isSuspended }
        set { services.queue.isSuspended = newValue }
    }

    /// The number of transfers that run or wait. A transfer that several callers share counts once.
    public var currentDownloadCount: Int { loads.count }

    /// The number of transfers that run.
    package var runningDownloadCount: Int { services.queue.runningCount }

    /// Ends every transfer with `TintypeError.Code.cancelled` for all its callers.
    public func cancelAll() {
        loads.cancelAll()
    }

    /// Makes all later calls fail with `TintypeError.Code.invalidated`.
    ///
    /// - Parameter cancellingAll: Whether running and waiting transfers are cancelled. Otherwise they complete.
    public func invalidate(cancellingAll: Bool = false) {
        state.withLock { $0.isInvalidated = true }
        if cancellingAll { cancelAll() }
    }
}

/// One caller's share of a transfer: its progress, its priority, its cancellation and its result.
///
/// Releasing the handle does not stop the transfer. All members may be called from any thread.
public final class Download: Sendable {
    private typealias End = Result<LoadedBytes, TintypeError>

    private let received = Locked<ReceivedBytes?>(nil)
    private let end = Promise<End>()
    private let handle: JobHandle
    private let onProgress: (@Sendable (LoadProgress) -> Void)?

    init(_ priority: ImagePriority, _ onProgress: (@Sendable (LoadProgress) -> Void)?) {
        handle = JobHandle(priority: priority)
        self.onProgress = onProgress
    }

    /// The progress of the transfer.
    public var progress: LoadProgress { received.withLock { $0 }?.progress ?? LoadProgress() }

    /// The bytes that have arrived so far; all of them at the end.
    package var receivedBytes: Data {
        (try? end.value?.get().data) ?? received.withLock { $0 }?.all ?? Data()
    }

    /// The priority that this caller asks for. The transfer has the highest priority of all its callers.
    public var priority: ImagePriority {
        get { handle.priority }
        set { handle.setPriority(newValue) }
    }

    /// Cancels this share: it ends at once with `TintypeError.Code.cancelled`, unless it has ended. The
    /// last caller that cancels stops the transfer.
    public func cancel() {
        finish(.failure(.cancelled))
        handle.cancel()
    }

    /// The bytes, when the transfer has ended. Any number of tasks may wait. Cancelling one of them cancels this share.
    ///
    /// - Throws: The error of the transfer, or `TintypeError.Code.cancelled`.
    public var bytes: LoadedBytes {
        get async throws(TintypeError) {
            try await end.wait {
                cancel()
                return .failure(.cancelled)
            }.get()
        }
    }

    // MARK: Called by the downloader

    /// Connects this share to its subscription of the transfer.
    ///
    /// - Parameter priority: The priority of the subscription.
    func bind(_ subscription: JobSubscription, subscribedAt priority: ImagePriority) {
        handle.bind(subscription, subscribedAt: priority)
    }

    /// Takes the bytes that have arrived so far.
    package func update(_ received: ReceivedBytes) {
        self.received.withLock { $0 = received }
        if let onProgress, !end.isFulfilled { onProgress(received.progress) }
    }

    /// Takes the result.
    package func finish(_ result: Result<LoadedBytes, TintypeError>) {
        end.fulfill(result)
    }
}

extension Download: JobReceiver {}
