public import TintypeCore

/// A transformer that draws over an image with cairo: captions, badges, masks.
///
///     let frame = CairoTransformer(identifier: "frame(4)") { context, size in
///         cairo_rectangle(context, 0, 0, Double(size.width), Double(size.height))
///         cairo_set_line_width(context, 8)
///         cairo_stroke(context)
///     }
///
/// See ``CairoCanvas`` for where the functions of cairo come from. The pixels of the image are in sRGB, with
/// premultiplied alpha.
public struct CairoTransformer: ImageTransformer {
    private let name: String
    private let draw: @Sendable (CairoCanvas.Context, PixelSize) throws -> Void

    /// Creates a transformer.
    ///
    /// - Parameters:
    ///   - identifier: The name of what `draw` does, with every parameter that changes pixels. It becomes part of the
    ///     cache key.
    ///   - draw: Receives the context of cairo and the size of the image in pixels. Called on a thread that may block,
    ///     for each frame of an animation.
    public init(
        identifier: String, draw: @escaping @Sendable (_ context: OpaquePointer, _ size: PixelSize) throws -> Void
    ) {
        (name, self.draw) = (identifier, draw)
    }

    /// The name given at creation, prefixed by its length in UTF-8 bytes so that composed identifiers stay unambiguous.
    public var identifier: String { "cairo(\(name.utf8.count):\(name))" }

    /// Returns the image with what the closure has drawn over it.
    ///
    /// - Throws: The errors of ``CairoCanvas/pixels(_:)``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let size = pixels.size
        var writer = try PixelWriter(size: size)
        for y in 0..<size.height {
            pixels.withUnsafeRow(y) { row in
                writer.withRows(from: y) {
                    $0.copyMemory(from: UnsafeRawBufferPointer(rebasing: row[..<(4 * size.width)]))
                }
            }
        }
        // The exchange of red and blue is its own inverse.
        writer.convertFromCairo()
        return try CairoCanvas.draw(writer, size, scale: 1) { context in try draw(context, size) }
    }
}
