import TintypeCore

/// Removes a border and then renders what is left: the plan depends on the size that the border leaves.
struct TrimmedRendering: ImageTransformer {
    let steps: RenderingSteps

    /// The options, which decide everything else. A rendition with the same options and another watermark has another
    /// key.
    var identifier: String { "trimmed(\(steps.options.canonical))" }

    func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        let trimmed = try steps.options.trim.trimmed(pixels)
        return try TransformerChain(steps.transforms(of: steps.plan(for: trimmed.size))).transform(trimmed)
    }
}

extension TrimOption {
    /// Returns the image without its border; the same if it is all border.
    func trimmed(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        guard let threshold else { return pixels }
        let border = color.map { Pixel(red: $0.red, green: $0.green, blue: $0.blue) }
        guard let content = try pixels.contentRect(border: border, tolerance: threshold) else { return pixels }
        return try CropTransformer(to: evened(content, in: pixels.size)).transform(pixels)
    }

    /// Returns the part to keep: where both sides shall lose the same, the smaller border counts.
    func evened(_ content: PixelRect, in size: PixelSize) -> PixelRect {
        var (left, top) = (content.x, content.y)
        var right = size.width - left - content.size.width
        var bottom = size.height - top - content.size.height
        if isEqualHorizontally { (left, right) = (min(left, right), min(left, right)) }
        if isEqualVertically { (top, bottom) = (min(top, bottom), min(top, bottom)) }
        return PixelRect(
            x: left, y: top, size: PixelSize(width: size.width - left - right, height: size.height - top - bottom))
    }
}

extension PixelBuffer {
    /// The colour that stands for transparent pixels in the option, because it has no alpha.
    private static let transparentMarker = Pixel(red: 255, green: 0, blue: 255)

    /// Returns the rectangle of the pixels that differ from a border colour; `nil` if none does.
    ///
    /// - Parameters:
    ///   - border: The colour of the border; `nil` for that of the first pixel. Magenta stands for transparent.
    ///   - tolerance: The largest difference of a channel that belongs to the border, 0 to 255.
    fileprivate func contentRect(border: Pixel?, tolerance: Double) throws(TintypeError) -> PixelRect? {
        let border = border ?? self[0, 0]
        let seesMarker = border == Self.transparentMarker
        func isContent(_ pixel: Pixel) -> Bool {
            if pixel.alpha == 0 { return border.alpha != 0 && !seesMarker }
            let differences = [
                Int(pixel.red) - Int(border.red), Int(pixel.green) - Int(border.green),
                Int(pixel.blue) - Int(border.blue), Int(pixel.alpha) - Int(border.alpha),
            ]
            return differences.contains { Double(abs($0)) > tolerance }
        }
        var (left, right, rows) = (size.width, 0, Range<Int>?.none)
        for y in 0..<size.height {
            if y.isMultiple(of: 64) { try TransformContext.current.checkCancelled() }
            guard let first = (0..<size.width).first(where: { isContent(self[$0, y]) }),
                let last = (first..<size.width).last(where: { isContent(self[$0, y]) })
            else { continue }
            (left, right) = (min(left, first), max(right, last + 1))
            rows = (rows?.lowerBound ?? y)..<y + 1
        }
        return rows.map {
            PixelRect(x: left, y: $0.lowerBound, size: PixelSize(width: right - left, height: $0.count))
        }
    }
}
