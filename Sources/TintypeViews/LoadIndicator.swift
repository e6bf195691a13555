public import TintypeCore

/// An indicator of a running load, for example a spinner or a progress bar.
@MainActor public protocol LoadIndicator: AnyObject {
    /// Called when a load begins.
    func start()
    /// Called between ``start()`` and ``stop()`` whenever more bytes have arrived, and with complete progress when the
    /// image is available.
    func update(_ progress: LoadProgress)
    /// Called when no load is running any longer.
    func stop()
}

extension LoadIndicator {
    /// Returns an indicator that delays this one, so that it does not appear during short loads, and shows it for a
    /// minimum time, so that it does not flicker.
    ///
    /// - Parameters:
    ///   - delay: How long a load runs before the indicator appears; 200 ms by default.
    ///   - minimum: The minimum time for which the indicator stays visible; 300 ms by default.
    ///   - timer: A timer for this indicator alone; by default one over the system's clock.
    public func delayed(
        by delay: Duration = .milliseconds(200), minimum: Duration = .milliseconds(300),
        timer: (any PlaybackTimer)? = nil
    ) -> any LoadIndicator {
        DelayedIndicator(self, delay: delay, minimum: minimum, timer: timer ?? SystemPlaybackTimer())
    }
}

/// Delays another indicator: see ``LoadIndicator/delayed(by:minimum:timer:)``.
@MainActor private final class DelayedIndicator: LoadIndicator {
    private let indicator: any LoadIndicator
    private let timer: any PlaybackTimer
    private var state: IndicatorDelay
    private var newest: LoadProgress?

    init(_ indicator: any LoadIndicator, delay: Duration, minimum: Duration, timer: any PlaybackTimer) {
        self.indicator = indicator
        self.timer = timer
        state = IndicatorDelay(delay: delay, minimum: minimum)
    }

    isolated deinit {
        // The timer will not fire any more, so the indicator must be stopped here.
        if state.isShown { indicator.stop() }
    }

    /// Starts the delay.
    func start() { change { $0.start(at: $1) } }

    /// Passes the progress on, if the indicator is shown.
    func update(_ progress: LoadProgress) {
        newest = progress
        if state.isShown { indicator.update(progress) }
    }

    /// Stops the indicator, when it has been shown for long enough.
    func stop() { change { $0.stop(at: $1) } }

    private func change(_ event: (inout IndicatorDelay, Duration) -> IndicatorDelay.Action?) {
        switch event(&state, timer.now) {
        case .show:
            indicator.start()
            if let newest { indicator.update(newest) }
        case .hide: indicator.stop()
        case nil: break
        }
        if !state.isShown, !state.isLoading { newest = nil }
        guard let next = state.nextChange else { return timer.cancel() }
        timer.set(for: next) { [weak self] in self?.change { $0.advance(to: $1) } }
    }
}

/// Decides when a delayed indicator is shown.
struct IndicatorDelay: Sendable {
    enum Action: Hashable, Sendable { case show, hide }

    let delay: Duration
    let minimum: Duration
    private(set) var isLoading = false
    /// When the indicator was shown; `nil` while it is not.
    private var shownAt: Duration?
    /// When the next change is due, unless an event comes first.
    private(set) var nextChange: Duration?

    init(delay: Duration, minimum: Duration) {
        self.delay = delay
        self.minimum = minimum
    }

    var isShown: Bool { shownAt != nil }

    mutating func start(at now: Duration) -> Action? {
        isLoading = true
        nextChange = isShown ? nil : now + delay
        return advance(to: now)
    }

    mutating func stop(at now: Duration) -> Action? {
        isLoading = false
        nextChange = shownAt.map { $0 + minimum }
        return advance(to: now)
    }

    /// Makes the change that is due at `now`, if there is one.
    mutating func advance(to now: Duration) -> Action? {
        guard let due = nextChange, due <= now else { return nil }
        nextChange = nil
        shownAt = isLoading ? now : nil
        return isLoading ? .show : .hide
    }
}
