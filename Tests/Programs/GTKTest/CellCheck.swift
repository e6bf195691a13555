#if GTK
import CGTK
import Foundation
import GalleryWindow
import Tintype
import TintypeGTK

/// Compares what each cell of the gallery shows with the number of its image.
@MainActor final class CellCheck {
    private(set) var frames = 0
    private(set) var images = 0
    private(set) var blanks = 0
    /// The numbers of the images.
    private(set) var seen: Set<Int> = []
    private(set) var failures: [String] = []
    private let gallery: Gallery
    private let window: UnsafeMutablePointer<GtkWidget>
    private var handler: gulong = 0

    init(_ gallery: Gallery, _ window: UnsafeMutablePointer<GtkWidget>) {
        (self.gallery, self.window) = (gallery, window)
    }

    /// Checks each frame when it has been drawn, until ``stop()``.
    func start() {
        let clock = gtk_widget_get_frame_clock(window).map { UnsafeMutableRawPointer($0) }
        let checkFrame: @convention(c) (UnsafeMutableRawPointer, UnsafeMutableRawPointer) -> Void = { _, owner in
            let check = Unmanaged<CellCheck>.fromOpaque(owner).takeUnretainedValue()
            MainActor.assumeIsolated { check.checkFrame() }
        }
        handler = g_signal_connect_data(
            clock, "after-paint", unsafeBitCast(checkFrame, to: GCallback.self),
            Unmanaged.passUnretained(self).toOpaque(), nil, GConnectFlags(rawValue: 0))
    }

    func stop() {
        g_signal_handler_disconnect(gtk_widget_get_frame_clock(window).map { UnsafeMutableRawPointer($0) }, handler)
    }

    private func checkFrame() {
        // A window whose contents have changed since has no frame to look at.
        guard let pixels = try? render(window), pixels[0, 0].alpha > 0 else { return }
        frames += 1
        guard let grid = gtk_widget_get_first_child(gallery.grid.widget) else { return }
        var cell = gtk_widget_get_first_child(grid)
        while let current = cell {
            if let child = gtk_widget_get_first_child(current), let view = ImageView(existing: OpaquePointer(child)) {
                check(view, child, pixels)
            }
            cell = gtk_widget_get_next_sibling(current)
        }
    }

    private func check(_ view: ImageView, _ widget: UnsafeMutablePointer<GtkWidget>, _ pixels: PixelBuffer) {
        guard failures.count < 10, gtk_widget_get_mapped(widget) != 0, let square = square(of: widget, pixels),
            let name = view.accessibleName
        else { return }
        let expected = GalleryServer.number(name)
        let shown = number(square, pixels)
        switch (view.binding().content.kind, shown) {
        case (.image, expected):
            images += 1
            seen.insert(expected)
        case (.nothing, nil), (.failure, nil): blanks += 1
        case (let kind, let shown):
            failures.append(
                "frame \(frames): the cell of \(name) shows \(shown.map { "image \($0)" } ?? "nothing") as \(kind)")
        }
    }

    /// The square that shows an image, in the pixels of the window; `nil` if a part of it is out of sight.
    private func square(of widget: UnsafeMutablePointer<GtkWidget>, _ pixels: PixelBuffer) -> (
        x: Double, y: Double, side: Double
    )? {
        var (bounds, view) = (graphene_rect_t(), graphene_rect_t())
        guard gtk_widget_compute_bounds(widget, window, &bounds) != 0,
            gtk_widget_compute_bounds(gallery.grid.widget, window, &view) != 0
        else { return nil }
        let (width, height) = (Double(bounds.size.width), Double(bounds.size.height))
        let (x, y) = (Double(bounds.origin.x), Double(bounds.origin.y))
        guard y >= Double(view.origin.y), y + height <= Double(view.origin.y + view.size.height) else { return nil }
        // The image covers the cell: it is as large as its longer side, and centred, so a part of the squares is cut
        // off.
        let side = max(width, height)
        return (x - (side - width) / 2, y - (side - height) / 2, side)
    }

    /// The number in the squares along the top; `nil` if there is no image.
    private func number(_ square: (x: Double, y: Double, side: Double), _ pixels: PixelBuffer) -> Int? {
        let bit = square.side / Double(NumberedImage.bits)
        var number = 0
        for index in 0..<NumberedImage.bits {
            let x = square.x + (Double(index) + 0.5) * bit
            // The sides of the image may be cut off; numbers need only the first bits.
            guard let color = pixels.color(x: Int(x), y: Int(square.y + bit * 0.8)) else { continue }
            if color.red > 200 && color.green > 200 && color.blue > 200 {
                number |= 1 << index
            }
            // Neither black nor white: the background of the window.
            else if color.red > 60 {
                return nil
            }
        }
        // All squares are as light as the background of the window.
        return number == (1 << NumberedImage.bits) - 1 ? nil : number
    }
}
#endif
