import AsyncHTTPClient
import Foundation
import TintypeCore

/// One transfer, from its place in the line to the last byte: tries, and within each the exchange and its body.
///
/// `Transfer+Exchange` sends a request and follows where it leads; `Transfer+Hop` is one request and its response.
///
/// A class, since every step of it has it in its frame.
final class Transfer: Sendable {
    let request: DownloadRequest
    let settings: TransferSettings
    let services: TransferServices
    let job: JobContext
    let received: ReceivedBytes
    /// What a cache has, to ask whether it is still good.
    let stored: CacheEntry?
    let meter: TransferMeter
    /// `nil` where nothing is ever continued, which spares most transfers the bookkeeping.
    let keeper: PartialKeeper?

    var clock: TransferClock { settings.configuration.clock }
    private var host: String { request.url.host()?.lowercased() ?? "" }

    /// - Parameters:
    ///   - source: a URL, or a URL with what HTTP asks for beside it.
    ///   - report: is told of the bytes as they arrive.
    /// - Throws: ``TintypeCore/TintypeError/Code/invalidSource`` for what cannot be asked for.
    init(
        of source: ImageSource, _ settings: TransferSettings, _ services: TransferServices, stored: CacheEntry?,
        for job: JobContext, _ report: JobReporter<ReceivedBytes>
    ) throws(TintypeError) {
        request = try DownloadRequest(source, settings)
        self.settings = settings
        self.services = services
        self.job = job
        self.stored = stored
        let gate = ProgressGate(minimum: settings.configuration.minimumProgressInterval)
        received = ReceivedBytes(limit: settings.limits.byteCount) { received in
            if gate?.passes(received.progress) ?? true { report(received) }
        }
        meter = TransferMeter(settings.configuration.clock)
        let partials = settings.configuration.partials
        // An interceptor may send a request again, too.
        let mayContinue = partials != nil || settings.retry.maximumAttempts > 1 || !settings.interceptors.isEmpty
        keeper = mayContinue ? PartialKeeper(of: request, in: partials) : nil
    }

    /// - Throws: an error that names the URL; ``TintypeCore/TintypeError/Code/cancelled`` when the task is cancelled.
    func run() async throws(TintypeError) -> LoadedBytes {
        guard let keeper else { return try await firstTry() }
        return try await continued(by: keeper)
    }

    private func continued(by keeper: PartialKeeper) async throws(TintypeError) -> LoadedBytes {
        try await keeper.find(for: job)
        do throws(TintypeError) {
            let loaded = try await firstTry()
            await keeper.succeeded(for: job)
            return loaded
        } catch {
            keeper.failed()
            throw error
        }
    }

    /// Most transfers need no other try, and their frames have no room for one.
    private func firstTry() async throws(TintypeError) -> LoadedBytes {
        do throws(TintypeError) {
            return try await attempt()
        } catch {
            return try await retried(after: error)
        }
    }

    private func retried(after failure: TintypeError) async throws(TintypeError) -> LoadedBytes {
        var retry = RetryState(settings.retry, start: meter.start, isIdempotent: request.isIdempotent)
        var failure = failure
        while true {
            let delay = retry.delay(
                after: failure, status: failure.status, retryAfter: failure.retryAfter, at: meter.now,
                chance: clock.random())
            guard let delay, !job.isCancelled else { throw failure.about(request.url.absoluteString) }
            try await pause(delay)
            try await reconnect(after: failure, within: retry.timeLeft(at: meter.now))
            meter.beginAgain(attempt: retry.attempts)
            do throws(TintypeError) {
                return try await attempt()
            } catch {
                failure = error
            }
        }
    }

    private func pause(_ delay: Duration) async throws(TintypeError) {
        do { try await clock.sleep(delay) } catch { throw .cancelled }
    }

    private func reconnect(after failure: TintypeError, within limit: Duration) async throws(TintypeError) {
        guard failure.code == .unreachable, let wait = settings.configuration.reconnection else { return }
        do {
            try await BoundedWait.wait(limit, clock, for: wait)
        } catch {
            throw Task.isCancelled ? .cancelled : failure.about(request.url.absoluteString)
        }
    }

    /// One try, in its place among the transfers.
    private func attempt() async throws(TintypeError) -> LoadedBytes {
        let host = host
        if !services.queue.tryEnter(host, for: job) { try await stand(inLineFor: host) }
        defer { services.queue.leave(host) }
        if services.hasStartRate { try await takeToken() }
        do {
            guard let limit = settings.totalTimeout else { return try await transfer() }
            return try await transfer(within: limit)
        } catch {
            throw error as? TintypeError ?? (Task.isCancelled ? .cancelled : TintypeError(transport: error))
        }
    }

    private func stand(inLineFor host: String) async throws(TintypeError) {
        let began = meter.now
        try await services.queue.enter(host, for: job)
        meter.queued(since: began)
    }

    private func takeToken() async throws(TintypeError) {
        let began = meter.now
        let wait = services.starts.withLock { $0.take(at: began) }
        if wait > .zero { try await pause(wait) }
        meter.queued(since: began)
    }

    private func transfer(within limit: Duration) async throws -> LoadedBytes {
        try await TimeLimit.run(limit, clock) { try await self.transfer() }
    }

    private func transfer() async throws -> LoadedBytes {
        let sent = clock.date()
        return try await loaded(try await exchange(), sent: sent)
    }

    private func loaded(_ response: DownloadResponse, sent: Date) async throws -> LoadedBytes {
        let times = ExchangeTimes(sent: sent, answered: clock.date())
        if response.status == 304, let loaded = stillGood(response, times) { return loaded }
        if let refusal = refusal(of: response) {
            await response.body.discard()
            throw refusal
        }
        // What the last try has left stays as long as nothing better comes: it may be all that ever does.
        received.restart()
        try await response.body.receive(into: received)
        let (data, file) = try await received.takeAll(for: job)
        return whole(response, times, data, in: file)
    }

    // What follows is kept out of the frame of the function above: its values would make that three times as large.

    /// RFC 9111, 4.3.4.
    @inline(never)
    private func stillGood(_ response: DownloadResponse, _ times: ExchangeTimes) -> LoadedBytes? {
        guard let asked else { return nil }
        let kept = StoredResponse(response, to: request, times)
        var loaded = LoadedBytes.stillGood(asked.entry, metadata: asked.response.renewed(by: kept).encoded)
        loaded.metrics = meter.finish(status: 304, byteCount: 0)
        return loaded
    }

    @inline(never)
    private func whole(
        _ response: DownloadResponse, _ times: ExchangeTimes, _ data: Data, in file: SpillFile?
    ) -> LoadedBytes {
        LoadedBytes(
            transferred: data, in: file, metrics: meter.finish(status: response.status, byteCount: data.count),
            record: TransferRecord(request: request, response: response, times: times))
    }

    /// Why a response is not what was asked for; `nil` when it is.
    @inline(never)
    private func refusal(of response: DownloadResponse) -> TintypeError? {
        // A part is no picture, unless the one who asked wants it.
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
            status: response.status)
    }
}
