#if GTK
package import CGTK
import Foundation
package import Tintype
import TintypeGTK

/// The window: a header bar, a grid of thumbnails that can be searched, the page of one image, and the figures.
@MainActor package final class Gallery {
    package let grid: Grid
    private let server: GalleryServer
    private let names: [String]
    private let large: LargeImage
    private let pages = gtk_stack_new()
    private let title = gtk_label_new("Gallery")
    private let search = gtk_search_entry_new()
    private let status = gtk_label_new(nil)
    private var gridButtons: [UnsafeMutablePointer<GtkWidget>?] = []
    private var imageButtons: [UnsafeMutablePointer<GtkWidget>?] = []
    /// The number of the image whose page is shown.
    private var selected: Int?
    package private(set) var window: UnsafeMutablePointer<GtkWidget>?

    package init(server: GalleryServer, pipeline: ImagePipeline) {
        self.server = server
        let names = (0..<server.count).map { server.name($0) }
        self.names = names
        large = LargeImage(pipeline: pipeline)
        grid = Grid(names: names, pipeline: pipeline) { server.thumbnail($0) }
        grid.onOpen = { [weak self] in self?.show(GalleryServer.number($0)) }
    }

    /// Keeps an application alive that has no window yet.
    package static func hold(_ application: OpaquePointer) {
        g_application_hold(UnsafeMutableRawPointer(application).assumingMemoryBound(to: GApplication.self))
    }

    package func open(in application: OpaquePointer? = nil, width: Int32 = 1100, height: Int32 = 800) {
        Style.apply()
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
        gtk_window_set_titlebar(window?.as(GtkWindow.self), makeHeader())
        gtk_window_set_child(window?.as(GtkWindow.self), makeContent())
        connectKeys(of: window) { [weak self] in self?.handle(key: $0) ?? false }
        showGrid()
        gtk_window_present(window?.as(GtkWindow.self))
    }

    // MARK: Widgets

    private func makeHeader() -> UnsafeMutablePointer<GtkWidget>? {
        let header = gtk_header_bar_new()
        gtk_header_bar_set_title_widget(OpaquePointer(header), title)
        gtk_widget_add_css_class(title, "title")
        gtk_editable_set_width_chars(OpaquePointer(search), 24)
        connect(search, "search-changed") { [grid, search] in
            grid.search(String(cString: gtk_editable_get_text(OpaquePointer(search))))
        }
        let back = makeButton("go-previous-symbolic", "Back to the grid") { [weak self] in self?.showGrid() }
        let smaller = makeButton("zoom-out-symbolic", "Smaller") { [large] in large.enlarge(by: 1 / 1.5) }
        let larger = makeButton("zoom-in-symbolic", "Larger") { [large] in large.enlarge(by: 1.5) }
        let panel = makeButton("help-about-symbolic", "Information", isToggle: true) { [large] in
            large.showsPanel.toggle()
        }
        let dark = makeButton("weather-clear-night-symbolic", "Light or dark", isToggle: true) { Style.isDark.toggle() }
        (gridButtons, imageButtons) = ([search], [back, smaller, larger, panel])
        for child in [back, search] { gtk_header_bar_pack_start(OpaquePointer(header), child) }
        for child in [dark, panel, larger, smaller] { gtk_header_bar_pack_end(OpaquePointer(header), child) }
        return header
    }

    private func makeContent() -> UnsafeMutablePointer<GtkWidget>? {
        gtk_stack_add_named(OpaquePointer(pages), grid.widget, "grid")
        gtk_stack_add_named(OpaquePointer(pages), large.widget, "large")
        gtk_widget_set_vexpand(pages, 1)
        gtk_widget_add_css_class(status, "figures")
        gtk_label_set_xalign(OpaquePointer(status), 0)
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        for child in [pages, status] { gtk_box_append(box?.as(GtkBox.self), child) }
        return box
    }

    // MARK: Pages

    /// Shows the page of an image.
    package func show(_ number: Int) {
        guard names.indices.contains(number) else { return }
        selected = number
        let name = names[number]
        large.show(name, server.caption(name), from: server.image(name))
        setPage("large", "\(name) – \(number + 1) of \(names.count)")
    }

    private func showGrid() {
        selected = nil
        large.clear()
        setPage("grid", "Gallery")
    }

    private func setPage(_ page: String, _ text: String) {
        gtk_stack_set_visible_child_name(OpaquePointer(pages), page)
        gtk_label_set_text(OpaquePointer(title), text)
        for button in gridButtons { gtk_widget_set_visible(button, page == "grid" ? 1 : 0) }
        for button in imageButtons { gtk_widget_set_visible(button, page == "large" ? 1 : 0) }
    }

    /// Makes the selected image a number of times as large as it is.
    package func enlarge(by factor: Double) { large.enlarge(by: factor) }

    package var showsPanel: Bool {
        get { large.showsPanel }
        set { large.showsPanel = newValue }
    }

    package var isDark: Bool {
        get { Style.isDark }
        set { Style.isDark = newValue }
    }

    /// Moves between images and back to the grid.
    ///
    /// - Returns: Whether the key has a meaning.
    private func handle(key: UInt32) -> Bool {
        guard let selected else { return false }
        switch Int32(key) {
        case GDK_KEY_Escape: showGrid()
        case GDK_KEY_Left: show(selected - 1)
        case GDK_KEY_Right: show(selected + 1)
        case GDK_KEY_plus, GDK_KEY_KP_Add: large.enlarge(by: 1.5)
        case GDK_KEY_minus, GDK_KEY_KP_Subtract: large.enlarge(by: 1 / 1.5)
        default: return false
        }
        return true
    }

    // MARK: Figures

    /// Shows what a pipeline does, twice a second.
    package func show(_ figures: Figures, _ memory: MemoryCache) {
        Task { [weak self] in
            while let self {
                let counts = figures.counts
                let text = String(
                    format:
                        "%d images in memory (%.1f MB) · %d hits · %d loads, %d running, %d failed · %.1f MB received",
                    memory.totalCount, Double(memory.totalCost) / 1e6, counts.memoryHits, counts.loads, counts.running,
                    counts.failures, Double(counts.bytes) / 1e6)
                gtk_label_set_text(OpaquePointer(status), text)
                try? await Task.sleep(for: .milliseconds(500))
            }
        }
    }
}
#endif
