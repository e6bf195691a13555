public import TintypeCore

extension Downloader {
    /// Bytes of one body that ``download(_:options:priority:onProgress:)`` takes where nothing else is said: 64 MB.
    private static let standardByteLimit = 64 << 20

    /// Starts a transfer, or joins the one for an equal request.
    ///
    /// - Parameter onProgress: called on any thread, with what has come so far for one that joins late.
    /// - Returns: a share in it; one that has failed for what cannot be asked for.
    @discardableResult
    public func download(
        _ source: ImageSource, options: HTTPOptions = HTTPOptions(), priority: ImagePriority = .normal,
        onProgress: @escaping @Sendable (LoadProgress) -> Void = { _ in }
    ) -> Download {
        let download = Download(priority, onProgress)
        do throws(TintypeError) {
            try start(download, source, options)
        } catch {
            download.finish(.failure(error))
        }
        return download
    }

    private func start(_ download: Download, _ source: ImageSource, _ options: HTTPOptions) throws(TintypeError) {
        let limit = options.maximumByteCount ?? configuration.maximumByteCount ?? Self.standardByteLimit
        let settings = try settings(options, byteLimit: limit)
        let request = try DownloadRequest(source, settings)
        let receiver = JobReceiver<LoadedBytes, ReceivedBytes>(
            onStatus: { download.update($0) }, onEnd: { download.finish($0) })
        let key = TransferKey(request, options, byteLimit: limit, stored: nil)
        let subscription = jobs.attach(key, at: download.priority, receiver: receiver) {
            (job, report) throws(TintypeError) in
            try await self.transfer(request, settings, stored: nil, job, report)
        }
        download.bind(subscription)
    }
}
