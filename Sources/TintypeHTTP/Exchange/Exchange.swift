import Foundation
import TintypeCore

/// One exchange of a transfer: its request, sent through the interceptors and along redirects, and the final response.
///
/// A struct of one reference, so that async frames hold no more than the transfer.
struct Exchange: Sendable {
    /// The maximum number of times that a request is sent again because its connection could not be used again.
    private static let maximumReplays = 3

    let transfer: Transfer

    private var settings: TransferSettings { transfer.settings }

    /// Sends the request through the interceptors, and returns the final response before its body is read.
    ///
    /// Interceptors that hang do not delay the cancellation of a transfer. They run in a task of their own, which also
    /// keeps slow user code off the caller's executor.
    func sendThroughInterceptors() async throws -> DownloadResponse {
        // An interceptor that returns a response of its own sends nothing in this attempt.
        transfer.attemptRecord.withLock { $0.begin() }
        return try await BoundedWait.wait(nil, transfer.clock) { try await self.intercept() }
    }

    @concurrent
    private func intercept() async throws -> DownloadResponse {
        let exchange = HTTPExchange { request in
            // The transfer has ended, and another one may use its partial file.
            guard !Task.isCancelled else { throw TintypeError.cancelled }
            return try await self.send(request)
        }
        return try await exchange.inside(settings.interceptors)(transfer.request)
    }

    /// Sends a request, follows its redirects, and returns the final response before its body is read.
    func send(_ request: DownloadRequest) async throws -> DownloadResponse {
        if let url = transfer.secureURL(for: request.url) { return try await send(request, to: url) }
        transfer.attemptRecord.withLock { $0.begin() }
        let response = try await sendOnce(request)
        guard settings.maximumRedirects > 0, response.isRedirect else { return response }
        return try await followRedirects(from: response, to: request)
    }

    /// Sends a request to an `https:` URL instead of its own.
    @inline(never)
    private func send(_ original: DownloadRequest, to url: URL) async throws -> DownloadResponse {
        var request = original
        request.url = url
        return try await send(request)
    }

    /// Sends a request with cookies, and returns its response, redirect or not. Resumes an interrupted transfer if
    /// there is one, and revalidates the stored response if the request selects it.
    func sendOnce(_ original: DownloadRequest) async throws -> DownloadResponse {
        try settings.check(original)
        let sent = transfer.clock.date()
        var request = original.withCookies(settings, at: sent)
        let isConditional = addConditions(to: &request)
        guard !isConditional, transfer.resumption?.partial(for: request) == nil else {
            return try await sendToContinue(original, request, isConditional: isConditional, sent: sent)
        }
        let response = try response(to: request, try await reply(to: request))
        record(response, to: request, sent: sent)
        return response
    }

    /// Sends a request that revalidates the stored response, or resumes an interrupted transfer.
    ///
    /// - Parameters:
    ///   - original: The request without cookies and conditions.
    ///   - request: The request with both.
    @inline(never)
    private func sendToContinue(
        _ original: DownloadRequest, _ request: DownloadRequest, isConditional: Bool, sent: Date
    ) async throws -> DownloadResponse {
        let response =
            if let resumption = transfer.resumption, resumption.partial(for: request) != nil {
                try await resume(request, resumption)
            } else {
                try response(to: request, try await reply(to: request))
            }
        if isConditional, isAboutAnother(response) { return try await sendWithoutConditions(original, after: response) }
        record(response, to: request, isConditional: isConditional, sent: sent)
        return response
    }

    @inline(never)
    private func record(
        _ response: DownloadResponse, to request: DownloadRequest, isConditional: Bool = false, sent: Date
    ) {
        let link = ExchangeChain.Link(
            request: request, status: response.status, headers: response.headers,
            times: ExchangeTimes(sent: sent, received: transfer.clock.date()))
        transfer.attemptRecord.withLock { $0.add(link, isConditional: isConditional) }
    }

    // MARK: Revalidation

    /// Adds the conditional header fields for the stored response, if the request may revalidate it. Returns whether it
    /// did.
    private func addConditions(to request: inout DownloadRequest) -> Bool {
        guard let stored = transfer.revalidated else { return false }
        // The first request selects the response, and its target may be another URL.
        let first = transfer.attemptRecord.withLock { $0.chain?.request }
        guard stored.hasValidator, request.mayRevalidate(stored, redirectedFrom: first) else { return false }
        stored.addConditions(to: &request.headers)
        return true
    }

    /// Whether a 304 response confirms a different response than the stored one (RFC 9111, 4.3.4).
    private func isAboutAnother(_ response: DownloadResponse) -> Bool {
        response.status == 304 && transfer.revalidated?.isConfirmed(by: response.headers) == false
    }

