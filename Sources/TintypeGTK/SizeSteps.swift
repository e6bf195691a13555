import TintypeCore

/// The size in pixels at which a view wants its image to be decoded.
///
/// A new image is decoded to the exact size of the view. While the view grows, larger sizes are wanted in steps, so
/// that a window that is resized does not request an image for each pixel. A view that shrinks keeps its image.
struct SizeSteps {
    /// The size of the view in pixels; `nil` before its first layout.
    private var size: PixelSize?
    /// The size to decode images to; `nil` while the size of the view is unknown.
    private(set) var wanted: PixelSize?

    /// Handles a new size of the view.
    ///
    /// - Returns: Whether an image of the former wanted size is too small.
    mutating func setSize(_ new: PixelSize) -> Bool {
        guard new.isPositive, new != size else { return false }
        size = new
        guard let old = wanted else {
            wanted = new
            return false
        }
        guard new.width > old.width || new.height > old.height else { return false }
        wanted = PixelSize(
            width: max(old.width, Self.step(new.width)), height: max(old.height, Self.step(new.height)))
        return true
    }

    /// Handles the request for another image.
    mutating func startLoad() {
        wanted = size
    }

    /// Returns the smallest number 32 · 1.25ⁿ, rounded up, that is at least `length`.
    static func step(_ length: Int) -> Int {
        var step = 32.0
        while Int(step.rounded(.up)) < length { step *= 1.25 }
        return Int(step.rounded(.up))
    }
}

extension PixelSize {
    /// Creates the size in pixels of an area in points. Part of a pixel counts as a pixel.
    init(points: (width: Double, height: Double), scale: Double) {
        self.init(width: Self.pixels(points.width * scale), height: Self.pixels(points.height * scale))
    }

    /// Returns a length in whole pixels: 0 for one that is negative or not a number, and at most 2³¹.
    private static func pixels(_ length: Double) -> Int {
        Int(max(0, min(length, 0x1p31)).rounded(.up))
    }
}
