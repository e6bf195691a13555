import Foundation
import TintypeCore

/// One transfer, shared by all callers with equal requests: attempts until one succeeds. Each attempt waits for a slot,
/// performs an ``Exchange``, and receives the body.
///
/// A class, so that async frames hold one reference instead of a copy.
final class Transfer: Sendable {
    let request: DownloadRequest
    let settings: TransferSettings
    let services: TransferServices
    let job: JobContext
    let meter: TransferMeter
    /// `nil` when the transfer cannot be resumed, so that most transfers need no bookkeeping.
    let resumption: Resumption?
    private let received: ReceivedBytes
    /// The cache entry to revalidate.
    private let stored: CacheEntry?
    /// The metadata of ``stored``; `nil` if it has none.
    let revalidated: StoredResponse?
    /// The record of the current attempt.
    let attemptRecord = Locked(AttemptRecord())

    var clock: TransferClock { settings.configuration.clock }
    private var host: String { request.url.host()?.lowercased() ?? "" }

    /// Creates a transfer, which ``run()`` carries out.
    ///
    /// - Parameters:
    ///   - wanted: The source, which is a URL, or a URL with a method and header fields; and the cache entry to
    ///     revalidate.
    ///   - reporter: Receives the bytes while they arrive.
    /// - Throws: `TintypeError.Code.invalidSource` when the source is not a URL.
    init(
        _ wanted: ByteRequest, _ settings: TransferSettings, _ services: TransferServices, for job: JobContext,
        _ reporter: JobReporter<ReceivedBytes>
    ) throws(TintypeError) {
        request = try DownloadRequest(wanted.source, settings)
        self.settings = settings
        self.services = services
        self.job = job
        stored = wanted.stored
        revalidated = wanted.stored.flatMap { StoredResponse(decoding: $0.metadata) }
        let throttle = ProgressThrottle(interval: settings.configuration.minimumProgressInterval)
        received = ReceivedBytes(limit: settings.limits.byteCount, for: wanted.cache) { received in
            if throttle?.allows(received.progress) ?? true { reporter.report(received) }
        }
        meter = TransferMeter(settings.configuration.clock)
        let partials = settings.configuration.partials
        // An interceptor may also send a request again.
        let mayResume = partials != nil || settings.retry.maximumAttempts > 1 || !settings.interceptors.isEmpty
        resumption = mayResume ? Resumption(of: request, in: partials) : nil
    }

    /// Transfers the response to the request, in as many attempts as the ``RetryPolicy`` allows.
    ///
    /// - Throws: An error that names the URL; `TintypeError.Code.cancelled` when the task is cancelled.
    func run() async throws(TintypeError) -> LoadedBytes {
        try await resumption?.load(for: job)
        let loaded: LoadedBytes
        do throws(TintypeError) {
            loaded = try await attempt()
        } catch {
            // A function of its own: most transfers need one attempt, and this frame has no room for more.
            loaded = try await retry(after: error)
        }
        // The bytes that an interrupted transfer left are no longer needed.
        try? await settings.configuration.partials?.remove(request, job: job)
        return loaded
    }

    /// The limits on the time of the next response.
    var pace: TransferPace {
        TransferPace(
            totalTime: settings.totalTimeout, from: meter.attemptStart, rate: settings.minimumRate,
            silence: settings.silence)
    }

    // MARK: Retrying

    private func retry(after failure: TintypeError) async throws(TintypeError) -> LoadedBytes {
        do throws(TintypeError) {
            return try await attemptAgain(after: failure)
        } catch {
            resumption?.saveOrRemoveFile()
            let invalidated = addingOwnURL(to: attemptRecord.withLock { $0.invalidated })
            throw invalidated.isEmpty ? error : error.invalidating(invalidated)
        }
    }

    private func attemptAgain(after failure: TintypeError) async throws(TintypeError) -> LoadedBytes {
        var retry = RetryState(settings.retry, start: meter.start, isIdempotent: request.isIdempotent)
        var failure = failure
        while true {
            let delay = retry.delay(
                after: failure, status: failure.status, retryAfter: failure.http?.retryAfter, at: meter.now,
                chance: clock.random())
            guard let delay, !job.isCancelled else { throw failure.about(request.url.absoluteString) }
            try await sleep(delay)
            try await waitForNetwork(after: failure, limit: retry.timeLeft(at: meter.now))
            meter.beginAttempt(retry.attempts)
            do throws(TintypeError) {
                return try await attempt()
            } catch {
                failure = error
            }
        }
    }

    private func sleep(_ delay: Duration) async throws(TintypeError) {
        do { try await clock.sleep(delay) } catch { throw .cancelled }
    }

    private func waitForNetwork(after failure: TintypeError, limit: Duration) async throws(TintypeError) {
        guard failure.code == .unreachable, let wait = settings.configuration.reconnection else { return }
        do {
            try await BoundedWait.wait(limit, clock, for: wait)
        } catch {
            throw Task.isCancelled ? .cancelled : failure.about(request.url.absoluteString)
        }
    }

    // MARK: One attempt

