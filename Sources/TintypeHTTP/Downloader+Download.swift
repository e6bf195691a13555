public import TintypeCore

extension Downloader {
    /// Bytes of one body that ``download(_:options:priority:onProgress:)`` takes where its options say nothing.
    private var standardByteLimit: Int { state.withLock { $0.configuration.maximumByteCount } ?? 64 << 20 }

    /// Starts a transfer, or joins the one for an equal request.
    ///
    /// - Parameter onProgress: called on any thread, which it must not block, with what has come so far for one that
    ///   joins late.
    /// - Returns: a share in it; one that has failed for what cannot be asked for.
    @discardableResult
    public func download(
        _ source: ImageSource, options: HTTPOptions = HTTPOptions(), priority: ImagePriority = .normal,
        onProgress: (@Sendable (LoadProgress) -> Void)? = nil
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
        let limit = options.maximumByteCount ?? standardByteLimit
        var extras = RequestExtras()
        if !options.isPlain { extras[HTTPOptionsKey.self] = options }
        let key = try key(source, extras, byteLimit: limit, stored: nil)
        let receiver = ByteJobs.Receiver(
            onStatus: { download.update($0) }, onEnd: { download.finish($0) })
        let priority = download.priority
        let subscription = jobs.attach(key, at: priority, receiver: receiver) {
            self.transfer(of: source, extras, byteLimit: limit, stored: nil)
        }
        download.bind(subscription, at: priority)
    }
}
