/// Shows a picture while its bytes arrive: feeds an incremental decoder, on the executor for codecs, with what is new.
///
/// Needs no timer: arriving bytes drive it. At most one step is under way; bytes that arrive meanwhile are taken by the
/// next.
final class PreviewPump: Sendable {
    private let load: ImageLoad
    private let job: JobContext
    private let report: JobReporter<LoadStatus>
    private let state: Locked<PreviewState>

    init(_ load: ImageLoad, _ job: JobContext, _ report: JobReporter<LoadStatus>) {
        self.load = load
        self.job = job
        self.report = report
        state = Locked(PreviewState(load.request.policy.previews))
    }

    /// Shows a whole picture meanwhile; no partial one is worth showing from then on.
    func show(_ old: ImageResponse) {
        let status = state.withLock { $0.showWhole(old) }
        if let status { report(status) }
    }

    /// Called on the loader's thread whenever bytes have arrived.
    func received(_ bytes: ReceivedBytes) {
        let now = load.services.configuration.time.uptime()
        let (status, starts) = state.withLock { state in
            state.status.progress = bytes.progress
            return (state.status, state.shouldStart(at: now))
        }
        report(status)
        if starts { enqueueStep(bytes) }
    }

    private func enqueueStep(_ bytes: ReceivedBytes) {
        WorkQueue.pixels.enqueue(at: job.priority) { self.step(bytes) }
    }

    /// No preview is delivered after this.
    func stop() {
        state.withLock { $0.isStopped = true }
    }

    /// One step of decoding, then back to waiting for bytes.
    private func step(_ bytes: ReceivedBytes) {
        guard !job.isCancelled, let decoder = decoder(bytes) else { return stop() }
        let offset = state.withLock { $0.offset }
        let new = bytes.bytes(from: offset)
        do throws(TintypeError) {
            let preview = try decoder.append(new).map {
                ImageResponse(image: $0, origin: load.request.source.expectedOrigin)
            }
            let now = load.services.configuration.time.uptime()
            let (status, goesOn) = state.withLock { $0.finishStep(upTo: offset + new.count, showing: preview, at: now) }
            if let status { report(status) }
            // What came meanwhile may have been the last for a long time.
            if goesOn { enqueueStep(bytes) }
        } catch {
            // The whole bytes will tell what is wrong; a preview is not worth an error.
            stop()
        }
    }

    /// The decoder, made from the first bytes; `nil` when the format shows nothing before the end.
    private func decoder(_ bytes: ReceivedBytes) -> (any IncrementalImageDecoder)? {
        if let decoder = state.withLock({ $0.decoder }) { return decoder }
        let configuration = load.services.configuration
        let head = bytes.head(FormatSniffer.length)
        var options = load.request.rendition.decode
        options.scale = load.request.source.scaleInName
        let context = DecodeContext(
            options: options, limits: configuration.decodeLimits,
            isCancelled: { [job] in job.isCancelled })
        guard
            let decoder = try? configuration.coders.decoder(for: head, options).makeIncrementalDecoder(context: context)
        else { return nil }
        state.withLock { $0.decoder = decoder }
        return decoder
    }
}

/// When a preview is decoded, and what has been shown.
struct PreviewState: Sendable {
    var status = LoadStatus()
    var decoder: (any IncrementalImageDecoder)?
    /// Bytes that the decoder has had.
    private(set) var offset = 0
    var isStopped = false
    /// The least time from one step to the next; `nil` where partial pictures are not wanted.
    private var interval: Duration?
    private var isBusy = false
    private var lastStart: Duration?

    init(_ previews: LoadPolicy.Previews) {
        if case .progressive(let interval) = previews { self.interval = interval }
    }

    /// Whether a step is worth it now.
    mutating func shouldStart(at now: Duration) -> Bool {
        guard let interval, !isStopped, !isBusy, status.progress.received >= FormatSniffer.length else { return false }
        if let lastStart, now - lastStart < interval { return false }
        isBusy = true
        lastStart = now
        return true
    }

    /// - Returns: what to tell, and whether more has come already for another step.
    mutating func finishStep(
        upTo offset: Int, showing preview: ImageResponse?, at now: Duration
    ) -> (LoadStatus?, goesOn: Bool) {
        isBusy = false
        self.offset = offset
        // While a step was under way a whole picture may have come.
        let isShown = preview != nil && !isStopped && interval != nil
        if let preview, isShown { show(preview) }
        return (isShown ? status : nil, status.progress.received > offset && shouldStart(at: now))
    }

    /// - Returns: what to tell; `nil` where it is too late.
    mutating func showWhole(_ picture: ImageResponse) -> LoadStatus? {
        guard !isStopped else { return nil }
        interval = nil
        show(picture)
        return status
    }

    private mutating func show(_ preview: ImageResponse) {
        status.preview = preview
        status.previewCount += 1
    }
}
