/// Finds the part of a picture where there is most to see: detail, as the sum of the differences between neighbours, in
/// brightness and in colour. Of parts that have almost as much, that which is nearest to the middle.
struct SmartCrop {
    /// Sums of energy over all pixels above and to the left, one row and one column more than the picture.
    private let sums: [Int]
    private let size: PixelSize

    /// - Parameter pixels: small; the cost grows with them.
    init(_ pixels: PixelBuffer) {
        size = pixels.size
        let columns = size.width + 1
        var sums = [Int](repeating: 0, count: columns * (size.height + 1))
        for y in 0..<size.height {
            var row = 0
            for x in 0..<size.width {
                row += Self.energy(pixels, x, y)
                sums[(y + 1) * columns + x + 1] = sums[y * columns + x + 1] + row
            }
        }
        self.sums = sums
    }

    /// The part of a picture of `pixels`, at most as large as it.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    static func rect(_ wanted: PixelSize, in pixels: PixelBuffer) throws(TintypeError) -> PixelRect {
        let small = try pixels.resampled(
            to: pixels.size.fitted(into: PixelSize(width: 128, height: 128)), filter: .box)
        let across = Double(pixels.size.width) / Double(small.size.width)
        let down = Double(pixels.size.height) / Double(small.size.height)
        let window = PixelSize(
            width: Int((Double(wanted.width) / across).rounded()), height: Int((Double(wanted.height) / down).rounded())
        )
        let best = SmartCrop(small).best(window)
        return PixelRect(
            x: min(Int((Double(best.x) * across).rounded()), pixels.size.width - wanted.width),
            y: min(Int((Double(best.y) * down).rounded()), pixels.size.height - wanted.height), size: wanted)
    }

    /// The place of the window with the most energy.
    func best(_ window: PixelSize) -> PixelRect {
        let window = PixelSize(
            width: min(max(window.width, 1), size.width), height: min(max(window.height, 1), size.height))
        var best = PixelRect.centered(window, in: size)
        var most = score(best)
        for y in 0...size.height - window.height {
            for x in 0...size.width - window.width {
                let rect = PixelRect(x: x, y: y, size: window)
                let score = score(rect)
                if score > most { (best, most) = (rect, score) }
            }
        }
        return best
    }

    /// Energy inside, less up to a tenth of it at the corners of the picture.
    private func score(_ rect: PixelRect) -> Double {
        func offset(_ place: Int, _ length: Int, _ side: Int) -> Double {
            side == length ? 0 : abs(Double(2 * place) / Double(side - length) - 1)
        }
        let away =
            offset(rect.x, rect.size.width, size.width) + offset(rect.y, rect.size.height, size.height)
        return Double(energy(in: rect)) * (1 - 0.05 * away)
    }

    private func energy(in rect: PixelRect) -> Int {
        let columns = size.width + 1
        let (top, bottom) = (rect.y * columns, (rect.y + rect.size.height) * columns)
        let (left, right) = (rect.x, rect.x + rect.size.width)
        return sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left]
    }

    /// How much a pixel differs from those to the right of it and below.
    private static func energy(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> Int {
        let pixel = pixels[x, y]
        let right = pixels[min(x + 1, pixels.size.width - 1), y]
        let below = pixels[x, min(y + 1, pixels.size.height - 1)]
        return difference(pixel, right) + difference(pixel, below)
    }

    private static func difference(_ first: Pixel, _ second: Pixel) -> Int {
        func apart(_ channel: KeyPath<Pixel, UInt8>) -> Int {
            abs(Int(first[keyPath: channel]) - Int(second[keyPath: channel]))
        }
        return apart(\.red) + 2 * apart(\.green) + apart(\.blue) + apart(\.alpha)
    }
}
