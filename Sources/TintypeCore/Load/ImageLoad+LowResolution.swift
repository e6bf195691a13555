extension ImageLoad {
    /// Loads the image, and its low-resolution source at the same time, unless a cache has the image. The low-resolution image
    /// is delivered as a preview if it arrives first. Its load ends with this one.
    ///
    /// - Throws: The error of the image. An error of the low-resolution source is ignored.
    func loadAfter(lowResolution low: ImageRequest) async throws(TintypeError) -> ImageResponse {
        let request = request.with { $0.lowResolution = nil }
        if let cached = try await joinCached(request) { return cached }
        let previews = Locked(LayeredStatus())
        let receiver = Jobs.Receiver(
            onStatus: { _ in },
            onEnd: { [reporter] result in
                guard let response = try? result.get() else { return }
                if let status = previews.withLock({ $0.showLowResolution(response) }) { reporter(status) }
            })
        let subscription = services.renditions.attach(
            JobKey(rendition: low, bytes: nil), at: job.priority, receiver: receiver
        ) { services.renditionWork(low, bytes: nil) }
        let follower = job.addFollower(subscription)
        defer {
            job.removeFollower(follower)
            subscription.cancel()
        }
        var load = self
        load.reporter = JobReporter { [reporter] status in reporter(previews.withLock { $0.update(status) }) }
        return try await load.join(request)
    }

    /// Loads the image from the caches, or else its source with fewer bytes.
    func loadSavingData(_ low: ImageRequest) async throws(TintypeError) -> ImageResponse {
        if let cached = try await joinCached(request.with { $0.lowData = nil }) { return cached }
        return try await join(low)
    }

    /// Joins a load from the caches alone, if they may answer; `nil` if they do not have the image.
    private func joinCached(_ request: ImageRequest) async throws(TintypeError) -> ImageResponse? {
        guard request.policy.freshness == .cached else { return nil }
        do throws(TintypeError) {
            return try await join(request.freshness(.cacheOnly))
        } catch {
            if error.code == .cancelled { throw error }
            return nil
        }
    }
}

/// The status of a load that shows a low-resolution image first: the previews of both in one sequence.
struct LayeredStatus: Sendable {
    private var lowResolution: ImageResponse?
    private var newest = LoadStatus()

    /// - Returns: The status to report; `nil` if the image itself has shown a preview, which replaces the low-resolution one.
    mutating func showLowResolution(_ response: ImageResponse) -> LoadStatus? {
        guard newest.preview == nil else { return nil }
        lowResolution = response
        return combined
    }

    /// - Parameter status: The newest status of the image itself.
    mutating func update(_ status: LoadStatus) -> LoadStatus {
        newest = status
        return combined
    }

    private var combined: LoadStatus {
        guard let lowResolution else { return newest }
        var status = newest
        status.preview = newest.preview ?? lowResolution
        status.previewCount += 1
        return status
    }
}

extension ImageRequest {
    /// Returns the request for ``LowResolution/thumbnail(fitting:)``.
    func thumbnail(fitting box: PixelSize) -> ImageRequest {
        with { request in
            request.alternatives = []
            request.lowResolution = nil
            request.lowData = nil
            request.rendition.decode.size = .fit(box)
            request.rendition.decode.embeddedThumbnail = .whereLargeEnough
            request.policy.rendered.disk = .off
        }
    }
}
