import Foundation

extension ImageLoad {
    /// The decoded original, shared with every load that decodes the same bytes in the same way.
    func decodedOriginal(
        _ job: JobContext, _ report: JobReporter<LoadStatus>
    ) async throws(TintypeError) -> ImageResponse {
        if let kept = keptOriginal { return ImageResponse(image: kept, origin: .memory) }
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
        let previews = PreviewPump(self, job, report)
        let bytes = try await originalBytes(job, onReceived: { previews.received($0) })
        previews.stop()
        do throws(TintypeError) {
            return try await decoded(bytes, job)
        } catch  where bytes.origin == .disk && error.isDamage && request.policy.freshness != .cacheOnly {
            await removeFromDisk(request.key.original, in: originalCache, error)
            var load = replacing { $0.policy.freshness = .reload }
            load.given = nil
            return try await load.getDecoded(job, report)
        }
    }

    private func decoded(_ bytes: LoadedBytes, _ job: JobContext) async throws(TintypeError) -> ImageResponse {
        do throws(TintypeError) {
            let image = try await decode(bytes.data, request.rendition.decode, job).receiving(bytes.received)
            services.failures.forget(request.key.source)
            keep(bytes, of: image)
            var response = ImageResponse(image: image, origin: bytes.origin, data: bytes.data)
            response.metrics = bytes.metrics
            return response
        } catch {
            // What a cache gave says nothing of the source, which may be sound.
            if bytes.origin != .disk { services.failures.remember(error, of: request.source, as: request.key.source) }
            throw error
        }
    }

    /// Pixels of bytes, on the executor for codecs.
    func decode(
        _ data: Data, _ options: DecodeOptions, _ job: JobContext
    ) async throws(TintypeError) -> Image {
        var context = DecodeContext(
            options: options, limits: services.configuration.decodeLimits, isCancelled: { job.isCancelled })
        context.options.scale = options.scale ?? request.source.scaleInName
        let coders = services.configuration.coders
        return try await services.watch.watch(.decode, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { [context] () throws(TintypeError) in
                try coders.decoder(for: data, context.options).decodeChecked(data, context)
            }
        }
    }
}

extension ImageDecoder {
    /// - Throws: also ``TintypeError/Code/notAnimated``, where only an animated picture is wanted.
    func decodeChecked(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image {
        let image = try decodePart(bytes, resolved(context, for: bytes))
        guard context.options.frames != .animatedOnly || image.info.frameCount > 1 else {
            throw TintypeError(.notAnimated, stage: .decode, "a still picture, where only an animated one was wanted")
        }
        return image
    }
}

extension ImageDecoder {
    /// Asks the header only where what is wanted depends on it.
    private func resolved(_ context: DecodeContext, for bytes: Data) throws(TintypeError) -> DecodeContext {
        guard context.options.sizeScope != nil, let info = try info(of: bytes, isComplete: true) else { return context }
        var resolved = context
        resolved.options = context.options.resolved(for: info)
        return resolved
    }
}

extension TintypeError {
    /// Whether the bytes are at fault, so that other bytes may be better.
    fileprivate var isDamage: Bool { code == .undecodable || code == .notAnImage }
}
