import CTintypeGTK
import TintypeCore

/// The widget in which displays are drawn: whether it can be seen, its scale and its frame clock.
@MainActor final class WidgetWatch {
    private let watch: OpaquePointer
    private var displays: [Weak] = []
    /// The displays that want ticks.
    private var ticking: Set<ObjectIdentifier> = []

    private struct Weak {
        weak let display: PaintableDisplay?
    }

    /// Observes a widget, which is not retained.
    init(_ widget: OpaquePointer) {
        watch = tintype_watch_new(widget)
        var events = TintypeWatchEvents(
            visible: { owner, isVisible in
                withOwner(owner) { (watch: WidgetWatch) in watch.forEach { $0.setVisible(isVisible) } }
            },
            scaled: { owner, _ in withOwner(owner) { (watch: WidgetWatch) in watch.forEach { $0.updateScale() } } },
            tick: { owner, time in withOwner(owner) { (watch: WidgetWatch) in watch.tick(.microseconds(time)) } },
            gone: { owner in withOwner(owner) { (watch: WidgetWatch) in watch.forEach { $0.end() } } })
        tintype_watch_set_owner(watch, &events, Unmanaged.passUnretained(self).toOpaque())
    }

    isolated deinit {
        tintype_watch_free(watch)
    }

    func add(_ display: PaintableDisplay) {
        displays.removeAll { $0.display == nil }
        displays.append(Weak(display: display))
    }

    /// Whether the widget is mapped and not scrolled out of sight.
    var isVisible: Bool { tintype_watch_is_visible(watch) }

    /// The number of pixels per point.
    var scale: Int { Int(tintype_watch_scale(watch)) }

    /// The size of the window in pixels; `nil` if the widget is in none.
    var windowSize: PixelSize? {
        var (width, height) = (Int32(), Int32())
        tintype_watch_window_size(watch, &width, &height)
        let size = PixelSize(width: Int(width) * scale, height: Int(height) * scale)
        return size.isPositive ? size : nil
    }

    /// Finds out whether the widget can be seen, after it has been drawn.
    func update() {
        tintype_watch_update(watch)
    }

    func startTicks(for display: PaintableDisplay) {
        ticking.insert(ObjectIdentifier(display))
        tintype_watch_start_ticks(watch)
    }

    func stopTicks(for display: PaintableDisplay) {
        guard ticking.remove(ObjectIdentifier(display)) != nil, ticking.isEmpty else { return }
        // A permanent tick callback would keep the frame clock running.
        tintype_watch_stop_ticks(watch)
    }

    private func tick(_ now: Duration) {
        forEach { if ticking.contains(ObjectIdentifier($0)) { $0.tick(now) } }
    }

    private func forEach(_ body: (PaintableDisplay) -> Void) {
        for entry in displays {
            if let display = entry.display { body(display) }
        }
    }
}
