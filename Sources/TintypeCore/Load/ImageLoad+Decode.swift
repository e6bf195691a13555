import Foundation

extension ImageLoad {
    /// The decoded original, shared with every load that decodes the same bytes in the same way.
    func decodedOriginal(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        if let kept = keptOriginal { return memoryAnswer(kept, decodedOriginalKey) }
        return try await services.decoded.value(decodedKey, for: job, onStatus: report.report) {
            (job, report) throws(TintypeError) in
            try await self.getDecoded(job, report)
        }
    }

    /// The job of one decoded original. Bytes that the disk cache gave and that do not decode are removed from it and
    /// loaded anew.
    private func getDecoded(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let answer = try await diskAnswer(job)
        guard case .found(let bytes, let image) = answer else {
            let bytes = try await received(job, report, missingSince: answer.missingSince)
            guard bytes.transferFailure == nil else { return try await salvaged(bytes, job) }
            services.inHand.withLock { $0.hold(bytes, as: bytesKey) }
            defer { services.inHand.withLock { $0.release(bytesKey) } }
            return try await finished(bytes, job, report) { () throws(TintypeError) in
                try await decode(bytes.data, request.rendition.decode, job)
            }
        }
        return try await finished(bytes, job, report) { () throws(TintypeError) in try image.get() }
    }

    /// What can be shown of bytes that are not whole. No cache keeps it, even if nothing of the picture is missing.
    ///
    /// - Throws: what the transfer failed with, where nothing can be shown.
    private func salvaged(_ bytes: LoadedBytes, _ job: JobContext) async throws(TintypeError) -> ImageResponse {
        let image: Image
        do throws(TintypeError) {
            image = try await decode(bytes.data, request.rendition.decode, job)
        } catch {
            throw error.isDamage ? bytes.transferFailure ?? error : error
        }
        var response = ImageResponse(
            image: image.partial.receiving(bytes.received), origin: bytes.origin, byteCount: bytes.data.count)
        response.transferFailure = bytes.transferFailure
        return response
    }

    private func received(
        _ job: JobContext, _ report: JobReporter<LoadStatus>, missingSince: Int?
    ) async throws(TintypeError) -> LoadedBytes {
        let previews = PreviewPump(self, job, report)
        defer { previews.stop() }
        return try await originalBytes(job, missingSince: missingSince, onReceived: { previews.received($0) })
    }

    private func finished(
        _ bytes: LoadedBytes, _ job: JobContext, _ report: JobReporter<LoadStatus>,
        _ image: () async throws(TintypeError) -> Image
    ) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            return finished(bytes, try await image())
        } catch  where bytes.origin == .disk {
            guard error.isDamage, !hasOwnDecoder, request.policy.freshness != .cacheOnly else { throw error }
            await removeFromDisk(request.key.original, in: originalCache, error)
            var load = replacing { $0.policy.freshness = .reload }
            load.given = nil
            return try await load.getDecoded(job, report)
        } catch {
            if !hasOwnDecoder { services.failures.remember(error, of: request) }
            throw error
        }
    }

    /// Whether the request names its decoder. What that one cannot read says nothing of the bytes.
    private var hasOwnDecoder: Bool { request.rendition.decode.decoder != nil }

    private func finished(_ bytes: LoadedBytes, _ decoded: Image) -> ImageResponse {
        let image = decoded.receiving(bytes.received)
        services.failures.forget(FailureKey(request))
        keep(bytes, of: image)
        var response = ImageResponse(image: image, origin: bytes.origin, data: bytes.data)
        response.metrics = bytes.metrics
        return response
    }

    /// Pixels of bytes, on the executor for codecs.
    func decode(
        _ data: Data, _ options: DecodeOptions, _ job: JobContext
    ) async throws(TintypeError) -> Image {
        let decoding = decoding(options, job)
        return try await services.watch.watch(.decode, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in try decoding(data) }
        }
    }

    /// Makes pixels of bytes, on the thread that it is called on.
    func decoding(
        _ options: DecodeOptions, _ job: JobContext
    ) -> @Sendable (Data) throws(TintypeError) -> Image {
        var context = DecodeContext(
            options: options, limits: services.configuration.decodeLimits, isCancelled: { job.isCancelled })
        context.options.scale = request.source.scaleInName
        let (coders, time) = (services.configuration.coders, services.configuration.time)
        return { [context] data throws(TintypeError) in
            try job.transforming { () throws(TintypeError) in
                try coders.decoder(for: data, context.options).decodeChecked(data, context: context, time: time)
            }
        }
    }
}

extension TintypeError {
    /// Whether the bytes are at fault, so that other bytes may be better.
    fileprivate var isDamage: Bool { code == .undecodable || code == .notAnImage }
}
