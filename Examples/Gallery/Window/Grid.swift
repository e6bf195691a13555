#if GTK
package import CGTK
import Foundation
import Tintype
import TintypeGTK

/// A grid of thumbnails that can be searched by name.
@MainActor package final class Grid {
    /// The scrolled window around the grid.
    package let widget = gtk_scrolled_window_new()
    /// Called with the name of the image that the user chose.
    package var onOpen: (@MainActor (String) -> Void)?

    private let filter = gtk_string_filter_new(gtk_property_expression_new(gtk_string_object_get_type(), nil, "string"))
    private let factory: ImageListFactory

    init(names: [String], pipeline: ImagePipeline, thumbnail: @escaping @MainActor (String) -> URL) {
        factory = ImageListFactory(pipeline: pipeline) { cell in
            cell.view.contentFit = .cover
            cell.view.indicator = .spinner
            gtk_widget_set_size_request(UnsafeMutablePointer(cell.view.widget), 200, 200)
            return cell.view.widget
        } bind: { cell, item in
            let name = ImageListFactory.text(of: item) ?? ""
            cell.view.load(thumbnail(name))
            cell.view.accessibleName = name
        }

        let names = names.reduce(into: gtk_string_list_new(nil)) { gtk_string_list_append($0, $1) }
        let found = gtk_filter_list_model_new(names, filter?.as(GtkFilter.self))
        let selection = gtk_single_selection_new(found)
        // The grid takes over the references to its model and its factory.
        let grid = gtk_grid_view_new(selection, factory.retainedPointer())
        gtk_grid_view_set_max_columns(OpaquePointer(grid), 12)
        gtk_grid_view_set_single_click_activate(OpaquePointer(grid), 1)
        gtk_scrolled_window_set_child(OpaquePointer(widget), grid)
        connect(grid, "activate") { [weak self] (position: Int) in
            guard let item = g_list_model_get_item(selection, guint(position)) else { return }
            self?.onOpen?(ImageListFactory.text(of: OpaquePointer(item)) ?? "")
            g_object_unref(item)
        }
    }

    /// Shows the images whose names contain a text.
    package func search(_ text: String) {
        gtk_string_filter_set_search(filter, text)
    }
}
#endif
