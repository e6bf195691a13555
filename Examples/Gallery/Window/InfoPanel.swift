#if GTK
import CGTK
import Foundation
import Tintype

/// What is known about the selected image, in rows of a name and a value.
@MainActor final class InfoPanel {
    /// Slides in from the side.
    let widget = gtk_revealer_new()
    private let grid = gtk_grid_new()
    private var values: [String: UnsafeMutablePointer<GtkWidget>?] = [:]
    private static let rows = ["Name", "Format", "Size", "Bytes", "From", "Protocol", "First byte", "Transfer"]

    init() {
        gtk_revealer_set_transition_type(OpaquePointer(widget), GTK_REVEALER_TRANSITION_TYPE_SLIDE_LEFT)
        gtk_revealer_set_child(OpaquePointer(widget), grid)
        gtk_widget_add_css_class(grid, "panel")
        gtk_grid_set_row_spacing(OpaquePointer(grid)?.as(GtkGrid.self), 10)
        gtk_grid_set_column_spacing(OpaquePointer(grid)?.as(GtkGrid.self), 16)
        for (index, name) in Self.rows.enumerated() {
            let (label, value) = (gtk_label_new(name), gtk_label_new("–"))
            gtk_widget_add_css_class(label, "dim-label")
            gtk_widget_add_css_class(value, "value")
            for widget in [label, value] { gtk_label_set_xalign(OpaquePointer(widget), 0) }
            gtk_label_set_selectable(OpaquePointer(value), 1)
            gtk_widget_set_can_focus(value, 0)
            gtk_grid_attach(OpaquePointer(grid)?.as(GtkGrid.self), label, 0, Int32(index), 1, 1)
            gtk_grid_attach(OpaquePointer(grid)?.as(GtkGrid.self), value, 1, Int32(index), 1, 1)
            values[name] = value
        }
    }

    var isShown: Bool {
        get { gtk_revealer_get_reveal_child(OpaquePointer(widget)) != 0 }
        set { gtk_revealer_set_reveal_child(OpaquePointer(widget), newValue ? 1 : 0) }
    }

    /// Forgets the last image.
    func begin(_ name: String) {
        for row in Self.rows { set(row, "–") }
        set("Name", name)
    }

    /// Shows what a load has found out.
    func show(_ event: ImageEvent) {
        switch event {
        case .info(let info): show(info)
        case .progress(let progress): set("Bytes", Self.kilobytes(progress.received))
        case .preview(let response): show(response.image.info)
        case .finished(.success(let response)): show(response)
        case .finished(.failure(let error)): if error.code != .cancelled { set("From", "failed: \(error.code)") }
        }
    }

    private func show(_ info: ImageInfo) {
        set("Format", info.format.rawValue.uppercased())
        set("Size", "\(info.size.width) × \(info.size.height)")
    }

    private func show(_ response: ImageResponse) {
        show(response.image.info)
        set("From", response.origin.rawValue)
        if let count = response.byteCount { set("Bytes", Self.kilobytes(count)) }
        guard let metrics = response.metrics else { return }
        set("Protocol", metrics.httpVersion)
        set("First byte", Self.milliseconds(metrics.firstByte))
        set("Transfer", Self.milliseconds(metrics.body))
    }

    private func set(_ row: String, _ text: String) {
        guard let value = values[row] else { return }
        gtk_label_set_text(OpaquePointer(value), text)
    }

    private static func kilobytes(_ count: Int) -> String { String(format: "%.1f KB", Double(count) / 1000) }
    private static func milliseconds(_ time: Duration) -> String { String(format: "%.1f ms", time / .milliseconds(1)) }
}
#endif
