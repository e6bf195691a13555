/// A timer of the machine's clock, for where no toolkit has a better one.
@MainActor public final class SystemPlaybackTimer: PlaybackTimer {
    private let time: TimeSource
    private var task: Task<Void, Never>?

    public init() {
        time = .system
    }

    public var now: Duration { time.uptime() }

    public func set(for moment: Duration, _ tick: @escaping @MainActor () -> Void) {
        task?.cancel()
        let wait = moment - now
        task = Task { @MainActor in
            try? await Task.sleep(for: wait)
            if !Task.isCancelled { tick() }
        }
    }

    public func cancel() {
        task?.cancel()
        task = nil
    }

    deinit {
        task?.cancel()
    }
}