    /// Requests the whole response, after one that could not be used (RFC 9111, 4.3.3).
    @inline(never)
    private func sendWithoutConditions(
        _ original: DownloadRequest, after useless: DownloadResponse
    ) async throws -> DownloadResponse {
        await useless.body.discard()
        let sent = transfer.clock.date()
        let request = original.withCookies(settings, at: sent)
        let response = try response(to: request, try await reply(to: request))
        record(response, to: request, sent: sent)
        return response
    }

    // Functions marked `@inline(never)` keep their values out of the async frames of most transfers. Frames that do not
    // fit into the memory of their task allocate from the heap: 14 KB for each transfer, before they were made small.

    @inline(never)
    private func resume(_ request: DownloadRequest, _ resumption: Resumption) async throws -> DownloadResponse {
        guard let partial = resumption.partial(for: request) else {
            return try response(to: request, try await reply(to: request))
        }
        var rangeRequest = request
        partial.addRange(to: &rangeRequest.headers)
        let reply = try await reply(to: rangeRequest)
        switch partial.meaning(of: reply.response(from: request.url)) {
        case .rest: return try completeResponse(to: request, reply, after: partial.data)
        case .whole: return try response(to: request, reply)
        case .unusable:
            resumption.discard()
            return try response(to: request, try await self.reply(to: request))
        }
    }

    /// The response of a range request, as if the server had sent the whole body.
    @inline(never)
    private func completeResponse(
        to request: DownloadRequest, _ reply: Reply, after prefix: Data
    ) throws(TintypeError) -> DownloadResponse {
        var response = try response(to: request, reply, after: prefix, status: 206)
        transfer.meter.recordResumption(byteCount: prefix.count)
        let length = response.contentLength
        response.status = 200
        response.headers["content-range"] = nil
        response.headers["content-length"] = length.map { "\($0 + prefix.count)" }
        return response
    }

    /// - Parameters:
    ///   - prefix: The bytes of an interrupted transfer that the body continues.
    ///   - status: The status of a response with the requested image, which can be resumed if it breaks off.
    @inline(never)
    private func response(
        to request: DownloadRequest, _ reply: Reply, after prefix: Data = Data(), status: Int = 200
    ) throws(TintypeError) -> DownloadResponse {
        var response = reply.response(from: request.url)
        // A chunked range may end early without an error.
        let announced = response.bodyLength(to: request.method) ?? (prefix.isEmpty ? nil : response.rangeLength)
        let resumption = response.status == status && request.method == "GET" ? transfer.resumption : nil
        // The response itself is recorded later.
        resumption?.beginBody(
            of: response, to: request, after: transfer.attemptRecord.withLock { $0.chain },
            byteCount: announced.map { $0 + prefix.count }, isRest: !prefix.isEmpty)
        response.body = DownloadBody(
            ResponseBody(
                reply.stream, coding: try response.contentCoding, announced: announced, in: transfer, after: prefix,
                resumption: resumption))
        return response
    }

    // MARK: The connection

    /// The head of a response, and the stream of its body.
    struct Reply {
        let head: TransportHead
        let stream: ResponseStream

        /// The response without its body.
        func response(from url: URL) -> DownloadResponse {
            DownloadResponse(url: url, status: head.status, headers: head.headers)
        }
    }

    /// Sends a request to its server, and waits for the head of the response.
    ///
    /// A server may close an idle connection at the moment when it is used again. The server has not responded then, so
    /// an idempotent request is sent again.
    private func reply(to request: DownloadRequest) async throws -> Reply {
        var replays = 0
        while true {
            let stream = try stream(of: request, overNewConnection: replays > 0)
            do {
                let head = try await stream.head()
                recordHead(head, of: stream, to: request)
                return Reply(head: head.head, stream: stream)
            } catch {
                let isReused = stream.connection?.isReused
                guard error.allowsReplay(isIdempotent: request.isIdempotent, isReused: isReused),
                    replays < Self.maximumReplays, !Task.isCancelled
                else { throw TintypeError(transport: error) }
                replays += 1
            }
        }
    }

    @inline(never)
    private func stream(
        of request: DownloadRequest, overNewConnection usesNewConnection: Bool
    ) throws(TintypeError) -> ResponseStream {
        var transportRequest = try settings.transportRequest(for: request, origin: transfer.request.url)
        transportRequest.usesNewConnection = usesNewConnection
        return ResponseStream(
            to: transportRequest, over: settings.transport, transfer.clock, at: transfer.pace,
            under: transfer.services.watch, limitedBy: settings.limitsByteRate ? transfer.services.byteRate : nil)
    }

    @inline(never)
    private func recordHead(_ head: ResponseHead, of stream: ResponseStream, to request: DownloadRequest) {
        transfer.meter.recordHead(
            head, over: stream.connection, isEncrypted: request.url.isEncrypted, since: stream.sent)
        transfer.storeStrictTransport(head.head.headers, from: request.url)
        settings.cookies?.store(head.head.headers.values("set-cookie"), setBy: request.url, at: transfer.clock.date())
    }
}
