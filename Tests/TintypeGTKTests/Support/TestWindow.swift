#if GTK
import CGTK
import TintypeCore

@testable import GTKTest

/// A window with one child.
@MainActor final class TestWindow {
    let window: UnsafeMutablePointer<GtkWindow>

    /// Opens the screen and creates a window, which is shown by ``present()``.
    init(_ child: OpaquePointer? = nil, width: Int32 = 200, height: Int32 = 200) throws {
        try Screen.open()
        window = UnsafeMutableRawPointer(gtk_window_new()).assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_default_size(window, width, height)
        gtk_window_set_decorated(window, 0)
        if let child { gtk_window_set_child(window, UnsafeMutablePointer(child)) }
    }

    /// Destroys the window. A test defers the call, so that Swift does not release the window after its last use.
    func close() {
        gtk_window_destroy(window)
        MainLoop.runPending()
    }

    /// Shows the window and waits until it has been drawn.
    func present() async {
        gtk_window_present(window)
        await MainLoop.run { gtk_widget_get_mapped(widget) != 0 && gtk_widget_get_width(widget) > 0 }
        await MainLoop.runFrames(2, of: widget)
    }

    var widget: UnsafeMutablePointer<GtkWidget> {
        UnsafeMutableRawPointer(window).assumingMemoryBound(to: GtkWidget.self)
    }

    /// Returns what the window shows.
    func pixels() throws -> PixelBuffer {
        try render(widget)
    }
}

extension UnsafeMutablePointer where Pointee == GtkWidget {
    /// The same object, as another class.
    func `as`<Other>(_: Other.Type) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}

/// Runs GLib's main loop within a test. The jobs of the main actor run between the iterations.
@MainActor enum MainLoop {
    /// Runs what is ready now.
    static func runPending() {
        while g_main_context_iteration(nil, 0) != 0 {}
    }

    /// Runs until a condition holds, or the time limit of the test is over.
    static func run(until condition: () -> Bool) async {
        while !condition(), !Task.isCancelled {
            runPending()
            await Task.yield()
        }
    }

    /// Runs until a widget has drawn a number of frames.
    static func runFrames(_ count: Int, of widget: UnsafeMutablePointer<GtkWidget>) async {
        guard let clock = gtk_widget_get_frame_clock(widget) else { return }
        for _ in 0..<count {
            gtk_widget_queue_draw(widget)
            let frame = gdk_frame_clock_get_frame_counter(clock)
            await run { gdk_frame_clock_get_frame_counter(clock) > frame }
        }
        runPending()
    }
}
#endif
