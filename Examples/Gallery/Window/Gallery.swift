#if GTK
package import CGTK
import Foundation
package import Tintype
import TintypeGTK

/// The window: a search entry, a grid of thumbnails, the large image, and the figures.
@MainActor package final class Gallery {
    package let grid: Grid
    private let server: GalleryServer
    private let pipeline: ImagePipeline
    private let large: ImageView
    private let pages = gtk_stack_new()
    private let back = gtk_button_new_with_label("Back")
    private let status = gtk_label_new(nil)
    package private(set) var window: UnsafeMutablePointer<GtkWidget>?

    package init(server: GalleryServer, pipeline: ImagePipeline) {
        (self.server, self.pipeline) = (server, pipeline)
        grid = Grid(names: (0..<server.count).map { server.name($0) }, pipeline: pipeline) { server.thumbnail($0) }
        large = ImageView(pipeline: pipeline, accessibleName: "The selected image")
        large.indicator = .progressBar
        large.presentation.transition = .fade
        grid.onOpen = { [weak self] in self?.show($0) }
    }

    /// Keeps an application alive that has no window yet.
    package static func hold(_ application: OpaquePointer) {
        g_application_hold(UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self))
    }

    package func open(in application: OpaquePointer? = nil, width: Int32 = 1100, height: Int32 = 800) {
        let window = gtk_window_new()
        self.window = window
        gtk_window_set_title(window?.as(GtkWindow.self), "Gallery")
        gtk_window_set_default_size(window?.as(GtkWindow.self), width, height)
        if let application {
            let application = UnsafeMutableRawPointer(application)
            gtk_window_set_application(
                window?.as(GtkWindow.self), application.assumingMemoryBound(to: GtkApplication.self))
            g_application_release(application.assumingMemoryBound(to: GApplication.self))
        }
        let search = gtk_search_entry_new()
        connect(back, "clicked") { [weak self] in self?.showGrid() }
        gtk_widget_set_visible(back, 0)
        connect(search, "search-changed") { [grid] in
            grid.search(String(cString: gtk_editable_get_text(OpaquePointer(search))))
        }
        gtk_stack_add_named(OpaquePointer(pages), grid.widget, "grid")
        gtk_stack_add_named(OpaquePointer(pages), UnsafeMutablePointer(large.widget), "large")
        gtk_widget_set_vexpand(pages, 1)
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 6)
        for child in [search, back, pages, status] { gtk_box_append(box?.as(GtkBox.self), child) }
        gtk_window_set_child(window?.as(GtkWindow.self), box)
        gtk_window_present(window?.as(GtkWindow.self))
    }

    /// Shows what a pipeline does, twice a second.
    package func show(_ figures: Figures, _ memory: MemoryCache) {
        Task { [weak self] in
            while let self {
                let counts = figures.counts
                let text = String(
                    format:
                        "memory: %d images, %.1f MB, %d hits · loads: %d, %d running, %d failed · received: %.1f MB",
                    memory.totalCount, Double(memory.totalCost) / 1e6, counts.memoryHits, counts.loads, counts.running,
                    counts.failures, Double(counts.bytes) / 1e6)
                gtk_label_set_text(OpaquePointer(status), text)
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Shows the large image of a name, line by line while it arrives.
    private func show(_ name: String) {
        large.accessibleDescription = name
        large.load(ImageRequest(url: server.image(name)).previews(.progressive(every: .milliseconds(100))))
        gtk_stack_set_visible_child_name(OpaquePointer(pages), "large")
        gtk_widget_set_visible(back, 1)
    }

    private func showGrid() {
        large.clear()
        gtk_stack_set_visible_child_name(OpaquePointer(pages), "grid")
        gtk_widget_set_visible(back, 0)
    }
}
#endif
