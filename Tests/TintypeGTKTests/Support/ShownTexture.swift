#if GTK
import CGTK
import TintypeGTK

extension ImageView {
    /// The texture that the view shows, which it retains; `nil` for none.
    var texture: OpaquePointer? { shownTexture(of: paintable()) }
}

/// Returns the texture that a paintable shows, which it retains; `nil` for none.
@MainActor func shownTexture(of paintable: OpaquePointer) -> OpaquePointer? {
    let image = gdk_paintable_get_current_image(paintable)
    let object = image.map { UnsafeMutableRawPointer($0) }
    defer { g_object_unref(object) }
    let isTexture = g_type_check_instance_is_a(
        object?.assumingMemoryBound(to: GTypeInstance.self), gdk_texture_get_type())
    return isTexture != 0 ? image : nil
}

/// Calls a closure when an object is finalized.
@MainActor func notifyOfEnd(of object: OpaquePointer, _ body: @escaping @MainActor () -> Void) {
    g_object_weak_ref(
        UnsafeMutableRawPointer(object).assumingMemoryBound(to: GObject.self),
        { notice, _ in
            guard let notice else { return }
            let body = Unmanaged<EndNotice>.fromOpaque(notice).takeRetainedValue().body
            MainActor.assumeIsolated { body() }
        }, Unmanaged.passRetained(EndNotice(body)).toOpaque())
}

private final class EndNotice {
    let body: @MainActor () -> Void
    init(_ body: @escaping @MainActor () -> Void) { self.body = body }
}
#endif
