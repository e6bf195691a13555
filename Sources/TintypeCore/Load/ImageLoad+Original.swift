import Foundation

extension ImageLoad {
    /// The original bytes, shared with every load that wants the same. What had arrived of them when their transfer failed
    /// is for the requests alone that take a part of a picture.
    ///
    /// - Parameter missingSince: see ``DiskAnswer/missing(since:)``.
    func originalBytes(
        _ job: JobContext, missingSince: Int? = nil, onReceived: @escaping @Sendable (ReceivedBytes) -> Void
    ) async throws(TintypeError) -> LoadedBytes {
        if let bytes = given ?? bytesInHand { return bytes }
        let bytes = try await services.bytes.value(bytesKey, for: job, onStatus: onReceived) {
            (job, report) throws(TintypeError) in
            try await self.getBytes(job, report, isMissing: missingSince == services.bytes.endedCount)
        }
        if let failure = bytes.transferFailure, !request.rendition.decode.allowsPartial { throw failure }
        return bytes
    }

    /// What a load of the same just got, for one that would take them from disk in a moment.
    private var bytesInHand: LoadedBytes? {
        guard request.policy.freshness == .cached else { return nil }
        return services.inHand.withLock { $0[bytesKey] }
    }

    /// The job of one source's bytes: the disk, then the loader.
    private func getBytes(
        _ job: JobContext, _ report: JobReporter<ReceivedBytes>, isMissing: Bool
    ) async throws(TintypeError) -> LoadedBytes {
        guard let stored = isMissing ? nil : try await storedOriginal(job) else {
            guard request.policy.freshness != .cacheOnly else {
                throw TintypeError(.notCached, stage: .disk, "not in a cache, and only caches were allowed")
            }
            return try await loadBytes(job, report, stored: nil)
        }
        switch verdict(on: stored) {
        case .fresh: break
        case .usableWhileRevalidating: refreshBehind()
        case .stale(let usableOnError):
            return try await asked(about: stored, usableOnError: usableOnError, job, report)
        }
        return LoadedBytes(stored)
    }

    private func storedOriginal(_ job: JobContext) async throws(TintypeError) -> CacheEntry? {
        try await storedEntry(request.key.original, in: originalCache, request.policy.original.disk, job)
    }

    /// The bytes from outside, or what had arrived of them: ``LoadedBytes/transferFailure``.
    ///
    /// - Parameter stored: what the origin is asked about, if it can tell.
    func loadBytes(
        _ job: JobContext, _ report: JobReporter<ReceivedBytes>, stored: CacheEntry?
    ) async throws(TintypeError) -> LoadedBytes {
        var received: ReceivedBytes?
        do throws(TintypeError) {
            return try await askLoader(job, report, stored: stored, &received)
        } catch {
            services.failures.remember(error, of: request)
            guard let part = received.flatMap({ part($0, leftBy: error) }) else { throw error }
            return part
        }
    }

    /// - Returns: `nil` where the origin did not break off but said something, or where nothing had come.
    private func part(_ received: ReceivedBytes, leftBy error: TintypeError) -> LoadedBytes? {
        let data = error.isOriginUnavailable ? received.all : Data()
        guard !data.isEmpty else { return nil }
        var part = LoadedBytes(data: data, origin: request.source.expectedOrigin, isStorable: false)
        part.transferFailure = error
        part.received = services.configuration.time.date()
        return part
    }

    /// - Parameter arriving: becomes what the loader's bytes arrive in.
    private func askLoader(
        _ job: JobContext, _ report: JobReporter<ReceivedBytes>, stored: CacheEntry?, _ arriving: inout ReceivedBytes?
    ) async throws(TintypeError) -> LoadedBytes {
        if request.policy.failures == .respected { try services.failures.check(request) }
        guard services.configuration.shouldLoad(request) else {
            throw TintypeError(.refused, stage: .load, "the program does not let it be loaded")
        }
        var loaded = try await services.watch.watch(.load, request.key.original, byteCount: { $0.data.count }) {
            run throws(TintypeError) in
            let answer = AnswerNotice(services.watch, run)
            let received = ReceivedBytes(limit: services.configuration.maximumByteCount) { received in
                answer.noticed(received.progress)
                report(received)
            }
            arriving = received
            let context = LoadContext(received: received, job: job, extras: request.extras, stored: stored)
            return try await loader.load(request.source, context)
        }
        try job.checkCancelled()
        try check(loaded)
        if loaded.received == nil { loaded.received = services.configuration.time.date() }
        return loaded
    }

    /// Loaders that report nothing on the way are checked at the end.
    private func check(_ loaded: LoadedBytes) throws(TintypeError) {
        guard !loaded.data.isEmpty else {
            throw TintypeError(.emptyBody, stage: .load, "there are no bytes")
        }
        let limit = services.configuration.maximumByteCount
        guard loaded.data.count <= limit else {
            throw TintypeError(.limitExceeded, stage: .load, "more than \(limit) bytes")
        }
    }

    /// Adds the original bytes to a picture that was found without them, where the request asks for them always and the
    /// disk has them: a picture that is there is not worth a transfer, let alone an error.
    func withData(_ response: ImageResponse, _ job: JobContext) async throws(TintypeError) -> ImageResponse {
        guard request.policy.data == .always, response.data == nil else { return response }
        var response = response
        if let given {
            response.data = given.data
        } else {
            response.data = try await storedOriginal(job)?.data
        }
        response.byteCount = response.data?.count
        return response
    }
}
