/// How an image is fitted to the size that was asked for.
package enum ResizingType: String, CaseIterable, Hashable, Sendable {
    /// The whole image, inside the size.
    case fit
    /// The image covers the size, and what projects is cut off.
    case fill
    /// Like ``fill``. An image smaller than the size is cut to its aspect ratio.
    case fillDown = "fill-down"
    /// Exactly the size, without regard to the aspect ratio.
    case force
    /// ``fill`` if image and size are both landscape or both portrait, else ``fit``.
    case auto
}

/// A factor of the requested size.
package struct Zoom: Hashable, Sendable {
    /// The factor of the width, above 0.
    package var x = 1.0
    /// The factor of the height, above 0.
    package var y = 1.0
}

/// Whether an image is put on a larger canvas, and where.
package struct CanvasOption: Hashable, Sendable {
    /// Whether there is a canvas.
    package var isEnabled = false
    /// Where on the canvas the image is.
    package var gravity = GravityOption()
}

/// The part of the source that is used.
package struct CropOption: Hashable, Sendable {
    /// The width: pixels from 1 on, below 1 a share, 0 for the whole.
    package var width = 0.0
    /// The height, with the same units.
    package var height = 0.0
    /// Which part; `nil` for that of ``ProcessingOptions/gravity``.
    package var gravity: GravityOption?
}

/// How a border of one colour is removed.
package struct TrimOption: Hashable, Sendable {
    /// The largest difference from the colour that counts as the border; `nil` for no trim.
    package var threshold: Double?
    /// The colour of the border; `nil` for that of the corner.
    package var color: RGBColor?
    /// Whether as much is removed on the left as on the right.
    package var isEqualHorizontally = false
    /// Whether as much is removed at the top as at the bottom.
    package var isEqualVertically = false
}

/// The pixels that are added around the result, before they are multiplied by the pixel ratio.
package struct Padding: Hashable, Sendable {
    /// Rows above the image.
    package var top = 0
    /// Columns to the right of the image.
    package var right = 0
    /// Rows below the image.
    package var bottom = 0
    /// Columns to the left of the image.
    package var left = 0
}

/// How the upright image is turned over.
package struct FlipOption: Hashable, Sendable {
    /// Whether left and right are exchanged.
    package var isHorizontal = false
    /// Whether top and bottom are exchanged.
    package var isVertical = false
}
