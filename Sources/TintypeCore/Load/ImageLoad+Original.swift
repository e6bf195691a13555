import Foundation

// The original: decoded from memory, from the disk, or from the bytes that the loader returns.

extension ImageLoad {
    /// Decodes the original: from memory, from the disk, or from the loader. Shared with every load that decodes the
    /// same bytes in the same way.
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
        guard readsDisk(request.policy.caching.original.disk, of: originalCache, forOriginal: true) else { return nil }
        let key = request.key
        let read = blockingRead(of: key.original, in: originalCache)
        let decode = blockingDecode(request.rendition.decode)
        let stored = try await WorkQueue.disk.run(for: job, read, then: .pixels) {
            [watch] entry throws(TintypeError) in
            // A `Result`, so that the bytes of an entry that does not decode are known below.
            let image = Result { () throws(TintypeError) in
                try watch.blockingWatch(.decode, key) { _ throws(TintypeError) in try decode(entry.data) }
            }
            return (LoadedBytes(entry), image)
        }
        if let (bytes, image) = stored { return try await decodeAndStore(bytes, decoded: image) }
        guard let entry = try await readRemoteEntry(key.original, in: originalCache) else { return nil }
        return try await decodeAndStore(LoadedBytes(entry))
    }

    /// Decodes an original, and stores it if that succeeds. Otherwise remembers the failure, or replaces bytes from the
    /// disk cache.
    ///
    /// - Parameter decoded: The image, if the bytes have been decoded already.
    func decodeAndStore(
        _ bytes: LoadedBytes, decoded: Result<Image, TintypeError>? = nil
    ) async throws(TintypeError) -> ImageResponse {
        guard bytes.transferFailure == nil else { return try await salvage(bytes) }
        do throws(TintypeError) {
            let undated =
                if let decoded { try decoded.get() } else {
                    try await decode(bytes.data, request.rendition.decode, delivered: bytes.image)
                }
            let image = undated.dated(received: bytes.received, expires: .earlier(bytes.expires, expiry))
            services.failureMemory.forget(FailureKey(request))
            storeOriginal(bytes, of: image)
            var response = ImageResponse(
                image: image, origin: bytes.origin, data: bytes.data.isEmpty ? nil : bytes.data)
            response.metrics = bytes.metrics
            response.bytes = bytes
            return response
        } catch  where bytes.origin == .disk {
            return try await replaceDamagedOriginal(after: error)
        } catch {
            if !hasOwnDecoder { remember(error) }
            throw error
        }
    }

    /// Removes an original that does not decode from the disk cache, and loads it again.
    ///
    /// - Throws: `error`, if the bytes are not at fault or the request allows only caches; the errors of the load.
    private func replaceDamagedOriginal(after error: TintypeError) async throws(TintypeError) -> ImageResponse {
        guard error.isDamage, !hasOwnDecoder, request.policy.freshness != .cacheOnly else { throw error }
        // Ordinary requests may show what a strict one refuses.
        if request.policy.verification == .firstFrame {
            await removeFromDisk(request.key.original, in: originalCache, because: error)
        }
        var load = replacing { $0.policy.freshness = .reload }
        load.currentBytes = nil
        return try await load.makeOriginal()
    }

    /// Whether the request selects its own decoder. A failure of that decoder does not mean that the bytes are damaged.
    private var hasOwnDecoder: Bool { request.rendition.decode.decoder != nil }
}

// MARK: - Loading bytes

extension ImageLoad {
    /// Loads the original bytes, shared with every load of the same bytes.
    ///
    /// - Parameters:
    ///   - stored: The cache entry to revalidate, for a loader that can.
    ///   - previews: Shows the bytes as they arrive.
    /// - Returns: The bytes. If the request accepts partial images and the transfer fails, the bytes that had arrived
    ///   (``LoadedBytes/transferFailure``).
    func loadBytes(stored: CacheEntry? = nil, previews: PreviewPump) async throws(TintypeError) -> LoadedBytes {
        try checkLoadersAreAllowed()
        let wanted = byteRequest(revalidating: stored)
        do throws(TintypeError) {
            try await waitUntilLoadable()
            if let bytes = bytesOfEqualLoad { return bytes }
            let loader = sharedLoader
            defer { services.didStore(for: request) }
            let bytes = try await loader.loads.jobs.value(
                try loader.key(for: wanted), for: job, onStatus: previews.receive,
                work: watched(loader.work(for: wanted)))
            // Again: a load that joined the transfer of another pipeline or of a program has not handed its bytes over,
            // or removed entries, yet.
            if !bytes.invalidated.isEmpty { await removeInvalidated(bytes.invalidated) }
            return handOver(try checked(bytes))
        } catch {
            if !error.invalidated.isEmpty { await removeInvalidated(error.invalidated) }
            remember(error)
            guard let part = partialBytes(previews.received, leftBy: error) else { throw error }
            return part
        }
    }

    /// - Throws: ``TintypeError/Code/notCached`` if the request allows only caches.
    func checkLoadersAreAllowed() throws(TintypeError) {
        guard request.policy.freshness == .cacheOnly else { return }
        throw TintypeError(
            .notCached, stage: .disk, "no cache contains the image, and the request allows only caches")
    }

