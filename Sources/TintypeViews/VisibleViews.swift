package import TintypeCore

/// Counts the views that show images of a pipeline, and tells its caches when none does:
/// `ImagePipeline.setHidden(_:)`.
///
/// A toolkit calls ``viewAppeared()`` and ``viewDisappeared()`` in pairs. While a list is built anew, no view may be
/// visible for a moment, so the pipeline is told only after ``delay``.
@MainActor package final class VisibleViews {
    /// How long no view is visible before the program counts as hidden.
    package let delay: Duration

    private let timer: any PlaybackTimer
    private let onChange: @MainActor (Bool) -> Void
    private var count = 0
    private var isHidden = false

    /// Creates a counter for a pipeline, which it does not retain.
    package convenience init(of pipeline: ImagePipeline, timer: any PlaybackTimer) {
        self.init(timer: timer) { [weak pipeline] in pipeline?.setHidden($0) }
    }

    /// Creates a counter.
    ///
    /// - Parameter onChange: Receives whether the program is hidden, whenever that changes.
    init(delay: Duration = .seconds(5), timer: any PlaybackTimer, onChange: @escaping @MainActor (Bool) -> Void) {
        (self.delay, self.timer, self.onChange) = (delay, timer, onChange)
    }

    /// Counts a view that becomes visible.
    package func viewAppeared() {
        count += 1
        guard count == 1 else { return }
        timer.cancel()
        setHidden(false)
    }

    /// Counts a view that is no longer visible.
    package func viewDisappeared() {
        count -= 1
        guard count == 0 else { return }
        timer.set(for: timer.now + delay) { [weak self] in self?.setHidden(true) }
    }

    private func setHidden(_ isHidden: Bool) {
        guard isHidden != self.isHidden else { return }
        self.isHidden = isHidden
        onChange(isHidden)
    }
}
