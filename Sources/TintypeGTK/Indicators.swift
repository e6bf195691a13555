import CTintypeGTK
import TintypeCore
import TintypeViews

/// The indicator that an ``ImageView`` shows during a load. It appears after 200 ms, and then for at least 300 ms.
public enum ViewIndicator: Hashable, Sendable, CaseIterable {
    /// Nothing.
    case none
    /// A spinner in the middle.
    case spinner
    /// A progress bar at the bottom.
    case progressBar
}

/// Reports to a closure when loads begin, advance and end.
@MainActor final class LoadNotice: LoadIndicator {
    enum Event {
        case start
        case progress(LoadProgress)
        case stop
    }

    private let receive: @MainActor (Event) -> Void

    init(_ receive: @escaping @MainActor (Event) -> Void) {
        self.receive = receive
    }

    func start() { receive(.start) }
    func update(_ progress: LoadProgress) { receive(.progress(progress)) }
    func stop() { receive(.stop) }
}

/// The widget of an indicator, and the rule when it is shown.
@MainActor final class IndicatorWidget {
    let pointer: OpaquePointer
    private let delayed: any LoadIndicator

    /// - Returns: `nil` for ``ViewIndicator/none``.
    init?(_ kind: ViewIndicator) {
        switch kind {
        case .none: return nil
        case .spinner: pointer = tintype_spinner_new()
        case .progressBar: pointer = tintype_progress_bar_new()
        }
        delayed = WidgetIndicator(pointer).delayed(timer: MainLoopTimer())
    }

    func handle(_ event: LoadNotice.Event) {
        switch event {
        case .start: delayed.start()
        case .progress(let progress): delayed.update(progress)
        case .stop: delayed.stop()
        }
    }
}

/// Shows and hides a widget.
@MainActor private final class WidgetIndicator: LoadIndicator {
    private let widget: OpaquePointer

    init(_ widget: OpaquePointer) {
        self.widget = widget
        tintype_object_hold(UnsafeMutableRawPointer(widget))
    }

    // Here, because a load that ends with its view still hides the widget.
    isolated deinit {
        tintype_object_drop(UnsafeMutableRawPointer(widget))
    }

    func start() { tintype_indicator_show(widget, true) }
    func update(_ progress: LoadProgress) { tintype_indicator_set_fraction(widget, progress.fraction ?? -1) }
    func stop() { tintype_indicator_show(widget, false) }
}
