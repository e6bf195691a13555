#if GTK
import CGTK
import Foundation
import Tintype
import TintypeGTK

// The code of the article GTK. `DocumentCodeTests` compares the two.

/// Shows the images of a folder in a grid. Files that are no images show an error.
struct FolderViewer {
    @MainActor static func main() {
        let folder = URL(filePath: CommandLine.arguments.dropFirst().first ?? ".", directoryHint: .isDirectory)
        exit(TintypeGTK.run("org.example.FolderViewer") { application in open(folder, in: application) })
    }

    @MainActor private static func open(_ folder: URL, in application: OpaquePointer) {
        let window = OpaquePointer(gtk_application_window_new(UnsafeMutablePointer(application)))
        gtk_window_set_title(UnsafeMutablePointer(window), folder.lastPathComponent)
        gtk_window_set_default_size(UnsafeMutablePointer(window), 900, 700)
        gtk_window_set_child(UnsafeMutablePointer(window), makeGrid(of: folder))
        gtk_window_present(UnsafeMutablePointer(window))
    }

    /// Returns a scrolled grid. Cells are reused; only those in or near the visible part load.
    @MainActor private static func makeGrid(of folder: URL) -> UnsafeMutablePointer<GtkWidget>? {
        let factory = ImageListFactory(pipeline: .shared) { cell in
            cell.view.contentFit = .cover
            cell.view.indicator = .spinner
            cell.view.presentation.transition = .fade
            gtk_widget_set_size_request(UnsafeMutablePointer(cell.view.widget), 200, 200)
            return cell.view.widget
        } bind: { cell, item in
            let name = ImageListFactory.text(of: item) ?? ""
            cell.view.accessibleName = name
            cell.view.load(folder.appending(path: name))
        }
        let model = gtk_string_list_new(nil)
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))
        for name in (names ?? []).sorted() { gtk_string_list_append(model, name) }
        // The grid takes over the references to its model and its factory.
        let grid = gtk_grid_view_new(gtk_no_selection_new(model), factory.retainedPointer())
        let scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), grid)
        return scrolled
    }
}

@MainActor private func loadImages(of view: ImageView, icon: URL, pressedIcon: URL, greyIcon: URL, frame: URL) {
    view.load(icon)
    view.load(pressedIcon, in: .highlighted)
    view.load(frame, in: .background)
    view.load(greyIcon, in: ImageSlot(.image, state: .disabled))
}

@MainActor private func present(_ view: ImageView, _ hash: [UInt8]) {
    // Or .blurHash(text, aspectRatio: 1.5), .placeholder(image), .current.
    view.presentation.whileLoading = .thumbHash(hash)
    view.presentation.transition = .fade
    // Or .spinner.
    view.indicator = .progressBar
}
#endif
