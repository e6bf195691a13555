import CTintypeGTK
import TintypeCore
import TintypeViews

/// The settings and warnings of the desktop that concern images.
@MainActor final class Desktop {
    static let shared = Desktop()

    /// Whether images may move: the user has not turned animations off (`gtk-enable-animations`), and the system is not
    /// saving power.
    private(set) var allowsMotion: Bool
    private var observers: [ObjectIdentifier: Observer] = [:]

    private struct Observer {
        weak let display: PaintableDisplay?
    }

    private struct Views {
        weak let pipeline: ImagePipeline?
        let views: VisibleViews
    }

    /// By pipeline. They outlive the displays: a program that has closed its window is hidden.
    private var views: [ObjectIdentifier: Views] = [:]

    private init() {
        allowsMotion = tintype_environment_allows_motion()
        tintype_environment_observe { change in MainActor.assumeIsolated { Desktop.shared.handle(change) } }
    }

    /// Notifies a display of changes, until ``remove(_:)``.
    func add(_ display: PaintableDisplay) {
        observers[ObjectIdentifier(display)] = Observer(display: display)
    }

    func remove(_ display: ObjectIdentifier) {
        observers[display] = nil
    }

    /// Returns the counter of the views that show images of a pipeline.
    ///
    /// - Parameter timer: The timer of a new counter.
    func views(
        of pipeline: ImagePipeline, timer: @autoclosure () -> any PlaybackTimer = MainLoopTimer()
    ) -> VisibleViews {
        views = views.filter { $0.value.pipeline != nil }
        let key = ObjectIdentifier(pipeline)
        if let known = views[key] { return known.views }
        let new = VisibleViews(of: pipeline, timer: timer())
        views[key] = Views(pipeline: pipeline, views: new)
        return new
    }

    private func handle(_ change: TintypeEnvironmentChange) {
        switch change {
        case .TINTYPE_MEMORY_LOW: MemoryPressureMonitor.shared.signal(.some)
        case .TINTYPE_MEMORY_CRITICAL: MemoryPressureMonitor.shared.signal(.critical)
        case .TINTYPE_MOTION_CHANGED:
            allowsMotion = tintype_environment_allows_motion()
            for observer in observers.values { observer.display?.updateMotion() }
        }
    }
}

/// Whether a view plays animated images and transitions.
public enum MotionPolicy: Hashable, Sendable {
    /// Unless the user has turned animations off, or the system saves power.
    case automatic
    /// Always.
    case always
    /// Never: an animated image shows its first frame, or stays on the current one if it was playing. Images change
    /// without a transition.
    case never

    @MainActor var allowsMotion: Bool {
        switch self {
        case .automatic: Desktop.shared.allowsMotion
        case .always: true
        case .never: false
        }
    }
}
