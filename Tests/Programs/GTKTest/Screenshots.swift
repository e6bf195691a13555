#if GTK
import CGTK
import Foundation
import GalleryWindow
import Tintype
import TintypeGTK

/// Writes what the gallery shows at a few moments as PNG files.
@MainActor final class Screenshots {
    private let directory: String

    init(_ directory: String) {
        self.directory = directory
    }

    func run() async -> Int32 {
        do {
            try await photograph()
            return 0
        } catch {
            print("screenshots: \(error)")
            return 1
        }
    }

    private func photograph() async throws {
        let server = try await GalleryServer(Photographs(), count: 5000)
        let memory = MemoryCache()
        let figures = Figures()
        var configuration = PipelineConfiguration.standard(memory: memory, disk: nil)
        configuration.observers = [figures]
        let gallery = Gallery(server: server, pipeline: ImagePipeline(configuration))
        gallery.open()
        gallery.show(figures, memory)
        guard let window = gallery.window else { return }
        try await Task.sleep(for: .milliseconds(300))
        try await write("loading", window)
        try await Task.sleep(for: .milliseconds(4000))
        try await write("grid", window)
        gallery.isDark = true
        gallery.showsPanel = true
        gallery.show(2)
        try await Task.sleep(for: .milliseconds(450))
        try await write("progress", window)
        try await Task.sleep(for: .milliseconds(3000))
        try await write("image", window)
        gallery.enlarge(by: 3)
        try await Task.sleep(for: .milliseconds(1000))
        try await write("zoom", window)
    }

    private func write(_ name: String, _ window: UnsafeMutablePointer<GtkWidget>) async throws {
        var pixels = try render(window)
        // While a frame is due, a window has nothing to look at.
        while pixels[0, 0].alpha == 0 {
            try await Task.sleep(for: .milliseconds(5))
            pixels = try render(window)
        }
        let png = try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
        try png.write(to: URL(filePath: directory).appending(path: "gallery-\(name).png"))
    }
}
#endif
