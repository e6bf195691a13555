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
        let closure = Unmanaged<Closure<Void>>.fromOpaque(closure).takeUnretainedValue()
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
        let closure = Unmanaged<Closure<Int>>.fromOpaque(closure).takeUnretainedValue()
        MainActor.assumeIsolated { closure.body(Int(number)) }
    }
    connect(object, signal, unsafeBitCast(handler, to: GCallback.self), Closure(body))
}

/// Connects a handler that gets a closure as its last argument.
@MainActor private func connect<Argument>(
    _ object: UnsafeMutablePointer<GtkWidget>?, _ signal: String, _ handler: GCallback, _ closure: Closure<Argument>
) {
    // The signal retains the closure until it is disconnected.
    g_signal_connect_data(
        object, signal, handler, Unmanaged.passRetained(closure).toOpaque(),
        { closure, _ in
            if let closure { Unmanaged<AnyObject>.fromOpaque(closure).release() }
        }, GConnectFlags(rawValue: 0))
}

@MainActor private final class Closure<Argument> {
    let body: @MainActor (Argument) -> Void

    init(_ body: @escaping @MainActor (Argument) -> Void) {
        self.body = body
    }
}
#endif
