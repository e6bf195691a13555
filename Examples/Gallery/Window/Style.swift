#if GTK
import CGTK

/// The look of the window: a style sheet, and light or dark colours.
@MainActor enum Style {
    // Larger corners would hide what `make gallery-test` reads in the images.
    private static let sheet = """
        gridview { padding: 6px; background: none; }
        gridview > child { padding: 6px; background: none; }
        gridview imageview { border-radius: 6px; background: alpha(currentColor, 0.08); }
        gridview > child:hover imageview, gridview > child:focus imageview { opacity: 0.85; }
        .stage { background: alpha(currentColor, 0.04); }
        .caption-box { padding: 10px 16px; }
        .panel { padding: 18px; min-width: 230px; border-left: 1px solid alpha(currentColor, 0.15); }
        .panel .value { font-feature-settings: "tnum"; }
        .figures { padding: 4px 12px; font-size: smaller; opacity: 0.7; }
        """

    /// Applies the style sheet to all windows.
    static func apply() {
        let provider = gtk_css_provider_new()
        gtk_css_provider_load_from_data(provider, sheet, -1)
        gtk_style_context_add_provider_for_display(
            gdk_display_get_default(), OpaquePointer(provider), guint(GTK_STYLE_PROVIDER_PRIORITY_APPLICATION))
        g_object_unref(provider)
    }

    /// Whether windows have dark colours.
    static var isDark = false {
        didSet {
            var value = GValue()
            g_value_init(&value, GType(5 << 2))
            g_value_set_boolean(&value, isDark ? 1 : 0)
            g_object_set_property(
                UnsafeMutableRawPointer(gtk_settings_get_default())?.assumingMemoryBound(to: GObject.self),
                "gtk-application-prefer-dark-theme", &value)
        }
    }
}

/// Returns a button with a symbol of the icon theme.
@MainActor func makeButton(
    _ icon: String, _ tooltip: String, isToggle: Bool = false, _ action: @escaping @MainActor () -> Void
) -> UnsafeMutablePointer<GtkWidget>? {
    let button = isToggle ? gtk_toggle_button_new() : gtk_button_new()
    gtk_button_set_icon_name(button?.as(GtkButton.self), icon)
    gtk_widget_set_tooltip_text(button, tooltip)
    connect(button, "clicked", action)
    return button
}
#endif
