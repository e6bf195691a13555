import TintypeCore

/// Decides when one load of a binding runs, and at which priority. This depends on whether the view has begun to show
/// the image and is visible.
///
/// It has no tasks or clocks. Each event returns actions, which the binding must perform in order.
struct LoadSchedule: Sendable {
    enum Action: Hashable, Sendable {
        case start(ImagePriority)
        case prioritize(ImagePriority)
        /// Cancel the work without ending the load.
        case stop
    }

    enum Phase: Hashable, Sendable {
        /// Waits for ``begin(at:)``.
        case deferred
        case running
        /// Stopped because the view was hidden.
        case paused
    }

    private let requested: ImagePriority
    private let whenHidden: Presentation.WhenHidden
    private var isVisible: Bool
    private(set) var phase: Phase
    /// When a load of a hidden view stops.
    private(set) var deadline: Duration?

    /// Creates the schedule of a new load. ``open(at:)`` starts it.
    init(_ requested: ImagePriority, _ presentation: Presentation, isVisible: Bool) {
        self.requested = requested
        self.isVisible = isVisible
        whenHidden = presentation.whenHidden
        phase = presentation.start == .deferred ? .deferred : .running
    }

    /// The priority that the load has or would have.
    var priority: ImagePriority {
        isVisible || whenHidden == .continues ? requested : .veryLow
    }

    /// Handles the request for the image.
    mutating func open(at now: Duration) -> [Action] {
        guard phase == .running else { return [] }
        setDeadline(at: now)
        return [.start(priority)]
    }

    /// Handles ``ImageBinding/begin()``.
    mutating func begin(at now: Duration) -> [Action] {
        phase == .deferred ? run(at: now) : []
    }

    /// Handles a change of the view's visibility.
    mutating func setVisible(_ isVisible: Bool, at now: Duration) -> [Action] {
        guard isVisible != self.isVisible else { return [] }
        let former = priority
        self.isVisible = isVisible
        if isVisible, phase == .paused { return run(at: now) }
        setDeadline(at: now)
        return reprioritize(from: former)
    }

    /// Pauses the load if its grace period is over. A load that has received more than half of its bytes continues.
    ///
    /// - Parameter fraction: The fraction of the bytes that has arrived; `nil` if it is unknown.
    mutating func expire(at now: Duration, fraction: Double?) -> [Action] {
        guard let deadline, deadline <= now else { return [] }
        self.deadline = nil
        guard (fraction ?? 0) <= 0.5 else { return [] }
        phase = .paused
        return [.stop]
    }

    private mutating func run(at now: Duration) -> [Action] {
        phase = .running
        setDeadline(at: now)
        return [.start(priority)]
    }

    private mutating func setDeadline(at now: Duration) {
        deadline = nil
        guard !isVisible, phase == .running, case .pauses(let grace) = whenHidden else { return }
        deadline = now + grace
    }

    private func reprioritize(from former: ImagePriority) -> [Action] {
        phase == .running && priority != former ? [.prioritize(priority)] : []
    }
}