    /// Waits while the pipeline is paused.
    ///
    /// - Throws: An error if the source has failed before, or a guard or the program does not allow the load.
    func waitUntilLoadable() async throws(TintypeError) {
        if request.policy.failureMemory == .respected { try services.failureMemory.check(request) }
        try services.checkAllowed(request)
        if services.pause.isPaused { try await services.pause.wait() }
    }

    /// Returns the request that this load makes of its loader.
    ///
    /// - Parameter stored: The cache entry to revalidate.
    func byteRequest(revalidating stored: CacheEntry? = nil) -> ByteRequest {
        ByteRequest(
            source: request.source, identity: services.byteIdentity(of: request), extras: request.extras,
            byteLimit: services.configuration.maximumByteCount, accept: services.accept, stored: stored,
            cache: request.policy.caching.original.disk.canWrite ? originalCache.spillFileMaker : nil)
    }

    /// The loader of the request, if it shares its loads with callers outside of this pipeline; otherwise the loader
    /// with the table of the pipeline.
    var sharedLoader: any SharedLoader {
        let accepting = services.loaders(for: request).loader(for: request)
        if let shared = accepting as? any SharedLoader { return shared }
        // An empty chain throws the error that no loader accepts the source.
        return PipelineLoader(
            loader: accepting ?? ImageLoaderChain([]), loads: services.loads,
            scope: .request(request.overrides?.identity, request.policy.forBytes))
    }

    /// Remembers a failure of the source, if the program, or else the loader, judges that a retry would fail in the
    /// same way.
    func remember(_ error: TintypeError) {
        services.failureMemory.remember(error, of: request, judgedBy: sharedLoader)
    }

    /// The bytes that an equal load has just loaded, for a request that would otherwise wait to read them from the
    /// disk.
    private var bytesOfEqualLoad: LoadedBytes? {
        guard request.policy.freshness == .cached else { return nil }
        let bytes = services.handover.withLock { $0[JobKey(bytesOf: request)] }
        return bytes.flatMap { try? checked($0) }
    }

    /// - Returns: `nil` if the request accepts only complete images, the origin refused the request, or no bytes had
    ///   arrived.
    func partialBytes(_ received: ReceivedBytes?, leftBy error: TintypeError) -> LoadedBytes? {
        guard request.rendition.decode.allowsPartial, error.isOriginUnavailable, let data = received?.all, !data.isEmpty
        else { return nil }
        var part = LoadedBytes(data: data, origin: request.source.expectedOrigin, isStorable: false)
        part.transferFailure = error
        part.received = services.configuration.time.date()
        return part
    }

    /// Reports the work to observers, and hands its result over to equal loads before it ends.
    private func watched(_ work: @escaping ByteLoads.Work) -> ByteLoads.Work {
        { [self] (job, reporter) throws(TintypeError) in
            // The job of an equal load may have ended after this load found no bytes, and before it started a job. An
            // identity says nothing to loads of other pipelines, which may have joined this job.
            if request.identity == nil, let bytes = bytesOfEqualLoad { return bytes }
            let watch = self.watch
            let bytes: LoadedBytes
            do throws(TintypeError) {
                bytes = try await watch.watch(.load, request.key.original, byteCount: { $0.data.count }) {
                    run throws(TintypeError) in
                    try await work(job, watch.isIdle ? reporter : ResponseNotice(watch, run).reporter(before: reporter))
                }
            } catch {
                if !error.invalidated.isEmpty { await removeInvalidated(error.invalidated) }
                throw error
            }
            if !bytes.invalidated.isEmpty { await removeInvalidated(bytes.invalidated) }
            try job.checkCancelled()
            // Before the job ends, so that no equal load finds neither the job nor its bytes.
            return handOver(bytes)
        }
    }

    /// Hands bytes over to equal loads.
    ///
    /// - Returns: The bytes, with the date at which they were received if the loader did not set it.
    private func handOver(_ bytes: LoadedBytes) -> LoadedBytes {
        var dated = bytes
        if dated.received == nil { dated.received = services.receiptDate() }
        services.handover.withLock { [dated] in $0.put(dated, as: JobKey(bytesOf: request)) }
        return dated
    }

    /// Checks the bytes that a loader returned. For loaders that do not use ``ReceivedBytes``, this is the only check.
    private func checked(_ bytes: LoadedBytes) throws(TintypeError) -> LoadedBytes {
        guard !bytes.data.isEmpty || bytes.image != nil else {
            throw TintypeError(.emptyBody, stage: .load, "the loader returned no bytes")
        }
        let limit = services.configuration.maximumByteCount
        guard bytes.data.count <= limit else { throw .exceeded(byteLimit: limit) }
        return bytes
    }

    /// Adds the original bytes from the disk to a response without them. If the disk does not have them, the response
    /// stays as it is: a cached image must cause neither a transfer nor an error.
    func addOriginalData(to response: ImageResponse) async throws(TintypeError) -> ImageResponse {
        guard response.data == nil, response.transferFailure == nil else { return response }
        var response = response
        response.data =
            if let currentBytes { currentBytes.data.isEmpty ? nil : currentBytes.data } else {
                try await readEntry(request.key.original, in: originalCache, request.policy.caching.original.disk)?.data
            }
        response.byteCount = response.data?.count
        return response
    }
}
