/// Finds the region of an image with the most detail.
///
/// Detail (energy) is the sum of the differences between neighbouring pixels, in brightness and colour. Among regions
/// of nearly equal energy the one nearest to the centre wins.
struct SmartCrop {
    /// The summed-area table of the energy, with one row and one column more than the image.
    private let sums: [Int]
    private let size: PixelSize

    /// Builds the summed-area table of an image. O(pixels), so pass a reduced image.
    init(_ pixels: PixelBuffer) {
        size = pixels.size
        let columns = size.width + 1
        var sums = [Int](repeating: 0, count: columns * (size.height + 1))
        for y in 0..<size.height {
            var row = 0
            for x in 0..<size.width {
                row += Self.pixelEnergy(pixels, x, y)
                sums[(y + 1) * columns + x + 1] = sums[y * columns + x + 1] + row
            }
        }
        self.sums = sums
    }

    /// Returns the rectangle of `cropSize` with the most detail in an image that is at least as large.
    ///
    /// The search runs on a copy that fits into 128 × 128 pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    static func rect(of cropSize: PixelSize, in pixels: PixelBuffer) throws(TintypeError) -> PixelRect {
        let small = try pixels.resampled(
            to: pixels.size.fitted(into: PixelSize(width: 128, height: 128)), filter: .box)
        let scaleX = Double(pixels.size.width) / Double(small.size.width)
        let scaleY = Double(pixels.size.height) / Double(small.size.height)
        let window = PixelSize(
            width: Int((Double(cropSize.width) / scaleX).rounded()),
            height: Int((Double(cropSize.height) / scaleY).rounded())
        )
        let best = SmartCrop(small).bestRect(for: window)
        return PixelRect(
            x: min(Int((Double(best.x) * scaleX).rounded()), pixels.size.width - cropSize.width),
            y: min(Int((Double(best.y) * scaleY).rounded()), pixels.size.height - cropSize.height), size: cropSize)
    }

    /// Returns the position of the window with the highest score. O(positions).
    func bestRect(for window: PixelSize) -> PixelRect {
        let window = PixelSize(
            width: min(max(window.width, 1), size.width), height: min(max(window.height, 1), size.height))
        var best = PixelRect.centered(window, in: size)
        var bestScore = score(best)
        for y in 0...size.height - window.height {
            for x in 0...size.width - window.width {
                let rect = PixelRect(x: x, y: y, size: window)
                let score = score(rect)
                if score > bestScore { (best, bestScore) = (rect, score) }
            }
        }
        return best
    }

    /// Returns the energy inside `rect`, reduced by up to a tenth at the corners of the image.
    private func score(_ rect: PixelRect) -> Double {
        func offset(_ position: Int, _ length: Int, _ side: Int) -> Double {
            side == length ? 0 : abs(Double(2 * position) / Double(side - length) - 1)
        }
        let offCenter =
            offset(rect.x, rect.size.width, size.width) + offset(rect.y, rect.size.height, size.height)
        return Double(energy(in: rect)) * (1 - 0.05 * offCenter)
    }

    private func energy(in rect: PixelRect) -> Int {
        let columns = size.width + 1
        let (top, bottom) = (rect.y * columns, (rect.y + rect.size.height) * columns)
        let (left, right) = (rect.x, rect.x + rect.size.width)
        return sums[bottom + right] - sums[bottom + left] - sums[top + right] + sums[top + left]
    }

    /// Returns the difference of a pixel from its right and lower neighbours.
    private static func pixelEnergy(_ pixels: PixelBuffer, _ x: Int, _ y: Int) -> Int {
        let pixel = pixels[x, y]
        let right = pixels[min(x + 1, pixels.size.width - 1), y]
        let below = pixels[x, min(y + 1, pixels.size.height - 1)]
        return difference(pixel, right) + difference(pixel, below)
    }

    private static func difference(_ first: Pixel, _ second: Pixel) -> Int {
        func channelDifference(_ channel: KeyPath<Pixel, UInt8>) -> Int {
            abs(Int(first[keyPath: channel]) - Int(second[keyPath: channel]))
        }
        return channelDifference(\.red) + 2 * channelDifference(\.green) + channelDifference(\.blue)
            + channelDifference(\.alpha)
    }
}
