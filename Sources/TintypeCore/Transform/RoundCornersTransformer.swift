import CTintypeKernels

/// Rounds corners, smoothly, and draws a border inside the edge.
public struct RoundCornersTransformer: PixelwiseTransformer {
    /// Which corners; the numbers are those of `UIRectCorner`.
    public struct Corners: OptionSet, Hashable, Sendable {
        public let rawValue: Int

        public init(rawValue: Int) {
            self.rawValue = rawValue
        }

        public static let topLeft = Corners(rawValue: 1)
        public static let topRight = Corners(rawValue: 2)
        public static let bottomLeft = Corners(rawValue: 4)
        public static let bottomRight = Corners(rawValue: 8)
        public static let all: Corners = [.topLeft, .topRight, .bottomLeft, .bottomRight]

        static func at(isTop: Bool, isLeft: Bool) -> Corners {
            isTop ? (isLeft ? .topLeft : .topRight) : (isLeft ? .bottomLeft : .bottomRight)
        }
    }

    /// In pixels; at most half of the shorter side counts, so that infinity makes an ellipse's ends round.
    public var radius: Double
    public var corners: Corners
    /// In pixels; at most half of the shorter side counts.
    public var borderWidth: Double
    public var borderColor: Color

    public init(radius: Double, corners: Corners = .all, borderWidth: Double = 0, borderColor: Color = .clear) {
        self.radius = radius
        self.corners = corners
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    public var identifier: String {
        let corners = corners.intersection(.all).rawValue
        return "round(\(radius.canonical),\(corners),\(borderWidth.canonical),\(borderColor))"
    }

    func operation(for size: PixelSize) throws(TintypeError) -> PixelOperation? {
        let half = Double(min(size.width, size.height)) / 2
        guard radius >= 0, borderWidth >= 0 else {
            throw .transformFailed("neither a radius nor a border is below 0: \(identifier)")
        }
        let (radius, border) = (min(radius, half), min(borderWidth, half))
        let outer = RoundedMask(size, radius: radius, corners: corners)
        guard border > 0, borderColor.alpha > 0 else { return Self.maskOperation(outer) }
        let inner = RoundedMask(size, radius: radius - border, corners: corners, inset: border)
        return Self.borderOperation(outer: outer, inner: inner, color: borderColor.pixel, width: size.width)
    }

    private static func maskOperation(_ mask: RoundedMask) -> PixelOperation {
        PixelOperation { strip in
            for y in 0..<strip.size.height where !mask.isUniformRow(strip.firstRow + y) {
                tintype_kernels_current().pointee.cover(
                    strip.pixels + y * strip.stride, mask.row(strip.firstRow + y), strip.size.width)
            }
        }
    }

    /// Inside the inner edge the picture, between both the picture under the border's colour, outside nothing.
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

/// Cuts the largest circle out of the middle of a picture.
public struct CircleTransformer: ImageTransformer {
    /// In pixels, inside the edge.
    public var borderWidth: Double
    public var borderColor: Color

    public init(borderWidth: Double = 0, borderColor: Color = .clear) {
        self.borderWidth = borderWidth
        self.borderColor = borderColor
    }

    public var identifier: String { "circle(\(borderWidth.canonical),\(borderColor))" }

    /// - Throws: ``TintypeError/Code/transformFailed`` for a border below 0 or that is no number,
    ///   ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let side = min(pixels.size.width, pixels.size.height)
        let square = try pixels.cropped(to: .centered(PixelSize(width: side, height: side), in: pixels.size))
        return try RoundCornersTransformer(
            radius: .infinity, borderWidth: borderWidth, borderColor: borderColor
        ).transform(square)
    }
}

/// How much of each pixel lies inside a rectangle with round corners.
struct RoundedMask {
    private let size: PixelSize
    private let radius: Double
    private let corners: RoundCornersTransformer.Corners
    /// How far inside the picture's edge it begins, in pixels.
    private let inset: Double

    init(_ size: PixelSize, radius: Double, corners: RoundCornersTransformer.Corners, inset: Double = 0) {
        self.size = size
        self.radius = max(0, radius)
        self.corners = corners
        self.inset = inset
    }

    /// Rows and columns from each edge beyond which everything is inside.
    var reach: Int { Int((radius + inset).rounded(.up)) + 1 }

    /// Whether all rows at this distance from top and bottom are alike.
    func isUniformRow(_ y: Int) -> Bool { y >= reach && y < size.height - reach }

    /// The coverage of a row, 255 being all.
    func row(_ y: Int) -> [UInt8] {
        let isUniform = isUniformRow(y)
        // In a plain row only the sides count.
        let margin = min(isUniform ? Int(inset.rounded(.up)) + 1 : size.width, size.width)
        var row = [UInt8](repeating: 255, count: size.width)
        for x in 0..<margin {
            row[x] = coverage(x, y)
            row[size.width - 1 - x] = coverage(size.width - 1 - x, y)
        }
        return row
    }

    /// From the distance of the pixel's middle to the edge: half a pixel on either side is mixed.
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
