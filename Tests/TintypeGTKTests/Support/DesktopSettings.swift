#if GTK
import CGTK
import Foundation
import Testing

/// The desktop that the tests' windows are in: its settings and warnings. A test restores what it changes.
@MainActor enum DesktopSettings {
    /// Turns animations on or off: `gtk-enable-animations`.
    static func setAnimations(_ isEnabled: Bool) {
        var value = GValue()
        g_value_init(&value, g_type_from_name("gboolean"))
        g_value_set_boolean(&value, isEnabled ? 1 : 0)
        g_object_set_property(
            gtk_settings_get_default().map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObject.self) },
            "gtk-enable-animations", &value)
    }

    /// Sets the number of pixels per point of all windows, those that are open included.
    static func setScale(_ scale: Int32) throws {
        // Its header needs those of X11.
        let symbol = try #require(dlsym(nil, "gdk_x11_display_set_surface_scale"))
        handleEvents()
        unsafeBitCast(symbol, to: (@convention(c) (OpaquePointer?, Int32) -> Void).self)(
            gdk_display_get_default(), scale)
        handleEvents()
    }

    /// Handles all events of the X server up to now. An older size of a window would be taken for one at the new scale.
    private static func handleEvents() {
        gdk_display_sync(gdk_display_get_default())
        MainLoop.runPending()
    }

    /// Warns of low memory, as the system does.
    static func warnOfLowMemory() throws {
        let monitor = UnsafeMutableRawPointer(try #require(g_memory_monitor_dup_default()))
        defer { g_object_unref(monitor) }
        var (emitter, level) = (GValue(), GValue())
        g_value_init(&emitter, g_type_from_name("GObject"))
        g_value_set_object(&emitter, monitor)
        g_value_init(&level, g_memory_monitor_warning_level_get_type())
        g_value_set_enum(&level, Int32(G_MEMORY_MONITOR_WARNING_LEVEL_LOW.rawValue))
        g_signal_emitv(
            [emitter, level], g_signal_lookup("low-memory-warning", g_memory_monitor_get_type()), 0, nil)
        g_value_unset(&emitter)
        g_value_unset(&level)
    }

    // MARK: Power

    /// Whether the system saves power.
    private static var isSavingPower = false
    /// The monitor that every part of the process uses.
    private static var powerMonitor: UnsafeMutableRawPointer?

    /// Turns the saving of power on or off.
    static func setSavingPower(_ isSaving: Bool) {
        isSavingPower = isSaving
        g_object_notify(powerMonitor?.assumingMemoryBound(to: GObject.self), "power-saver-enabled")
    }

    /// Replaces the monitor of the system's power profile, before anything asks for it.
    static func replacePowerMonitor() {
        // GLib registers its extension points when it looks for the first extension.
        g_object_unref(g_memory_monitor_dup_default().map { UnsafeMutableRawPointer($0) })
        g_io_extension_point_implement(
            G_POWER_PROFILE_MONITOR_EXTENSION_POINT_NAME, registerPowerMonitor(), "tests", 1000)
        powerMonitor = g_power_profile_monitor_dup_default().map { UnsafeMutableRawPointer($0) }
    }

    /// Registers a class of objects that tell ``isSavingPower``.
    private static func registerPowerMonitor() -> GType {
        let type = g_type_register_static_simple(
            g_type_from_name("GObject"), "TintypeTestPowerMonitor", guint(MemoryLayout<GObjectClass>.size),
            { table, _ in
                let object = table?.assumingMemoryBound(to: GObjectClass.self)
                object?.pointee.get_property = { _, _, value, _ in
                    g_value_set_boolean(value, MainActor.assumeIsolated { DesktopSettings.isSavingPower } ? 1 : 0)
                }
                g_object_class_override_property(object, 1, "power-saver-enabled")
            }, guint(MemoryLayout<GObject>.size), nil, GTypeFlags(0))
        var initable = GInterfaceInfo(
            interface_init: { table, _ in
                table?.assumingMemoryBound(to: GInitableIface.self).pointee.`init` = { _, _, _ in 1 }
            }, interface_finalize: nil, interface_data: nil)
        g_type_add_interface_static(type, g_initable_get_type(), &initable)
        var monitor = GInterfaceInfo()
        g_type_add_interface_static(type, g_power_profile_monitor_get_type(), &monitor)
        return type
    }
}
#endif
