/// Shows an image while its bytes arrive. It feeds new bytes to an incremental decoder on the pixel queue.
///
/// Driven by arriving bytes, without a timer. At most one decoding step runs at a time; bytes that arrive meanwhile are
/// decoded by the next step.
final class PreviewPump: Sendable {
    let load: ImageLoad
    let state: Locked<PreviewState>

    init(_ load: ImageLoad) {
        self.load = load
        state = Locked(
            PreviewState(
                load.request.policy.delivery.previews, headLength: load.services.configuration.coders.headLength))
    }

    /// The bytes that have arrived, or `nil` if none have.
    var received: ReceivedBytes? { state.withLock { $0.received } }

    /// Shows a complete cached image. No partial one is shown from then on.
    func showCached(_ cached: ImageResponse) {
        let status = state.withLock { $0.showComplete(cached) }
        if let status { load.reporter.report(status) }
    }

    /// Reports progress, and starts a decoding step if one is due. Called on the loader's thread whenever bytes arrive.
    func receive(_ bytes: ReceivedBytes) {
        let now = load.services.configuration.time.uptime()
        let (status, isStepDue) = state.withLock { state in
            state.received = bytes
            state.status.progress = bytes.progress
            return (state.status, state.shouldStart(at: now))
        }
        load.reporter.report(status.offering(self))
        if isStepDue { enqueueStep(bytes) }
    }

    /// Stops the previews. No step begins after this returns, and the step that is running reports no preview unless it
    /// has begun to.
    func stop() {
        state.withLock { state in
            state.isStopped = true
            // Decoding needs the memory.
            state.received = nil
        }
    }

    /// Stops the previews, but keeps the received bytes: if the transfer fails, they may be all that can be shown.
    private func stopDecoding() {
        state.withLock { $0.isStopped = true }
    }

    private func enqueueStep(_ bytes: ReceivedBytes) {
        WorkQueue.pixels.enqueue(at: load.job.priority) { self.step(bytes) }
    }

    /// Decodes the bytes that arrived since the last step.
    private func step(_ bytes: ReceivedBytes) {
        guard !load.job.isCancelled, let decoder = decoder(bytes) else { return stopDecoding() }
        let offset = state.withLock { $0.offset }
        guard let new = bytes.bytes(from: offset) else { return stopDecoding() }
        do throws(TintypeError) {
            let preview = try decoder.append(new).map {
                ImageResponse(image: $0, origin: load.request.source.expectedOrigin)
            }
            let now = load.services.configuration.time.uptime()
            let (status, isStepDue) = state.withLock {
                $0.finishStep(upTo: offset + new.count, showing: preview, at: now)
            }
            if let status { load.reporter.report(status.offering(self)) }
            // More bytes may have arrived during this step, and no others may follow for a long time. Within the
            // interval, they wait for others all the same.
            if isStepDue { enqueueStep(bytes) }
        } catch {
            // Decoding the complete bytes will report the error. A preview never fails a load.
            stopDecoding()
        }
    }

    /// The decoder, made from the first bytes, or `nil` if the format has no incremental one.
    private func decoder(_ bytes: ReceivedBytes) -> (any IncrementalImageDecoder)? {
        if let decoder = state.withLock({ $0.decoder }) { return decoder }
        let configuration = load.services.configuration
        let head = bytes.head(configuration.coders.headLength)
        var options = load.request.rendition.decode
        options.scale = load.request.source.scaleInName
        var context = DecodeContext(
            options: options, limits: configuration.decodeLimits,
            isCancelled: { [job = load.job] in job.isCancelled })
        if configuration.coders.separatesOrigins { context.origin = load.request.source.webOrigin }
        guard
            let decoder = try? configuration.coders.decoder(
                for: head, options: options, name: load.request.source.name
            ).makeIncrementalDecoder(context: context)
        else { return nil }
        state.withLock { $0.decoder = decoder }
        return decoder
    }
}

/// Decides when a preview is decoded, and stores the newest status.
struct PreviewState: Sendable {
    var status = LoadStatus()
    var received: ReceivedBytes?
    var decoder: (any IncrementalImageDecoder)?
    /// The number of bytes passed to the decoder.
    private(set) var offset = 0
    var isStopped = false
    /// The attempts to read the header.
    var header: HeaderAttempts
    /// The minimum time between the starts of two steps; `nil` if the request wants no partial images.
    private var interval: Duration?
    private var isBusy = false
    private var lastStart: Duration?
    /// The number of bytes that suffices to recognize the format.
    private let headLength: Int

    init(_ previews: LoadPolicy.Previews, headLength: Int = FormatSniffer.length) {
        self.headLength = headLength
        header = HeaderAttempts(headLength: headLength)
        if case .progressive(let interval) = previews { self.interval = interval }
    }

    /// Returns whether a step is due, and counts it as started.
    mutating func shouldStart(at now: Duration) -> Bool {
        guard let interval, !isStopped, !isBusy, status.progress.received >= headLength else { return false }
        if let lastStart, now - lastStart < interval { return false }
        isBusy = true
        lastStart = now
        return true
    }

    /// - Returns: The status to report, if there is a new preview, and whether the next step is due.
    mutating func finishStep(
        upTo offset: Int, showing preview: ImageResponse?, at now: Duration
    ) -> (LoadStatus?, isStepDue: Bool) {
        isBusy = false
        self.offset = offset
        // A complete image may have been shown while the step ran.
        let isShown = preview != nil && !isStopped && interval != nil
        if let preview, isShown { show(preview) }
        return (isShown ? status : nil, status.progress.received > offset && shouldStart(at: now))
    }

    /// - Returns: The status to report, or `nil` if it is too late.
    mutating func showComplete(_ image: ImageResponse) -> LoadStatus? {
        guard !isStopped else { return nil }
        interval = nil
        show(image)
        return status
    }

    private mutating func show(_ preview: ImageResponse) {
        status.preview = preview
        status.previewCount += 1
    }
}