    /// Waits for a slot, and fetches the response within the total timeout.
    private func attempt() async throws(TintypeError) -> LoadedBytes {
        let host = host
        if !services.queue.tryEnter(host, for: job) { try await waitForSlot(host) }
        defer { services.queue.leave(host) }
        if services.limitsStartRate { try await waitForToken() }
        do {
            // ``TransferWatch`` ends slow responses. User code needs a limit of its own.
            guard let limit = settings.totalTimeout, settings.runsUserCode else { return try await fetch() }
            return try await TimeLimit.run(limit, clock) { try await self.fetch() }
        } catch {
            throw failure(error)
        }
    }

    /// The error of an attempt, which user code may have thrown.
    @inline(never)
    private func failure(_ error: any Error) -> TintypeError {
        job.failure(error as? TintypeError ?? (Task.isCancelled ? .cancelled : TintypeError(transport: error)))
    }

    private func waitForSlot(_ host: String) async throws(TintypeError) {
        let start = meter.now
        try await services.queue.enter(host, for: job)
        meter.recordWait(since: start)
    }

    private func waitForToken() async throws(TintypeError) {
        let start = meter.now
        let wait = services.tokens.withLock { $0.take(at: start) }
        if wait > .zero { try await sleep(wait) }
        meter.recordWait(since: start)
    }

    /// Sends the request and receives the response.
    private func fetch() async throws -> LoadedBytes {
        let exchange = Exchange(transfer: self)
        let response =
            settings.runsUserCode ? try await exchange.sendThroughInterceptors() : try await exchange.send(request)
        if response.status == 304, let loaded = storedBytes(renewedBy: response) { return loaded }
        if let rejection = rejection(of: response) {
            await response.body.discard()
            throw rejection
        }
        // The bytes of the last attempt stay until newer ones arrive, because there may never be any.
        received.restart()
        switch response.body.content {
        case .data(let data): try received.setAll(to: data)
        case .stream(let body): try await body.receive(into: received)
        }
        let (data, file) = try await received.takeAll(for: job)
        return loadedBytes(data, file, response)
    }

    // The functions below are never inlined: their values would make the frame of `fetch()` three times as large.

    /// The stored entry with its metadata renewed by a 304 response (RFC 9111, 4.3.4); `nil` if the request was not
    /// conditional on the entry.
    @inline(never)
    private func storedBytes(renewedBy response: DownloadResponse) -> LoadedBytes? {
        let attempt = attemptRecord.withLock { $0 }
        guard let stored, let revalidated, let chain = attempt.chain, attempt.isConditional else { return nil }
        let fields = settings.configuration.storedFields
        let renewed = revalidated.renewed(by: response, after: chain, storing: fields)
        var loaded = LoadedBytes.notModified(stored, metadata: renewed.encoded)
        // 5.2.2.5: nothing of a response with `no-store` may be stored.
        var confirmed = response
        confirmed.status = revalidated.head.status
        loaded.isStorable = Storability.allows(confirmed, to: chain.request, after: chain.redirects.map(\.head))
        loaded.metrics = meter.finish(status: 304, byteCount: 0)
        return loaded
    }

    @inline(never)
    private func loadedBytes(_ data: Data, _ file: SpillFile?, _ response: DownloadResponse) -> LoadedBytes {
        let attempt = attemptRecord.withLock { $0 }
        let chain = attempt.chain ?? ExchangeChain(responseOfInterceptor: response, to: request, clock.date())
        var loaded = LoadedBytes(
            transferred: data, in: file, metrics: meter.finish(status: response.status, byteCount: data.count),
            record: TransferRecord(chain, response, storing: settings.configuration.storedFields))
        let unsent = attempt.chain == nil ? chain.last.invalidated : []
        let invalidated = addingOwnURL(to: attempt.invalidated + unsent)
        if !invalidated.isEmpty { loaded.invalidated = invalidated }
        return loaded
    }

    /// Adds the URL of an unsafe request to those that it has made invalid: an interceptor may have sent the request to
    /// other URLs.
    private func addingOwnURL(to urls: [URL]) -> [URL] {
        urls.isEmpty || !request.isUnsafe ? urls : [request.url] + urls
    }

    /// The error of a response that is not accepted; `nil` when it is accepted.
    @inline(never)
    private func rejection(of response: DownloadResponse) -> TintypeError? {
        // A partial response is not an image, unless the caller asked for a range.
        guard settings.configuration.acceptableStatusCodes.contains(response.status),
            response.status != 206 || request.headers.contains("Range")
        else {
            return TintypeError(badStatus: response, at: clock.date())
        }
        guard let types = settings.configuration.acceptableContentTypes else { return nil }
        let type = response.headers["content-type"] ?? ""
        guard !MediaType.matches(type, types) else { return nil }
        return TintypeError(
            .badContentType, stage: .load, "the content type \(type.isEmpty ? "is missing" : "is \(type)")",
            status: response.status, contentType: type.isEmpty ? nil : type,
            underlying: HTTPFailure(response, at: clock.date()))
    }
}
