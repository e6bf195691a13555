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
            let rowStart = UnsafeMutableRawPointer(target)
            try Strips(of: size.height, bytesPerRow: stride).forEach { rows in
                for y in rows {
                    let row = rowStart + y * stride
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
        guard let smallest = all.min(), let largest = all.max(), smallest >= 0 else {
            throw .transformFailed("a margin is below 0")
        }
        guard largest <= PixelSize.maxTransformedSide else {
            throw TintypeError(.limitExceeded, stage: .transform, "a margin of \(largest) pixels is too wide")
        }
        return try PixelSize(
            width: size.width + margins.left + margins.right, height: size.height + margins.top + margins.bottom
        ).checkedForTransform()
    }
}

/// Cuts off a border of one colour, that of the first pixel. A picture that is all border stays as it is; of an
/// animation the first frame decides.
public struct TrimTransformer: ImageTransformer {
    /// How far a channel may be from the border's colour and still belong to it: 0 to 255.
    public var tolerance: Int

    public init(tolerance: Int = 10) {
        self.tolerance = tolerance
    }

    public var identifier: String { "trim(\(tolerance))" }

    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard let rect = try contentRect(of: pixels) else { return pixels }
        return try pixels.cropped(to: rect)
    }

    /// What the border encloses; `nil` when there is nothing but border.
    func contentRect(of pixels: PixelBuffer) throws(TintypeError) -> PixelRect? {
        let border = pixels[0, 0]
        var (left, right) = (pixels.size.width, 0)
        var rows: Range<Int>?
        try Strips(of: pixels.size.height, bytesPerRow: pixels.bytesPerRow).forEach { strip in
            for y in strip {
                guard let columns = contentColumns(ofRow: y, in: pixels, border: border) else { continue }
                (left, right) = (min(left, columns.lowerBound), max(right, columns.upperBound))
                rows = (rows?.lowerBound ?? y)..<y + 1
            }
        }
        return rows.map { rows in
            PixelRect(x: left, y: rows.lowerBound, size: PixelSize(width: right - left, height: rows.count))
        }
    }

    /// From the first pixel of a row that is not border to the last.
    private func contentColumns(ofRow y: Int, in pixels: PixelBuffer, border: Pixel) -> Range<Int>? {
        let columns = 0..<pixels.size.width
        guard let first = columns.first(where: { !isBorder(pixels[$0, y], border) }),
            let last = columns.last(where: { !isBorder(pixels[$0, y], border) })
        else { return nil }
        return first..<last + 1
    }

    private func isBorder(_ pixel: Pixel, _ border: Pixel) -> Bool {
        func isNear(_ first: UInt8, _ second: UInt8) -> Bool { abs(Int(first) - Int(second)) <= tolerance }
        return isNear(pixel.red, border.red) && isNear(pixel.green, border.green) && isNear(pixel.blue, border.blue)
            && isNear(pixel.alpha, border.alpha)
    }
}

extension TrimTransformer: ContentTransformer {
    func resolved(for pixels: PixelBuffer) throws(TintypeError) -> any ImageTransformer {
        CropTransformer(to: try contentRect(of: pixels) ?? PixelRect(x: 0, y: 0, size: pixels.size))
    }
}
