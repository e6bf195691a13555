import CTintypeGTK
import Dispatch
import Foundation

// The functions of a program. Write the module's name before them: `TintypeGTK.run("org.example.Viewer") { … }`.

/// Runs a GTK application, and the main actor within it, until its last window is closed. Needs the package trait
/// `GTK`.
///
/// Call it on the first thread of the process, outside of any task: from a synchronous `main`.
///
/// - Parameters:
///   - identifier: The identifier of the application, such as `org.example.Viewer`.
///   - arguments: The name of the program, then the arguments that GLib interprets. It refuses others.
///   - activate: Creates the windows. Receives the `GtkApplication`.
/// - Returns: The exit status.
#if !GTK
@available(*, unavailable, message: "enable the trait: .package(url: …, from: …, traits: [\"GTK\"])")
#endif
@MainActor public func run(
    _ identifier: String, arguments: [String] = [], activate: @escaping @MainActor (OpaquePointer) -> Void
) -> Int32 {
    #if GTK
    attach()
    let owner = Unmanaged.passRetained(Activation(activate))
    defer { owner.release() }
    var pointers = arguments.map { strdup($0) } + [nil]
    defer { for pointer in pointers { free(pointer) } }
    return tintype_application_run(
        identifier, Int32(arguments.count), &pointers,
        { owner, application in
            let application = UInt(bitPattern: application)
            withOwner(owner) { (activation: Activation) in
                if let application = OpaquePointer(bitPattern: application) { activation.body(application) }
            }
        }, owner.toOpaque())
    #else
    return 1
    #endif
}

/// Makes GLib's default main context run the jobs of the main actor, for programs that run GTK by themselves or through
/// another library.
///
/// Without it, code after an `await` on the main actor never runs in a GTK program. Neither drawing nor jobs can starve
/// the other. Later calls have no effect. Three things do not work in such a program: `Foundation.Timer`, which needs a
/// `RunLoop`; an asynchronous `main`, which runs the main actor on another thread; and a main loop that is run inside a
/// task, during which no other job runs.
///
/// - Precondition: The call comes from the first thread of the process, outside of any task.
#if !GTK
@available(*, unavailable, message: "enable the trait: .package(url: …, from: …, traits: [\"GTK\"])")
#endif
@MainActor public func attach() {
    #if GTK
    let isInTask = withUnsafeCurrentTask { $0 != nil }
    precondition(!isInTask, "TintypeGTK.attach() was called in a task: a GTK program needs a synchronous main function")
    switch tintype_bridge_install() {
    case .TINTYPE_BRIDGE_READY, .TINTYPE_BRIDGE_WAS_READY: return
    case .TINTYPE_BRIDGE_WRONG_THREAD:
        preconditionFailure("TintypeGTK.attach() must be called on the first thread of the process")
    case .TINTYPE_BRIDGE_NO_QUEUE:
        preconditionFailure("TintypeGTK.attach(): libdispatch has no descriptor for its main queue")
    }
    #endif
}

#if GTK

/// The closure that creates the windows of an application.
@MainActor private final class Activation {
    let body: @MainActor (OpaquePointer) -> Void

    init(_ body: @escaping @MainActor (OpaquePointer) -> Void) {
        self.body = body
    }
}

#endif

/// Calls `body` on the main actor with the object behind the pointer that a C function passes back. C calls it on the
/// main thread.
func withOwner<Owner: AnyObject & Sendable, Result: Sendable>(
    _ pointer: UnsafeMutableRawPointer, _ body: @MainActor (Owner) -> Result
) -> Result {
    let owner = Unmanaged<Owner>.fromOpaque(pointer).takeUnretainedValue()
    return MainActor.assumeIsolated { body(owner) }
}

/// Releases the object behind a pointer.
func release<Owner: AnyObject>(_ pointer: UnsafeMutableRawPointer, _: Owner.Type) {
    Unmanaged<Owner>.fromOpaque(pointer).release()
}
