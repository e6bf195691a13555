#if GTK
import CGTK
import Foundation
import Tintype
import TintypeGTK

/// The page of one image: the image, which can be enlarged, its caption, and a panel with what is known about it.
@MainActor final class LargeImage {
    let widget = gtk_box_new(GTK_ORIENTATION_HORIZONTAL, 0)
    private let view: ImageView
    private let scrolled = gtk_scrolled_window_new()
    private let caption = gtk_label_new(nil)
    private let panel = InfoPanel()
    /// How many times as large the image is as when it fits into the window.
    private var zoom = 1.0
    private static let zooms = 1.0...8.0

    init(pipeline: ImagePipeline) {
        view = ImageView(pipeline: pipeline, accessibleName: "The selected image")
        view.indicator = .progressBar
        view.presentation.transition = .fade
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), UnsafeMutablePointer(view.widget))
        gtk_widget_set_vexpand(scrolled, 1)
        gtk_widget_set_hexpand(scrolled, 1)
        gtk_widget_add_css_class(scrolled, "stage")
        gtk_label_set_ellipsize(OpaquePointer(caption), PANGO_ELLIPSIZE_END)
        gtk_widget_add_css_class(caption, "caption-box")
        let column = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        for child in [scrolled, caption] { gtk_box_append(column?.as(GtkBox.self), child) }
        for child in [column, panel.widget] { gtk_box_append(widget?.as(GtkBox.self), child) }
    }

    /// Shows an image while it arrives.
    func show(_ name: String, _ text: String, from url: URL) {
        enlarge(to: 1)
        view.accessibleDescription = text
        gtk_label_set_markup(OpaquePointer(caption), "<b>\(name)</b>   \(text)")
        panel.begin(name)
        var request = ImageRequest(url: url)
        request.policy.delivery.previews = .progressive(every: .milliseconds(100))
        view.load(request) { [panel] event in panel.show(event) }
    }

    func clear() {
        view.clear()
    }

    var showsPanel: Bool {
        get { panel.isShown }
        set { panel.isShown = newValue }
    }

    /// Makes the image a number of times as large as it is.
    func enlarge(by factor: Double) {
        enlarge(to: zoom * factor)
    }

    private func enlarge(to new: Double) {
        zoom = min(max(new, Self.zooms.lowerBound), Self.zooms.upperBound)
        let (width, height) = (gtk_widget_get_width(scrolled), gtk_widget_get_height(scrolled))
        let side: (Int32) -> Int32 = { [zoom] in zoom > 1 ? Int32(Double($0) * zoom) : -1 }
        gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), side(width), side(height))
        for adjustment in [
            gtk_scrolled_window_get_hadjustment(OpaquePointer(scrolled)),
            gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled)),
        ] { keepCentre(adjustment, by: zoom) }
    }

    /// Scrolls so that the middle of the image stays in the middle.
    private func keepCentre(_ adjustment: UnsafeMutablePointer<GtkAdjustment>?, by zoom: Double) {
        let page = gtk_adjustment_get_page_size(adjustment)
        gtk_adjustment_set_upper(adjustment, page * zoom)
        gtk_adjustment_set_value(adjustment, page * (zoom - 1) / 2)
    }
}
#endif
