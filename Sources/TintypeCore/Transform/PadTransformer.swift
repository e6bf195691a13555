/// Adds a margin around an image.
public struct PadTransformer: BuiltInTransformer {
    /// The widths of the four margins in pixels.
    package struct Margins: Hashable, Sendable {
        /// The height of the top margin.
        package var top: Int
        /// The width of the left margin.
        package var left: Int
        /// The height of the bottom margin.
        package var bottom: Int
        /// The width of the right margin.
        package var right: Int

        /// Creates margins with a width for each side, in pixels.
        package init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0) {
            self.top = top
            self.left = left
            self.bottom = bottom
            self.right = right
        }
    }

    /// The widths of the margins.
    package var margins: Margins
    /// The colour of the margins.
    package var color: Color

    /// Creates a transformer that adds margins of a colour, with a width for each side, in pixels.
    public init(top: Int = 0, left: Int = 0, bottom: Int = 0, right: Int = 0, color: Color = .clear) {
        self.init(Margins(top: top, left: left, bottom: bottom, right: right), color: color)
    }

    /// Creates a transformer that adds `margins` of a colour.
    package init(_ margins: Margins, color: Color = .clear) {
        self.margins = margins
        self.color = color
    }

    /// The kind of the transformer, the margins and the colour.
    package var name: String {
        "pad(\(margins.top),\(margins.left),\(margins.bottom),\(margins.right),\(color))"
    }

    /// Returns `true`.
    package var appliesToPreviews: Bool { true }

    /// Returns the padded image.
    ///
    /// - Throws: ``TintypeError/Code/transformFailed`` if a margin is negative, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let size = try paddedSize(pixels.size)
        let (margins, color) = (margins, color.pixel)
        return try pixels.copied(to: size) { source, target, stride throws(TintypeError) in
            let rowStart = UnsafeMutableRawPointer(target)
            try Strips(of: size.height, bytesPerRow: stride).forEachAtOnce { rows in
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
            throw .transformFailed("a margin is negative: \(all)")
        }
        guard largest <= PixelSize.maxTransformedSide else {
            throw TintypeError(
                .limitExceeded, stage: .transform,
                "a margin of \(largest) pixels exceeds the limit of \(PixelSize.maxTransformedSide)")
        }
        return try PixelSize(
            width: size.width + margins.left + margins.right, height: size.height + margins.top + margins.bottom
        ).checkedForTransform()
    }
}

/// Removes a border of one colour, that of the top left pixel. An image that is all border stays as it is.
///
/// For an animation the border of the first frame is used for all.
public struct TrimTransformer: BuiltInTransformer {
    /// The maximum difference of each channel from the border colour, 0 to 255.
    package var tolerance: Int

    /// Creates a transformer that removes a border whose channels differ by at most `tolerance`.
    public init(tolerance: Int = 10) {
        self.tolerance = tolerance
    }

    /// The kind of the transformer and the tolerance.
    package var name: String { "trim(\(tolerance))" }

    /// Returns the image without its border.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func apply(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard let rect = try contentRect(of: pixels) else { return pixels }
        return try pixels.cropped(to: rect)
    }

    /// Returns the rectangle that the border encloses, or `nil` if there is only border.
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

    /// Returns the range from the first to the last pixel of a row that is not border, or `nil` if all are.
    private func contentColumns(ofRow y: Int, in pixels: PixelBuffer, border: Pixel) -> Range<Int>? {
        (0..<pixels.size.width).span { !isBorder(pixels[$0, y], border) }
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
