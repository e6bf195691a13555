#if GTK
import CGTK
import Foundation
import Tintype
import TintypeGTK

/// Measures the processor time of the main thread for 100 views of one animation, against 100 plain GtkPicture widgets
/// that a timer sets to the same frames, and for hidden views.
@MainActor final class ViewCost {
    private let seconds: Double
    private let count = 100
    private let side = 100
    private let frameTime = 0.04

    init(seconds: Double) {
        self.seconds = seconds
    }

    func run() async -> Int32 {
        do {
            return try await compare() ? 0 : 1
        } catch {
            print("FAILED: \(error)")
            return 1
        }
    }

    /// - Returns: Whether the views cost at most 10 % more than the plain widgets, and nothing while they are hidden.
    private func compare() async throws -> Bool {
        let frames = try (0..<8).map { try frame($0) }
        let pictures = await costOfPictures(frames)
        let (views, hidden) = try await costOfViews(frames)
        let ratio = views.perFrame / pictures.perFrame
        print("\(count) GtkPicture: \(pictures)")
        print("\(count) ImageView: \(views); ratio \(String(format: "%.3f", ratio))")
        print("hidden: \(hidden)")
        let isHiddenFree = hidden.time < views.time / 50
        if ratio > 1.1 { print("FAILED: the views cost over 10 % more") }
        if !isHiddenFree { print("FAILED: hidden views are not free") }
        return ratio <= 1.1 && isHiddenFree
    }

    /// Pixels that differ from frame to frame.
    private func frame(_ number: Int) throws -> PixelBuffer {
        try .makeRows(PixelSize(width: side, height: side)) { y, row in
            for x in row.indices { row[x] = 0xFF00_0000 | UInt32((x + number * 12) % 256) << 8 | UInt32(y) }
        }
    }

    // MARK: Views

    private func costOfViews(_ frames: [PixelBuffer]) async throws -> (shown: Cost, hidden: Cost) {
        let animation = try AnimatedImage(frames.map { TimedImage($0, duration: frameTime) })
        let gif = try GIFEncoder().encode(animation, as: .gif, options: EncodeOptions())
        let pipeline = ImagePipeline(.standard(memory: MemoryCache(), disk: nil))
        let request = ImageRequest(source: .bytes(gif, id: "animation"))
        let views = (0..<count).map { _ in ImageView(pipeline: pipeline) }
        let window = openWindow(views.map { UnsafeMutablePointer<GtkWidget>($0.widget) })
        defer { gtk_window_destroy(UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)) }
        for view in views { view.load(request) }
        while !views.allSatisfy({ $0.binding().content.kind == .image }) {
            try await Task.sleep(for: .milliseconds(10))
        }
        let shown = await cost(window)
        gtk_widget_set_visible(window, 0)
        return (shown, await cost(window))
    }

    // MARK: Plain widgets

    private func costOfPictures(_ frames: [PixelBuffer]) async -> Cost {
        let textures = frames.map(texture)
        let pictures = (0..<count).map { _ in gtk_picture_new() }
        for picture in pictures { gtk_picture_set_paintable(OpaquePointer(picture), textures.first ?? nil) }
        let window = openWindow(pictures)
        defer { gtk_window_destroy(UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)) }
        let timer = MainLoopTimer()
        let start = timer.now
        func showNext() {
            let number = Int(((timer.now - start) / .seconds(frameTime)).rounded(.down)) + 1
            for picture in pictures {
                gtk_picture_set_paintable(OpaquePointer(picture), textures[number % textures.count])
            }
            timer.set(for: start + .seconds(frameTime * Double(number)), showNext)
        }
        showNext()
        let cost = await cost(window)
        timer.cancel()
        for texture in textures { g_object_unref(texture.map { UnsafeMutableRawPointer($0) }) }
        return cost
    }

    private func texture(_ pixels: PixelBuffer) -> OpaquePointer? {
        var bytes: [UInt8] = []
        for y in 0..<pixels.size.height { pixels.withUnsafeRow(y) { bytes += $0 } }
        let data = g_bytes_new(bytes, gsize(bytes.count))
        defer { g_bytes_unref(data) }
        return gdk_memory_texture_new(
            Int32(pixels.size.width), Int32(pixels.size.height), GDK_MEMORY_R8G8B8A8_PREMULTIPLIED, data,
            gsize(pixels.size.width * 4))
    }

    // MARK: Measuring

    /// Opens a window with a grid of widgets of one size.
    private func openWindow(_ widgets: [UnsafeMutablePointer<GtkWidget>?]) -> UnsafeMutablePointer<GtkWidget>? {
        let grid = gtk_grid_new()
        for (index, widget) in widgets.enumerated() {
            gtk_widget_set_size_request(widget, Int32(side), Int32(side))
            gtk_grid_attach(
                UnsafeMutableRawPointer(grid)?.assumingMemoryBound(to: GtkGrid.self), widget, Int32(index % 12),
                Int32(index / 12), 1, 1)
        }
        let window = gtk_window_new()
        let typed = UnsafeMutableRawPointer(window)?.assumingMemoryBound(to: GtkWindow.self)
        gtk_window_set_child(typed, grid)
        gtk_window_present(typed)
        return window
    }

    /// The cost on the main thread.
    private struct Cost: CustomStringConvertible {
        var time: Duration
        var frames: Int

        /// In microseconds.
        var perFrame: Double { time / .microseconds(1) / Double(max(1, frames)) }
        var description: String { "\(time) for \(frames) frames, \(Int(perFrame)) µs each" }
    }

    /// Measures for a while, once everything has been drawn.
    private func cost(_ window: UnsafeMutablePointer<GtkWidget>?) async -> Cost {
        try? await Task.sleep(for: .milliseconds(500))
        let (start, first) = (Stalls.now, frameCount(window))
        try? await Task.sleep(for: .seconds(seconds))
        return Cost(time: Stalls.now - start, frames: frameCount(window) - first)
    }

    private func frameCount(_ window: UnsafeMutablePointer<GtkWidget>?) -> Int {
        gtk_widget_get_frame_clock(window).map { Int(gdk_frame_clock_get_frame_counter($0)) } ?? 0
    }
}
#endif
