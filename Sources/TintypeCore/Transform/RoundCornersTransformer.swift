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
        guard border > 0, borderColor.alpha > 0 else { return Self.covering(outer) }
        let inner = RoundedMask(size, radius: radius - border, corners: corners, inset: border)
        return Self.bordering(outer, inner, borderColor.pixel, size)
    }

    private static func covering(_ mask: RoundedMask) -> PixelOperation {
        PixelOperation { strip in
            for y in 0..<strip.size.height where !mask.isPlain(strip.firstRow + y) {
                tintype_kernels_current().pointee.cover(
                    strip.pixels + y * strip.stride, mask.row(strip.firstRow + y), strip.size.width)
            }
        }
    }

    /// Inside the inner edge the picture, between both the picture under the border's colour, outside nothing.
    private static func bordering(
        _ outer: RoundedMask, _ inner: RoundedMask, _ color: Pixel, _ size: PixelSize
    ) -> PixelOperation {
        let width = size.width
        let line = Array(repeating: [color.red, color.green, color.blue, color.alpha], count: width).flatMap(\.self)
        return PixelOperation { strip in
            let kernels = tintype_kernels_current()
            for y in 0..<strip.size.height {
                let pixels = strip.pixels + y * strip.stride
                let inside = inner.row(strip.firstRow + y)
                let ring = zip(outer.row(strip.firstRow + y), inside).map { $0 >= $1 ? $0 - $1 : 0 }
                var border = [UInt8](UnsafeBufferPointer(start: pixels, count: 4 * width))
                kernels.pointee.blend(line, 0, &border, 0, width, 1, Int32(BlendMode.normal.rawValue))
                kernels.pointee.cover(&border, ring, width)
                kernels.pointee.cover(pixels, inside, width)
                kernels.pointee.blend(
                    border, 0, pixels, strip.stride, width, 1, Int32(BlendMode.plusLighter.rawValue))
            }
        }
    }
}
