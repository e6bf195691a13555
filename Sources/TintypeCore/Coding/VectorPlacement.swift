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
    ///   - part: The part of the document to show, in pixels of the document.
    ///   - document: The size of the document in pixels.
    ///   - size: The size of the bitmap in pixels.
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a bitmap that cairo cannot draw into.
    package init(
        of part: PixelRect, in document: PixelSize, at size: PixelSize
    ) throws(TintypeError) {
        guard max(size.width, size.height) <= Self.maximumSide else {
            throw .exceeded(
                .library,
                "the drawing would have \(size) pixels; the limit of cairo is \(Self.maximumSide) pixels per side")
        }
        let across = Double(size.width) / Double(part.size.width)
        let down = Double(size.height) / Double(part.size.height)
        (x, y) = (-Double(part.x) * across, -Double(part.y) * down)
        (width, height) = (Double(document.width) * across, Double(document.height) * down)
    }

    /// The size of the document in whole pixels.
    package var size: PixelSize { PixelSize(wholePixels: (width, height)) }
}

extension PixelSize {
    /// Rounds the sides of a document up, and clamps them to 0…10⁹. NaN and infinity become 0.
    package init(wholePixels size: (width: Double, height: Double)) {
        func roundedUp(_ side: Double) -> Int { side.isFinite ? Int(min(max(side.rounded(.up), 0), 1e9)) : 0 }
        self.init(width: roundedUp(size.width), height: roundedUp(size.height))
    }
}
