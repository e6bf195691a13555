import TintypeCore

// The view tells a binding when it begins to show its image, hides it, or changes its size.

extension ImageBinding {
    /// Starts deferred loads. A view may call it each time it has been drawn: the call is cheap if there are none.
    ///
    /// With ``Presentation/Sizing/fitsDisplay``, a deferred load takes the size that the display has now. The display
    /// may be asked to show an image before this returns, so do not call it while drawing.
    public func begin() {
        guard !loads.isEmpty else { return }
        changeSchedules { schedule, _, now in schedule.begin(at: now) }
    }

    /// Whether the display is visible; `true` at first. See ``Presentation/whenHidden``.
    public var isVisible: Bool {
        get { isDisplayVisible }
        set {
            guard newValue != isDisplayVisible else { return }
            isDisplayVisible = newValue
            guard !loads.isEmpty else { return }
            changeSchedules { schedule, _, now in schedule.setVisible(newValue, at: now) }
        }
    }

    /// Loads the newest request again if it has failed, even if its source is remembered as failed. The presentation is
    /// the same, except that the load starts at once.
    ///
    /// - Parameter receive: Receives the events of the new load.
    /// - Returns: Whether a load was started.
    @discardableResult public func retry(receive: Receiver? = nil) -> Bool {
        guard failure != nil, let newest else { return false }
        var presentation = newest.presentation
        presentation.start = .immediate
        start(newest.request.with { $0.policy.failureMemory = .ignored }, presentation, LoadReceiver(receive))
        return true
    }

    /// Loads the shown image again if the display needs more pixels and the source has them, because the display has
    /// grown or its ``ImageDisplay/fit`` has changed to ``ImageFit/cover``.
    ///
    /// The shown image stays until the larger one is available. Nothing is loaded for a display that has shrunk.
    ///
    /// Applies only to requests with ``Presentation/Sizing/fitsDisplay``. A view calls it when its size has been stable
    /// for a moment. A call during a load takes effect at its end.
    public func refit() {
        guard let newest, newest.presentation.sizing == .fitsDisplay, newest.presentation.delivery == .automatic,
            loads.isEmpty, let shown,
            case .image(let image) = content, state.shownKey == shown.request.key,
            shown.original.key == newest.request.key
        else { return }
        let wanted = fittedDecode(newest.request, .fitsDisplay)
        guard wanted != shown.decode else { return }
        let decode = fitted(newest.request, wanted).rendition.decode
        guard decode.makesMorePixels(than: shown.request.rendition.decode, of: image.info),
            image.isThumbnail || image.info.format.isVector
        else { return }
        var presentation = newest.presentation
        (presentation.whileLoading, presentation.transition) = (.current, nil)
        (presentation.failureImage, presentation.start) = (nil, .immediate)
        let requested = newest.presentation
        start(newest.request, presentation, nil, isRefit: true)
        self.newest?.presentation = requested
    }

    private func changeSchedules(
        _ change: (inout LoadSchedule, _ task: ImageTask?, _ now: Duration) -> [LoadSchedule.Action]
    ) {
        let now = now
        for number in loads.keys.sorted() {
            guard var schedule = loads[number]?.schedule else { continue }
            let actions = change(&schedule, loads[number]?.task, now)
            loads[number]?.schedule = schedule
            perform(actions, of: number)
        }
        updateTimer()
    }

    /// The current time for grace periods. Only hidden displays have grace periods, so a visible one creates no timer.
    var now: Duration {
        guard !isDisplayVisible else { return .zero }
        if timer == nil { timer = makeTimer() }
        return timer?.now ?? .zero
    }

    /// Sets the timer for the next end of a grace period.
    func updateTimer() {
        guard let timer else { return }
        if let next = loads.values.compactMap(\.schedule.deadline).min() {
            timer.set(for: next) { [weak self] in
                self?.changeSchedules { schedule, task, now in schedule.expire(at: now, fraction: task?.fraction) }
            }
        } else {
            timer.cancel()
        }
    }
}

extension ImageTask {
    /// The fraction of the bytes that has arrived, from 0 to 1, if it is known.
    fileprivate var fraction: Double? {
        if case .running(let progress) = status { progress.fraction } else { nil }
    }
}

extension DecodeOptions {
    /// Whether an image that is decoded to the size of a display has more pixels on either side than with other
    /// options.
    fileprivate func makesMorePixels(than other: DecodeOptions, of info: ImageInfo) -> Bool {
        guard size != .full else { return false }
        let (new, former) = (decodedSize(of: info), other.decodedSize(of: info))
        return new.width > former.width || new.height > former.height
    }

    private func decodedSize(of info: ImageInfo) -> PixelSize {
        (try? resolved(for: info))?.target(for: info) ?? info.size
    }
}
