#if GTK
import CGTK

// GTK in Swift: signals as closures, and casts between a class and its parents. A Swift binding of GTK has both.

extension UnsafeMutablePointer {
    /// The same object, as another class.
    func `as`<Other>(_: Other.Type) -> UnsafeMutablePointer<Other> {
        UnsafeMutableRawPointer(self).assumingMemoryBound(to: Other.self)
    }
}

extension OpaquePointer {
    /// The same object, as one of its classes.
    func `as`<Other>(_: Other.Type) -> UnsafeMutablePointer<Other> { UnsafeMutablePointer(self) }
}

/// Calls a closure whenever an object emits a signal without arguments.
@MainActor func connect(
    _ object: UnsafeMutablePointer<GtkWidget>?, _ signal: String, _ body: @escaping @MainActor () -> Void
) {
    let handler: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = { _, closure in
        let closure = Unmanaged<Closure<Void, Void>>.fromOpaque(closure).takeUnretainedValue()
        MainActor.assumeIsolated { closure.body(()) }
    }
    connect(object, signal, unsafeBitCast(handler, to: GCallback.self), Closure(body))
}

/// Calls a closure whenever an object emits a signal with a number, such as the position of an item.
@MainActor func connect(
    _ object: UnsafeMutablePointer<GtkWidget>?, _ signal: String, _ body: @escaping @MainActor (Int) -> Void
) {
    let handler: @convention(c) (UnsafeMutableRawPointer, UInt32, UnsafeMutableRawPointer) -> Void = {
        _, number, closure in
        let closure = Unmanaged<Closure<Int, Void>>.fromOpaque(closure).takeUnretainedValue()
        MainActor.assumeIsolated { closure.body(Int(number)) }
    }
    connect(object, signal, unsafeBitCast(handler, to: GCallback.self), Closure(body))
}

/// Calls a closure for each key that is pressed in a window, before its widgets handle it.
///
/// - Parameter handle: Receives the GDK key value; returns whether the key is used up.
@MainActor func connectKeys(
    of window: UnsafeMutablePointer<GtkWidget>?, _ handle: @escaping @MainActor (UInt32) -> Bool
) {
    let controller = gtk_event_controller_key_new()
    gtk_event_controller_set_propagation_phase(controller, GTK_PHASE_CAPTURE)
    gtk_widget_add_controller(window, controller)
    let handler: @convention(c) (UnsafeMutableRawPointer, UInt32, UInt32, UInt32, UnsafeMutableRawPointer) -> gboolean =
        {
            _, key, _, _, closure in
            let closure = Unmanaged<Closure<UInt32, Bool>>.fromOpaque(closure).takeUnretainedValue()
            return MainActor.assumeIsolated { closure.body(key) } ? 1 : 0
        }
    let object = UnsafeMutableRawPointer(controller)?.assumingMemoryBound(to: GtkWidget.self)
    connect(object, "key-pressed", unsafeBitCast(handler, to: GCallback.self), Closure(handle))
}

/// Connects a handler that gets a closure as its last argument.
@MainActor private func connect<Argument, Result>(
    _ object: UnsafeMutablePointer<GtkWidget>?, _ signal: String, _ handler: GCallback,
    _ closure: Closure<Argument, Result>
) {
    // The signal retains the closure until it is disconnected.
    g_signal_connect_data(
        object, signal, handler, Unmanaged.passRetained(closure).toOpaque(),
        { closure, _ in
            if let closure { Unmanaged<AnyObject>.fromOpaque(closure).release() }
        }, GConnectFlags(rawValue: 0))
}

@MainActor private final class Closure<Argument, Result> {
    let body: @MainActor (Argument) -> Result

    init(_ body: @escaping @MainActor (Argument) -> Result) {
        self.body = body
    }
}
#endif
