/// Puts a margin around a picture.
public struct PadTransformer: ImageTransformer {
    /// Widths of the four margins, in pixels.
    public struct Margins: Hashable, Sendable {
        public var top: Int
        public var left: Int
        public var bottom: Int
        public var right: Int

        public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) {
            self.top = top
            self.left = left
            self.bottom = bottom
            self.right = right
        }

        public init(_ all: Int) {
            self.init(top: all, left: all, bottom: all, right: all)
        }
    }

    public var margins: Margins
    public var color: Color

    public init(_ margins: Margins, color: Color = .clear) {
        self.margins = margins
        self.color = color
    }

    public var identifier: String {
        "pad(\(margins.top),\(margins.left),\(margins.bottom),\(margins.right),\(color))"
    }

    /// - Throws: ``TintypeError/Code/transformFailed`` for a margin below 0, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let size = try paddedSize(pixels.size)
        let (margins, color) = (margins, color.pixel)
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            let wanted = UnsafeMutableRawPointer(target)
            try Strips(of: size.height, bytesPerRow: stride).forEach { rows in
                for y in rows {
                    let row = wanted + y * stride
                    row.initializeMemory(as: Pixel.self, repeating: color, count: size.width)
                    guard y >= margins.top, y < margins.top + pixels.size.height else { continue }
                    (row + margins.left * PixelBuffer.bytesPerPixel).copyMemory(
                        from: source + (y - margins.top) * pixels.bytesPerRow,
                        byteCount: pixels.size.width * PixelBuffer.bytesPerPixel)
                }
            }
        }
    }

    private func paddedSize(_ size: PixelSize) throws(TintypeError) -> PixelSize {
        let all = [margins.top, margins.left, margins.bottom, margins.right]
        guard let least = all.min(), let most = all.max(), least >= 0 else {
            throw .transformFailed("a margin is below 0")
        }
        guard most <= PixelSize.longestTransformed else {
            throw TintypeError(.limitExceeded, stage: .transform, "a margin of \(most) pixels is too wide")
        }
        return try PixelSize(
            width: size.width + margins.left + margins.right, height: size.height + margins.top + margins.bottom
        ).checkedForTransform()
    }
}
