import Foundation
package import TintypeCore
import TintypeHTTP
package import TintypeShared

/// Answers requests for images: the way of a request through the server, from the raw target to a whole response.
///
/// It knows nothing of sockets. ``ImageService/respond(to:)`` can be called from any task.
package final class ImageService: Sendable {
    let configuration: ServiceConfiguration
    let loader: SourceLoader
    let renderer: Renderer
    let records: EvictingCache<String, SourceRecord>
    let renditions: RenditionCache
    let sourceLoads = SharedWork<String, Result<SourceImage, Failure>>(abandoned: .failure(.clientGone))
    let renderings = SharedWork<RenditionKey, Result<RenditionWork, Failure>>(abandoned: .failure(.clientGone))
    let failures: EvictingCache<String, RememberedFailure>
    /// The stale sources that are asked for again in the background.
    let revalidations = Locked<Set<String>>([])
    let admission: AdmissionControl
    /// The pixels of watermarks that URLs name, by the digests of their bytes.
    let watermarks = EvictingCache<String, PixelBuffer>(cost: 64 << 20)
    let recent = Locked(RecentResponses())
    /// The number of images that were made, or failed.
    let finished = Locked(0)

    /// Creates a service without threads. They start with the first image.
    package init(_ configuration: ServiceConfiguration) {
        self.configuration = configuration
        loader = SourceLoader(configuration.pipeline, localRoot: configuration.localRoot)
        renderer = Renderer(configuration.pipeline, configuration.rendering)
        records = EvictingCache(count: configuration.recordCount)
        failures = EvictingCache(count: configuration.recordCount)
        admission = AdmissionControl(configuration.admission)
        renditions = RenditionCache(
            memory: configuration.renditionMemory, below: configuration.renditionCache,
            disk: configuration.renditionDisk, metrics: configuration.metrics)
    }

    /// Returns the response to a request. Never throws: a failure is a response, too.
    package func respond(to request: ServerRequest) async -> ServiceResponse {
        await configuration.tracer.request(request) { await answer(request) }
    }

    /// Answers a request, unless the client leaves.
    private func answer(_ request: ServerRequest) async -> ServiceResponse {
        let key = configuration.isDevelopment ? nil : RecentResponses.Key(request)
        if let key, let response = recentResponse(key, request) { return response }
        guard let connection = request.connection else { return await answer(request, key) }
        return await connection.answering { [self] in await answer(request, key) }
    }

    /// - Parameter key: That of the response, if equal requests may get it.
    private func answer(_ request: ServerRequest, _ key: RecentResponses.Key?) async -> ServiceResponse {
        let isReverseProxy = configuration.passThrough?.isReverseProxy ?? false
        if !isReverseProxy, let answer = answer(toMethodOf: request) { return answer }
        var (report, parsed) = (ServiceReport(), ImageURL?.none)
        do throws(Failure) {
            try authorize(request)
            let now = Date()
            let purges = recent.withLock { $0.purgeCount }
            let url = try imageURL(request, now)
            parsed = url
            (report.host, report.warnings) = (url.source.host, url.warnings)
            if url.options.output.isRaw, url.source.scheme.hasPrefix("http") {
                let response = try await passThrough().response(to: request, from: url.source, &report)
                return response.answering(request.method)
            }
            // A reverse proxy accepts all methods, but only for sources that it passes through.
            if isReverseProxy, let answer = answer(toMethodOf: request) { return answer }
            var response = try await image(for: request, url, now, &report)
            if configuration.isDevelopment { response.fields["Server-Timing"] = report.serverTiming }
            return keeping(ServiceResponse(response.answering(request.method), report), for: key, now, after: purges)
        } catch {
            report.failure = error
            var random = SystemRandomNumberGenerator()
            let problem = ProblemResponse(
                failure: error, requestID: request.id, isDevelopment: configuration.isDevelopment, vary: report.vary,
                crossOrigin: configuration.crossOrigin, request: request.fields,
                fallback: await chooseFallback(for: error, url: parsed, request: request))
            return ServiceResponse(problem.response(using: &random).answering(request.method), report)
        }
    }

    /// Returns the response to an equal request, if there is one.
    private func recentResponse(_ key: RecentResponses.Key, _ request: ServerRequest) -> ServiceResponse? {
        guard configuration.gate?.allows(request.fields) ?? true,
            let found = recent.withLock({ $0.response(for: key, at: Date().unixSecond) })
        else { return nil }
        configuration.metrics?.lookedUp(tier: "memory", isHit: true)
        return found
    }

    private func keeping(
        _ response: ServiceResponse, for key: RecentResponses.Key?, _ now: Date, after purges: Int
    ) -> ServiceResponse {
        guard let key, response.isRepeatable else { return response }
        let repeated = response.repeated
        recent.withLock { if $0.purgeCount == purges { $0.keep(repeated, for: key, at: now.unixSecond) } }
        return repeated
    }

    /// The response to a method that images do not have, or that is answered without one.
    private func answer(toMethodOf request: ServerRequest) -> ServiceResponse? {
        ServerResponse.answer(method: request.method, request.fields, policy: configuration.crossOrigin).map {
            ServiceResponse($0, ServiceReport())
        }
    }

    /// Waits until the caches are written.
    package func flush() async throws(TintypeError) {
        // What leases store comes first, into the queues of the caches.
        await configuration.leases?.flush()
        try await renditions.flush()
        try await configuration.passThrough?.flush()
        try await configuration.pipeline.flush()
    }

    /// Whether the body of a request has a meaning.
    package var readsBodies: Bool { configuration.passThrough?.isReverseProxy ?? false }

    /// The number of images that were made since the service was created, or failed.
    package var finishedCount: Int { finished.withLock { $0 } }

    /// Whether the server works.
    ///
    /// - Parameter isStarted: Whether the server accepts connections.
    package func health(isStarted: Bool) -> Health {
        Health(
            Health.Inputs(
                load: load, isStarted: isStarted, requestTimeout: configuration.requestTimeout,
                stores: breakers.mapValues(\.rawValue)))
    }

    /// The load at this moment.
    package var load: AdmissionStatus { admission.status }

    /// The states of the circuit breakers of shared stores, by the names of the stores.
    package var breakers: [String: BreakerState] { configuration.breakers() }

    /// Refuses images that arrive from now on, because the server shuts down.
    package func drain() { admission.drain() }

    // MARK: The way of a request

    private func image(
        for request: ServerRequest, _ url: ImageURL, _ now: Date, _ report: inout ServiceReport
    ) async throws(Failure) -> ServerResponse {
        let negotiation = Negotiation(
            request.fields, hasFormat: url.options.output.format != nil, settings: configuration.negotiation)
        report.vary = negotiation.vary
        let deadline = TimeSource.system.uptime() + configuration.requestTimeout
        let limits = configuration.cacheLimits.limits(for: url.source.host)
        let isVersioned = !url.options.cacheBuster.isEmpty
        var source = try await source(url.source, limits, isVersioned: isVersioned, &report)
        try source.record.check(url.options.limits, frames: configuration.rendering.maximumFrames)
        let format = configuration.formats.format(
            for: source.record.info, url.options, accept: negotiation.acceptClass)
        var options = url.options.resolved(for: format)
        if negotiation.hints.savesData {
            options.output.quality = max(1, options.output.quality - ClientHints.qualityReduction)
        }
        let rendition: EncodedRendition
        if try passesThrough(url.options.output, source.record.info, format) {
            let image = try await bytes(&source, url.source, &report)
            rendition = EncodedRendition(image.data, source.record.info.format, notes: RenditionNotes())
        } else {
            var order = RenditionOrder(url.source, source, options, format, deadline: deadline)
            order.watermark = try await watermark(options.watermark, &report)
            rendition = try await self.rendition(&order, &report)
            source.record = order.source.record.combined(with: order.watermark.record)
        }
        report.loss = rendition.notes.loss
        let cache = cacheRule(source.record, url, limits, isVersioned: isVersioned && !report.isStale, now)
        return response(rendition, source.record, url, negotiation, cache, request)
    }

    private func passThrough() throws(Failure) -> PassThrough {
        guard let passThrough = configuration.passThrough else {
            throw Failure(
                .forbiddenSource, code: "forbidden-option", detail: "the operator does not allow the option raw")
        }
        return passThrough
    }

    /// Returns whether the client gets the bytes of the source. A drawing can run scripts, so it is never passed
    /// through.
    private func passesThrough(
        _ output: OutputOptions, _ info: ImageInfo, _ format: ImageFormat
    ) throws(Failure) -> Bool {
        if output.isRaw {
            _ = try passThrough()
            guard !info.format.isVector else {
                throw Failure(.forbiddenSource, code: "forbidden-option", detail: "drawings are not passed through")
            }
            return true
        }
        return output.skippedFormats.contains(info.format) && format == info.format && !info.format.isVector
    }

    /// Checks the bearer token, if the operator asks for one.
    private func authorize(_ request: ServerRequest) throws(Failure) {
        guard let gate = configuration.gate, !gate.allows(request.fields) else { return }
        throw Failure(.badSignature, code: "unauthorized", detail: "the bearer token is missing or wrong")
    }

    private func imageURL(_ request: ServerRequest, _ now: Date) throws(Failure) -> ImageURL {
        var hints = DisplayHints()
        if configuration.negotiation.usesClientHints {
            let stated = ClientHints.size(request.fields)
            hints = DisplayHints(pixelRatio: stated.pixelRatio, width: stated.width)
        }
        do throws(ImageURLError) {
            return try configuration.urls.parse(target: request.target, hints: hints, now: now)
        } catch {
            throw Failure(error)
        }
    }

    private func cacheRule(
        _ record: SourceRecord, _ url: ImageURL, _ limits: FreshnessLimits, isVersioned: Bool, _ now: Date
    ) -> CacheRule {
        let freshness = record.freshness(at: now)
        var inputs = CacheRule.Inputs(source: freshness, limits: limits)
        inputs.isVersioned = isVersioned
        inputs.expiry = url.options.expires.flatMap { $0 > 0 ? Date(timeIntervalSince1970: Double($0)) : nil }
        inputs.age = freshness.age
        return CacheRule(inputs, now: now)
    }

    private func response(
        _ rendition: EncodedRendition, _ record: SourceRecord, _ url: ImageURL, _ negotiation: Negotiation,
        _ cache: CacheRule, _ request: ServerRequest
    ) -> ServerResponse {
        var head = RenditionHead(
            contentType: rendition.format.mediaType, byteCount: rendition.data.count,
            validators: Validators(digest: rendition.digest, lastModified: record.lastModified ?? record.confirmed))
        head.disposition = ContentDisposition.value(
            stem: url.stem, fileExtension: rendition.format.fileExtensions.first ?? rendition.format.rawValue,
            isAttachment: url.options.isAttachment)
        for (name, value) in rendition.notes.fields { head.notes[name] = value }
        let context = RenditionResponse.Context(
            method: request.method, request: request.fields, negotiation: negotiation,
            cache: cache, crossOrigin: configuration.crossOrigin)
        // The head states the length of these bytes, so there is a response.
        return RenditionResponse(head, context).response(head) { rendition.data } ?? ServerResponse(status: 500)
    }
}
