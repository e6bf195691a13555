import AsyncHTTPClient
import Foundation
import TintypeCore

/// One transfer, from its place in the line to the last byte: tries, and within each the exchange and its body.
///
/// `Transfer+Exchange` sends a request and follows where it leads; `Transfer+Hop` is one request and its response.
struct Transfer: Sendable {
    let request: DownloadRequest
    let settings: TransferSettings
    let services: TransferServices
    let job: JobContext
    let received: ReceivedBytes
    /// What a cache has, to ask whether it is still good.
    let stored: CacheEntry?
    let meter: TransferMeter
    let keeper: PartialKeeper

    private var clock: TransferClock { settings.configuration.clock }
    private var host: String { request.url.host()?.lowercased() ?? "" }

    /// - Throws: an error that names the URL; ``TintypeCore/TintypeError/Code/cancelled`` when the task is cancelled.
    func run() async throws(TintypeError) -> LoadedBytes {
        var retry = RetryState(settings.retry, start: meter.now, isIdempotent: request.isIdempotent)
        while true {
            do throws(TintypeError) {
                return try await attempt(retry.attempts)
            } catch {
                let delay = retry.delay(
                    after: error, status: error.status, retryAfter: error.retryAfter, at: meter.now,
                    chance: clock.random())
                guard let delay, !job.isCancelled else { throw error.about(request.url.absoluteString) }
                try await pause(delay)
                try await reconnect(after: error, within: retry.timeLeft(at: meter.now))
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
    private func attempt(_ number: Int) async throws(TintypeError) -> LoadedBytes {
        meter.begin(attempt: number)
        let began = meter.now
        let host = host
        try await services.line.enter(host, for: job)
        defer { services.line.leave(host) }
        let now = meter.now
        let wait = services.starts.withLock { $0.take(at: now) }
        if wait > .zero { try await pause(wait) }
        meter.queued(since: began)
        do {
            guard let limit = settings.totalTimeout else { return try await transfer() }
            return try await TimeLimit.run(limit, clock) { try await self.transfer() }
        } catch let error as TintypeError {
            throw error
        } catch {
            throw Task.isCancelled ? .cancelled : TintypeError(transport: error)
        }
    }

    private func transfer() async throws -> LoadedBytes {
        let sent = clock.date()
        let response = try await exchange()
        let kept = StoredResponse(response, to: request, requested: sent, received: clock.date())
        if response.status == 304, let asked { return stillGood(asked.entry, asked.response.renewed(by: kept)) }
        do throws(TintypeError) {
            try check(response)
        } catch {
            await response.body.discard()
            throw error
        }
        // What the last try has left stays as long as nothing better comes: it may be all that ever does.
        received.restart()
        try await response.body.receive(into: received)
        let (data, file) = try await received.takeAll(for: job)
        var loaded = LoadedBytes(
            data: data, origin: .network, metadata: kept.encoded,
            isStorable: Freshness.isStorable(response, for: request))
        loaded.file = file
        loaded.metrics = meter.finish(status: response.status, byteCount: loaded.data.count)
        return loaded
    }

    /// RFC 9111, 4.3.4.
    private func stillGood(_ stored: CacheEntry, _ renewed: StoredResponse) -> LoadedBytes {
        var loaded = LoadedBytes.stillGood(stored, metadata: renewed.encoded)
        loaded.metrics = meter.finish(status: 304, byteCount: 0)
        return loaded
    }

    private func check(_ response: DownloadResponse) throws(TintypeError) {
        let configuration = settings.configuration
        // A part is no picture, unless the one who asked wants it.
        guard configuration.acceptableStatusCodes.contains(response.status),
            response.status != 206 || request.headers.contains("Range")
        else {
            throw TintypeError(badStatus: response, at: clock.date())
        }
        guard let types = configuration.acceptableContentTypes else { return }
        let type = response.headers["content-type"] ?? ""
        guard MediaType.matches(type, types) else {
            throw TintypeError(
                .badContentType, stage: .load, "the content type \(type.isEmpty ? "is missing" : "is \(type)")",
                status: response.status)
        }
    }
}
