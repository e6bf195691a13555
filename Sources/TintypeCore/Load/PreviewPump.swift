/// Shows a picture while its bytes arrive: feeds an incremental decoder, on the executor for codecs, with what is new.
///
/// Needs no timer: arriving bytes drive it. At most one step is under way; bytes that arrive meanwhile are taken by the
/// next.
final class PreviewPump: Sendable {
    private let load: ImageLoad
    private let job: JobContext
    private let report: JobReporter<LoadStatus>
    private let interval: Duration?
    private let state: Locked<PreviewState>

    /// - Parameter old: a whole picture to show meanwhile, so that no partial one is worth showing.
    init(
        _ load: ImageLoad, _ job: JobContext, _ report: JobReporter<LoadStatus>, showing old: ImageResponse? = nil
    ) {
        self.load = load
        self.job = job
        self.report = report
        interval =
            if old == nil, case .progressive(let interval) = load.request.policy.previews { interval } else { nil }
        var state = PreviewState(interval: interval ?? .zero)
        if let old { state.show(old) }
        self.state = Locked(state)
        if old != nil { report(state.status) }
    }

    /// Called on the loader's thread whenever bytes have arrived.
    func received(_ bytes: ReceivedBytes) {
        let now = load.services.configuration.time.uptime()
        let (status, starts) = state.withLock { state in
            state.status.progress = bytes.progress
            let isWorthIt = interval != nil && state.status.progress.received >= FormatSniffer.length
            return (state.status, isWorthIt && state.shouldStart(at: now))
        }
        report(status)
        if starts { WorkQueue.pixels.enqueue(at: job.priority) { self.step(bytes) } }
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
            let image = try decoder.append(new)
            let status = state.withLock { state in
                state.offset += new.count
                state.finishStep(
                    showing: image.map { ImageResponse(image: $0, origin: load.request.source.expectedOrigin) })
                return state.isStopped || image == nil ? nil : state.status
            }
            if let status { report(status) }
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
        options.scale = options.scale ?? load.request.source.scaleInName
        let context = DecodeContext(
            options: options, limits: configuration.decodeLimits,
            isCancelled: { [job] in job.isCancelled })
        guard let decoder = try? configuration.coders.decoder(for: head, options).makeIncrementalDecoder(context)
        else { return nil }
        state.withLock { $0.decoder = decoder }
        return decoder
    }
}

/// When a preview is decoded, and what has been shown.
struct PreviewState: Sendable {
    let interval: Duration
    var status = LoadStatus()
    var decoder: (any IncrementalImageDecoder)?
    /// Bytes that the decoder has had.
    var offset = 0
    var isStopped = false
    private var isBusy = false
    private var lastStart: Duration?

    init(interval: Duration) {
        self.interval = interval
    }

    mutating func shouldStart(at now: Duration) -> Bool {
        guard !isStopped, !isBusy else { return false }
        if let lastStart, now - lastStart < interval { return false }
        isBusy = true
        lastStart = now
        return true
    }

    mutating func finishStep(showing preview: ImageResponse?) {
        isBusy = false
        if let preview { show(preview) }
    }

    mutating func show(_ preview: ImageResponse) {
        status.preview = preview
        status.previewCount += 1
    }
}
