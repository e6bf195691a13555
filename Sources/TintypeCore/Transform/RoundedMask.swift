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
    func isPlain(_ y: Int) -> Bool { y >= reach && y < size.height - reach }

    /// The coverage of a row, 255 being all.
    func row(_ y: Int) -> [UInt8] {
        let isPlain = isPlain(y)
        // In a plain row only the sides count.
        let margin = min(isPlain ? Int(inset.rounded(.up)) + 1 : size.width, size.width)
        var row = [UInt8](repeating: 255, count: size.width)
        for x in 0..<margin {
            row[x] = coverage(x, y)
            row[size.width - 1 - x] = coverage(size.width - 1 - x, y)
        }
        return row
    }

    /// From the distance of the pixel's middle to the edge: half a pixel on either side is mixed.
    private func coverage(_ x: Int, _ y: Int) -> UInt8 {
        let (across, down) = (Double(x) + 0.5, Double(y) + 0.5)
        let isLeft = across * 2 < Double(size.width)
        let isTop = down * 2 < Double(size.height)
        let round = corners.contains(.at(isTop: isTop, isLeft: isLeft)) ? radius : 0
        // Distances beyond the centre of the corner's circle, towards the corner.
        let right = round + inset - (isLeft ? across : Double(size.width) - across)
        let below = round + inset - (isTop ? down : Double(size.height) - down)
        let outside =
            right > 0 && below > 0 ? (right * right + below * below).squareRoot() - round : max(right, below) - round
        return UInt8(min(max(0.5 - outside, 0), 1) * 255 + 0.5)
    }
}
