import Foundation

extension ImageLoad {
    /// Decodes the original: from memory, from the disk, or from the loader. Shared with every load that decodes the same
    /// bytes in the same way.
    func decodeOriginal() async throws(TintypeError) -> ImageResponse {
        if let image = originalInMemory { return memoryHit(image, decodedOriginalKey) }
        let key = JobKey(original: decodedOriginalKey, of: request, bytes: currentBytes)
        return try await services.originals.value(key, for: job, onStatus: reporter.report) {
            [request, services, currentBytes] (job, reporter) throws(TintypeError) in
            try await ImageLoad(
                request: request, services: services, job: job, reporter: reporter, currentBytes: currentBytes
            ).makeOriginal()
        }
    }

    /// Reads and decodes the original from the disk; `nil` if the disk does not have it.
    ///
    /// There is no thread change between the two if the pixel queue has room. Reading is not shared with other loads:
    /// waiting for another one takes longer than reading a file that it has just read.
    func decodeStoredOriginal() async throws(TintypeError) -> ImageResponse? {
        guard readsDisk(request.policy.original.disk, of: originalCache, forOriginal: true) else { return nil }
        let read = blockingRead(of: request.key.original, in: originalCache)
        let decode = blockingDecode(request.rendition.decode)
        let stored = try await WorkQueue.disk.run(for: job, read, then: .pixels) {
            [watch, key = request.key] entry throws(TintypeError) in
            // A `Result`, so that the bytes of an entry that does not decode are known below.
            let image = Result { () throws(TintypeError) in
                try watch.watch(.decode, key) { () throws(TintypeError) in try decode(entry.data) }
            }
            return (LoadedBytes(entry), image)
        }
        guard let (bytes, image) = stored else { return nil }
        return try await decodeAndStore(bytes, decoded: image)
    }

    /// Decodes an original, and stores it if that succeeds. Otherwise records the failure, or loads the bytes again.
    ///
    /// Bytes from the disk cache that do not decode are removed from it and loaded again.
    ///
    /// - Parameter decoded: The image, if the bytes have been decoded already.
    func decodeAndStore(
        _ bytes: LoadedBytes, decoded: Result<Image, TintypeError>? = nil
    ) async throws(TintypeError) -> ImageResponse {
        guard bytes.transferFailure == nil else { return try await salvage(bytes) }
        do throws(TintypeError) {
            let image = try await image(of: bytes, decoded: decoded)
                .dated(received: bytes.received, expires: .earlier(bytes.expires, expiry))
            services.failureMemory.forget(FailureKey(request))
            storeOriginal(bytes, of: image)
            var response = ImageResponse(
                image: image, origin: bytes.origin, data: bytes.data.isEmpty ? nil : bytes.data)
            response.metrics = bytes.metrics
            response.bytes = bytes
            return response
        } catch  where bytes.origin == .disk {
            guard error.isDamage, !hasOwnDecoder, request.policy.freshness != .cacheOnly else { throw error }
            // Ordinary requests may show what a strict one refuses.
            if request.policy.verification == .firstFrame {
                await removeFromDisk(request.key.original, in: originalCache, because: error)
            }
            var load = replacing { $0.policy.freshness = .reload }
            load.currentBytes = nil
            return try await load.makeOriginal()
        } catch {
            if !hasOwnDecoder { remember(error) }
            throw error
        }
    }

    /// The image of original bytes: already decoded, delivered by the loader, or decoded now.
    private func image(
        of bytes: LoadedBytes, decoded: Result<Image, TintypeError>?
    ) async throws(TintypeError) -> Image {
        if let decoded { return try decoded.get() }
        let options = request.rendition.decode
        guard let image = bytes.image else { return try await decode(bytes.data, options) }
        return try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in
            try job.transforming { () throws(TintypeError) in try image.reduced(to: options) }
        }
    }

    /// Whether the request selects its own decoder. A failure of that decoder does not mean that the bytes are damaged.
    private var hasOwnDecoder: Bool { request.rendition.decode.decoder != nil }

    /// Decodes incomplete bytes. No cache stores the result, even if the image is complete.
    ///
    /// - Throws: The error of the transfer, if nothing can be shown.
    private func salvage(_ bytes: LoadedBytes) async throws(TintypeError) -> ImageResponse {
        let image: Image
        do throws(TintypeError) {
            image = try await decode(bytes.data, request.rendition.decode)
        } catch {
            throw error.isDamage ? bytes.transferFailure ?? error : error
        }
        var response = ImageResponse(
            image: image.dated(received: bytes.received, expires: bytes.expires, isPartial: true), origin: bytes.origin,
            byteCount: bytes.data.count)
        response.transferFailure = bytes.transferFailure
        return response
    }
}

// MARK: - Decoding bytes

extension ImageLoad {
    /// Decodes bytes on the pixel queue.
    func decode(_ data: Data, _ options: DecodeOptions) async throws(TintypeError) -> Image {
        let decode = blockingDecode(options)
        return try await watch.watch(.decode, request.key) { _ throws(TintypeError) in
            try await WorkQueue.pixels.run(for: job) { () throws(TintypeError) in try decode(data) }
        }
    }

    /// Returns a closure that decodes bytes on the thread that calls it.
    private func blockingDecode(_ options: DecodeOptions) -> @Sendable (Data) throws(TintypeError) -> Image {
        var context = DecodeContext(
            options: options, limits: services.configuration.decodeLimits, isCancelled: { [job] in job.isCancelled })
        context.options.scale = request.source.scaleInName
        context.verification = request.policy.verification
        let (coders, time) = (services.configuration.coders, services.configuration.time)
        return { [context] data throws(TintypeError) in
            try TransformContext(isCancelled: context.isCancelled).run { () throws(TintypeError) in
                try coders.decoder(for: data, options: context.options).decodeChecked(
                    data, context: context, time: time)
            }
        }
    }
}

extension Image {
    /// Returns the image that decoding with `options` would have made, by selecting frames, cropping and resizing.
    ///
    /// - Throws: ``TintypeError/Code/notAnimated``, and the errors of the transforms.
    func reduced(to options: DecodeOptions) throws(TintypeError) -> Image {
        if options.frames == .animatedOnly, !isAnimated {
            throw TintypeError(
                .notAnimated, stage: .decode, "the image is not animated, but only animated images were requested")
        }
        let options = try options.resolved(for: info)
        var image = options.frames == .first && isAnimated ? replacing(pixels: pixels) : self
        if let crop = options.crop { image = try image.transformed(by: CropTransformer(to: crop)) }
        if options.size == .noPixels, !image.isAnimated { return try image.withoutPixels() }
        let target = options.size.target(for: image.size)
        guard target != image.size else { return image }
        return try image.transformed(by: ResizeTransformer(to: target, mode: .stretch))
    }
}

extension TintypeError {
    /// Whether the bytes are at fault, so that other bytes may decode.
    fileprivate var isDamage: Bool { code == .undecodable || code == .notAnImage }
}
