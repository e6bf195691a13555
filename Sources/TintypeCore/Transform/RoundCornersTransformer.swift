import CTintypeKernels

/// Rounds the corners with anti-aliasing and draws a border inside the edge.
public struct RoundCornersTransformer: PixelwiseTransformer {
    /// One of the corners of an image. Raw values are those of `UIRectCorner`.
    public enum Corner: Int, Hashable, Sendable, CaseIterable {
        /// The top left corner.
        case topLeft = 1
        /// The top right corner.
        case topRight = 2
        /// The bottom left corner.
        case bottomLeft = 4
        /// The bottom right corner.
        case bottomRight = 8

        static func at(isTop: Bool, isLeft: Bool) -> Corner {
            isTop ? (isLeft ? .topLeft : .topRight) : (isLeft ? .bottomLeft : .bottomRight)
        }
    }

    /// The corner radius in pixels, at most half of the shorter side. Infinity fully rounds the shorter sides.
    package var radius: Double
    /// The corners that are rounded.
    package var corners: Set<Corner>
    /// The border width in pixels, at most half of the shorter side.
    package var borderWidth: Double
    /// The border colour.
    package var borderColor: Color

    /// Creates a transformer that rounds corners and draws a border.
    public init(
        radius: Double, corners: Set<Corner> = Set(Corner.allCases), borderWidth: Double = 0,
        borderColor: Color = .clear
    ) {
        self.radius = radius
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// The sum of the raw values of the rounded corners.
    package var cornerBits: Int { corners.reduce(0) { $0 | $1.rawValue } }

    /// The kind of the transformer and its parameters.
    package var name: String {
        "round(\(radius.canonical),\(cornerBits),\(borderWidth.canonical),\(borderColor))"
    }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        let half = Double(min(size.width, size.height)) / 2
        guard radius >= 0, borderWidth >= 0 else {
            throw .transformFailed("the corner radius and the border width must be 0 or more: \(identifier)")
        }
        let (radius, border) = (min(radius, half), min(borderWidth, half))
        let outer = RoundedMask(size, radius: radius, corners: corners)
        guard border > 0, borderColor.alpha > 0 else { return Self.maskOperation(outer) }
        let inner = RoundedMask(size, radius: radius - border, corners: corners, inset: border)
        return Self.borderOperation(outer: outer, inner: inner, color: borderColor.pixel, width: size.width)
    }

    /// Multiplies every pixel by the coverage of the mask.
    private static func maskOperation(_ mask: RoundedMask) -> PixelOperation {
        PixelOperation { strip in
            for y in 0..<strip.size.height where !mask.isUniformRow(strip.firstRow + y) {
                tintype_kernels_current().pointee.cover(
                    strip.pixels + y * strip.stride, mask.row(strip.firstRow + y), strip.size.width)
            }
        }
    }

    /// Draws the image inside the inner edge, the border colour over the image between the edges, and nothing outside.
    private static func borderOperation(
        outer: RoundedMask, inner: RoundedMask, color: Pixel, width: Int
    ) -> PixelOperation {
        let colorRow = Array(repeating: [color.red, color.green, color.blue, color.alpha], count: width).flatMap(\.self)
        return PixelOperation { strip in
            let kernels = tintype_kernels_current()
            for y in 0..<strip.size.height {
                let pixels = strip.pixels + y * strip.stride
                let innerCoverage = inner.row(strip.firstRow + y)
                let ringCoverage = zip(outer.row(strip.firstRow + y), innerCoverage).map { $0 >= $1 ? $0 - $1 : 0 }
                var border = [UInt8](UnsafeBufferPointer(start: pixels, count: 4 * width))
                kernels.pointee.blend(colorRow, 0, &border, 0, width, 1, Int32(BlendMode.normal.rawValue))
                kernels.pointee.cover(&border, ringCoverage, width)
                kernels.pointee.cover(pixels, innerCoverage, width)
                kernels.pointee.blend(
                    border, 0, pixels, strip.stride, width, 1, Int32(BlendMode.plusLighter.rawValue))
            }
        }
    }
}

/// Crops the largest centred circle out of an image.
public struct CircleTransformer: BuiltInTransformer {
    /// The border width in pixels, drawn inside the edge.
    package var borderWidth: Double
    /// The border colour.
    package var borderColor: Color

    /// Creates a transformer that crops a circle and draws a border.
    public init(borderWidth: Double = 0, borderColor: Color = .clear) {
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    /// The kind of the transformer, the border width and the border colour.
    package var name: String { "circle(\(borderWidth.canonical),\(borderColor))" }

    /// Returns `true`.
    package var appliesToPreviews: Bool { true }

    /// Returns the square image of the circle.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if the border width is negative or not a number,
    ///   ``TintypeError/Code/outOfMemory``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let side = min(pixels.size.width, pixels.size.height)
        let square = try pixels.cropped(to: .centered(PixelSize(width: side, height: side), in: pixels.size))
        return try RoundCornersTransformer(
            radius: .infinity, borderWidth: borderWidth, borderColor: borderColor
        ).transform(square)
    }
}

/// The coverage of each pixel by a rectangle with round corners.
struct RoundedMask {
    private let size: PixelSize
    private let radius: Double
    private let corners: Set<RoundCornersTransformer.Corner>
    /// The distance in pixels of the rectangle from the edge of the image.
    private let inset: Double

    init(_ size: PixelSize, radius: Double, corners: Set<RoundCornersTransformer.Corner>, inset: Double = 0) {
        self.size = size
        self.radius = max(0, radius)
        self.corners = corners
        self.inset = inset
    }

    /// The number of rows and columns at each edge that may be partly covered.
    var reach: Int { Int((radius + inset).rounded(.up)) + 1 }

    /// Whether row `y` is covered like all other rows in the middle of the image.
    func isUniformRow(_ y: Int) -> Bool { y >= reach && y < size.height - reach }

    /// Returns the coverage of each pixel in row `y`, 0 to 255.
    func row(_ y: Int) -> [UInt8] {
        let isUniform = isUniformRow(y)
        // In a uniform row only the pixels at the sides can be partly covered.
        let margin = min(isUniform ? Int(inset.rounded(.up)) + 1 : size.width, size.width)
        var row = [UInt8](repeating: 255, count: size.width)
        for x in 0..<margin {
            row[x] = coverage(x, y)
            row[size.width - 1 - x] = coverage(size.width - 1 - x, y)
        }
        return row
    }

    /// Returns the coverage from the distance of the pixel's centre to the edge: half a pixel on either side is
    /// blended.
    private func coverage(_ x: Int, _ y: Int) -> UInt8 {
        let (centerX, centerY) = (Double(x) + 0.5, Double(y) + 0.5)
        let isLeft = centerX * 2 < Double(size.width)
        let isTop = centerY * 2 < Double(size.height)
        let cornerRadius = corners.contains(.at(isTop: isTop, isLeft: isLeft)) ? radius : 0
        // Distances beyond the centre of the corner's circle, towards the corner.
        let beyondX = cornerRadius + inset - (isLeft ? centerX : Double(size.width) - centerX)
        let beyondY = cornerRadius + inset - (isTop ? centerY : Double(size.height) - centerY)
        let outside =
            beyondX > 0 && beyondY > 0
            ? (beyondX * beyondX + beyondY * beyondY).squareRoot() - cornerRadius : max(beyondX, beyondY) - cornerRadius
        return UInt8(min(max(0.5 - outside, 0), 1) * 255 + 0.5)
    }
}
