extension ImageLoad {
    /// The picture of the original bytes on disk, where nothing else has to be asked about them: read on one thread
    /// and decoded there or on another, without a way back in between.
    ///
    /// Not shared with other loads: to wait for one takes longer than to read a file that the first has just read.
    func diskAnswer(_ job: JobContext) async throws(TintypeError) -> DiskAnswer {
        guard takesStraightFromDisk, !services.bytes.isRunning(bytesKey) else { return .notAsked }
        let ended = services.bytes.endedCount
        let find = finding(request.key.original, in: originalCache)
        let make = makingOfEntry(job)
        return try await WorkQueue.disk.run(for: job, find, then: .pixels, make) ?? .missing(since: ended)
    }

    private var takesStraightFromDisk: Bool {
        given == nil && request.policy.freshness.takesWhatIsCached
            && readsDisk(request.policy.original.disk, of: originalCache)
    }

    /// Whether the policy lets the disk of a cache answer.
    func readsDisk(_ access: CacheAccess, of cache: any ImageCaching) -> Bool {
        request.policy.reads(access) && request.source.isWorthKeepingOnDisk && cache.tiers.contains(.disk)
    }

    /// Reads an entry, on the thread that it is called on.
    func finding(
        _ key: CacheKey, in cache: any ImageCaching
    ) -> @Sendable () throws(TintypeError) -> CacheEntry? {
        { [watch = services.watch] () throws(TintypeError) in
            let entry = try watch.watch(.disk, key, byteCount: { $0?.data.count }) { () throws(TintypeError) in
                cache.entry(for: key)
            }
            watch.tell(.lookedUp(key, in: .disk, found: entry != nil))
            return entry
        }
    }

    private func makingOfEntry(_ job: JobContext) -> @Sendable (CacheEntry) throws(TintypeError) -> DiskAnswer {
        let decoding = decoding(request.rendition.decode, job)
        return { [watch = services.watch, key = request.key] entry throws(TintypeError) in
            let image = Result { () throws(TintypeError) in
                try watch.watch(.decode, key) { () throws(TintypeError) in try decoding(entry.data) }
            }
            return .found(LoadedBytes(entry), image)
        }
    }
}

/// What the disk said when it was asked for an original before anything else was.
enum DiskAnswer: Sendable {
    /// It has the bytes; of them came this picture, or nothing.
    case found(LoadedBytes, Result<Image, TintypeError>)
    /// It does not have them, and did not when so many loads of bytes (``SharedJobs/endedCount``) had ended: it need
    /// not be asked again while that stands.
    case missing(since: Int)
    /// There is more to ask, or to wait for.
    case notAsked

    var missingSince: Int? {
        guard case .missing(let since) = self else { return nil }
        return since
    }
}
