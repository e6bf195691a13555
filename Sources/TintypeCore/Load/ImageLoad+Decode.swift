import Foundation

extension ImageLoad {
    /// The decoded original, shared with every load that decodes the same bytes in the same way.
    func decodedOriginal(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        try await services.decoded.value(decodedKey, for: job, onStatus: report.report) {
            (job, report) throws(TintypeError) in
            try await self.getDecoded(job, report)
        }
    }

    /// The job of one decoded original. Bytes that the disk cache gave and that do not decode are removed from it and
    /// loaded anew.
    private func getDecoded(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            let response = try await decodeBytes(job, report)
            services.failures.forget(source: request.key.source)
            return response
        } catch {
            // What a cache alone gave says nothing of the source, which may be sound.
            if request.policy.freshness != .cacheOnly { services.failures.remember(error, of: request.key.source) }
            throw error
        }
    }

    private func decodeBytes(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        let previews = PreviewPump(self, job, report)
        let bytes = try await originalBytes(job, onReceived: { previews.received($0) })
        previews.stop()
        do throws(TintypeError) {
            let image = try await decode(bytes.data, request.rendition.decode, job)
            keep(bytes, of: image)
            return ImageResponse(image: image, origin: bytes.origin, data: bytes.data)
        } catch  where bytes.origin == .disk && error.isDamage && request.policy.freshness != .cacheOnly {
            await removeFromDisk(request.key.original, error)
            return try await replacing { $0.policy.freshness = .reload }.decodeBytes(job, report)
        }
    }

    /// Pixels of bytes, on the executor for codecs.
    func decode(
        _ data: Data, _ options: DecodeOptions, _ job: JobContext
    ) async throws(TintypeError) -> Image {
        let configuration = services.configuration
        let context = DecodeContext(
            options: options, limits: configuration.decodeLimits, isCancelled: { job.isCancelled })
        return try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            try configuration.coders.decoder(for: data).decode(data, context)
        }
    }
}

extension TintypeError {
    /// Whether the bytes are at fault, so that other bytes may be better.
    fileprivate var isDamage: Bool { code == .undecodable || code == .notAnImage }
}
