extension ImageLoad {
    /// The original bytes, shared with every load that wants the same.
    func originalBytes(
        _ job: JobContext, onReceived: @escaping @Sendable (ReceivedBytes) -> Void
    ) async throws(TintypeError) -> LoadedBytes {
        try await services.bytes.value(bytesKey, for: job, onStatus: onReceived) { (job, report) throws(TintypeError) in
            try await self.getBytes(job, report)
        }
    }

    /// The job of one source's bytes: the disk, then the loader.
    private func getBytes(
        _ job: JobContext, _ report: JobReporter<ReceivedBytes>
    ) async throws(TintypeError) -> LoadedBytes {
        if let entry = try await storedEntry(request.key.original, request.policy.original, job) {
            return LoadedBytes(data: entry.data, origin: .disk, metadata: entry.metadata)
        }
        guard request.policy.freshness != .cacheOnly else {
            throw TintypeError(.notCached, stage: .disk, "not in a cache, and only caches were allowed")
        }
        if request.policy.failures == .respected { try services.failures.check(request.key.source) }
        return try await loadBytes(job, report)
    }

    private func loadBytes(
        _ job: JobContext, _ report: JobReporter<ReceivedBytes>
    ) async throws(TintypeError) -> LoadedBytes {
        let received = ReceivedBytes(limit: services.configuration.maximumByteCount) { report($0) }
        let loaded = try await services.loader.load(request.source, LoadContext(received: received, job: job))
        try job.checkCancelled()
        guard !loaded.data.isEmpty else {
            throw TintypeError(.emptyBody, stage: .load, "there are no bytes")
        }
        return loaded
    }

    /// Adds the original bytes to a picture that was found without them, where the request asks for them always.
    ///
    /// Those that the disk does not have are loaded and decoded like any, since nothing else may be stored.
    func withData(_ response: ImageResponse, _ job: JobContext) async throws(TintypeError) -> ImageResponse {
        guard request.policy.data == .always, response.data == nil else { return response }
        var response = response
        if let entry = try await storedEntry(request.key.original, request.policy.original, job) {
            response.data = entry.data
        } else {
            response.data = try await decodedOriginal(job, JobReporter { _ in }).data
        }
        response.byteCount = response.data?.count
        return response
    }
}
