#if GTK
import CGTK
import TintypeCore

/// Returns what a `GdkPaintable` draws, at a size in points, over transparent black.
///
/// - Throws: ``TintypeError/Code/outOfMemory``.
@MainActor func render(_ paintable: OpaquePointer?, _ size: PixelSize) throws -> PixelBuffer {
    let snapshot = gtk_snapshot_new()
    gdk_paintable_snapshot(
        paintable, snapshot, Double(size.width),
        Double(size.height))
    let node = gtk_snapshot_free_to_node(snapshot)
    let surface = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, Int32(size.width), Int32(size.height))
    defer { cairo_surface_destroy(surface) }
    if let node {
        let context = cairo_create(surface)
        gsk_render_node_draw(node, context)
        cairo_destroy(context)
        gsk_render_node_unref(node)
    }
    cairo_surface_flush(surface)
    return try pixels(of: surface, size)
}

/// Returns what a widget shows.
///
/// - Throws: ``TintypeError/Code/outOfMemory``.
@MainActor func render(_ widget: UnsafeMutablePointer<GtkWidget>) throws -> PixelBuffer {
    let paintable = gtk_widget_paintable_new(widget)
    defer { g_object_unref(paintable.map { UnsafeMutableRawPointer($0) }) }
    let size = PixelSize(width: Int(gtk_widget_get_width(widget)), height: Int(gtk_widget_get_height(widget)))
    return try render(paintable, size)
}

/// Returns a copy of the pixels of a surface.
private func pixels(of surface: OpaquePointer?, _ size: PixelSize) throws -> PixelBuffer {
    let stride = Int(cairo_image_surface_get_stride(surface))
    var writer = try PixelWriter(size: size)
    let rowBytes = writer.bytesPerRow
    guard let bytes = cairo_image_surface_get_data(surface) else {
        writer.clear()
        return writer.finish()
    }
    writer.withRows { rows in
        for y in 0..<size.height {
            for x in 0..<size.width {
                // Cairo stores BGRA, as a number in the byte order of the machine.
                let pixel = bytes + y * stride + x * 4
                rows.storeBytes(
                    of: Pixel(red: pixel[2], green: pixel[1], blue: pixel[0], alpha: pixel[3]),
                    toByteOffset: y * rowBytes + x * 4, as: Pixel.self)
            }
        }
    }
    return writer.finish()
}
#endif
