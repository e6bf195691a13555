/// The position and size of a whole document relative to a bitmap that shows a part of it, in pixels of the bitmap.
package struct VectorPlacement {
    /// The left side of the document.
    package let x: Double
    /// The top side of the document.
    package let y: Double
    /// The width of the document.
    package let width: Double
    /// The height of the document.
    package let height: Double

    /// The maximum width and height of a cairo surface, in pixels.
    package static let maximumSide = 32_767

    /// Creates the placement of a document.
    ///
    /// - Parameters:
    ///   - part: The part of the document to show, in pixels of the document; `nil` for all of it.
    ///   - document: The size of the document in pixels.
    ///   - size: The size of the bitmap in pixels.
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a bitmap that cairo cannot draw into.
    package init(
        of part: PixelRect?, in document: DrawingSize, at size: PixelSize
    ) throws(TintypeError) {
        guard max(size.width, size.height) <= Self.maximumSide else {
            throw .exceeded(
                .library,
                "the drawing would have \(size) pixels; the limit of cairo is \(Self.maximumSide) pixels per side")
        }
        let shown = part.map { DrawingSize($0.size) } ?? document
        let (across, down) = (Double(size.width) / shown.width, Double(size.height) / shown.height)
        (x, y) = (-Double(part?.x ?? 0) * across, -Double(part?.y ?? 0) * down)
        (width, height) = (document.width * across, document.height * down)
    }

    /// The size of the document in whole pixels.
    package var size: PixelSize { DrawingSize(width: width, height: height).pixels }
}
