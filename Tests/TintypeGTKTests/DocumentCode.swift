#if GTK
import CGTK
import Foundation
import Tintype
import TintypeGTK

// The code of docs/gtk.md. `DocumentCodeTests` compares the two.

struct Viewer {
    @MainActor static func main() {
        let status = TintypeGTK.run("org.example.Viewer") { application in
            let view = ImageView(pipeline: .shared, accessibleName: "A lake")
            // gtk_window_set_child(window, view.widget), or what your binding of GTK calls it
            view.load(URL(filePath: "lake.jpg"))
        }
        exit(status)
    }
}

@MainActor private func loadImages(of view: ImageView, icon: URL, pressedIcon: URL, greyIcon: URL, frame: URL) {
    view.load(icon)
    view.load(pressedIcon, in: .highlighted)
    view.load(frame, in: .background)
    view.load(greyIcon, in: ImageSlot(.image, state: .disabled))
}

@MainActor private func url(of item: OpaquePointer) -> URL {
    URL(filePath: ImageListFactory.text(of: item) ?? "")
}

@MainActor private func makeFactory() -> ImageListFactory {
    let factory = ImageListFactory(pipeline: .shared) { cell in
        gtk_widget_set_size_request(UnsafeMutablePointer(cell.view.widget), 200, 200)
        return cell.view.widget
    } bind: { cell, item in
        cell.view.load(url(of: item))
    }
    return factory
}

@MainActor private func present(_ view: ImageView, _ hash: [UInt8]) {
    // Or .blurHash(text, aspectRatio: 1.5), .placeholder(image), .current.
    view.presentation.whileLoading = .thumbHash(hash)
    view.presentation.transition = .fade
    // Or .spinner.
    view.indicator = .progressBar
}
#endif
