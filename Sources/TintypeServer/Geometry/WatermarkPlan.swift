import Foundation
package import TintypeCore

/// Where a watermark is drawn on the result, and how large.
package struct WatermarkPlan: Hashable, Sendable {
    /// The size to which the watermark is scaled, before it is rotated.
    package let scaledSize: PixelSize
    /// The size of the rotated watermark.
    package let size: PixelSize
    /// The top left corners of its copies. Parts of a copy can lie outside the result.
    package let corners: [Corner]

    /// The place of a copy.
    package struct Corner: Hashable, Sendable {
        /// The column of the result in which the copy begins; below 0 if it begins outside.
        package let x: Int
        /// The row of the result in which the copy begins.
        package let y: Int
    }

    /// The largest number of copies. Smaller tiles than this allows are not repeated over the whole result.
    static let maximumCopies = 100_000

    /// Makes the plan for a watermark.
    ///
    /// - Parameters:
    ///   - mark: The upright size of the watermark's own pixels.
    ///   - image: The size of the result.
    ///   - pixelRatio: ``GeometryPlan/pixelRatio``.
    package init(
        of mark: PixelSize, on image: PixelSize, _ options: WatermarkOption, pixelRatio: Double
    ) {
        let mark = PixelSize(width: max(1, mark.width), height: max(1, mark.height))
        scaledSize = Self.scaled(mark, on: image, options)
        size = Self.rotated(scaledSize, degrees: options.rotation)
        guard options.placement.isRepeated else {
            let gravity = GravityOption(options.placement, x: options.x, y: options.y)
            let (x, y) = gravity.position(of: size, in: image, pixelRatio: pixelRatio, overflows: true)
            corners = [Corner(x: x, y: y)]
            return
        }
        let gap = PixelSize(
            width: max(0, GravityOption.pixels(options.x, of: image.width, pixelRatio: pixelRatio)),
            height: max(0, GravityOption.pixels(options.y, of: image.height, pixelRatio: pixelRatio)))
        corners = Self.tiles(of: size, gap: gap, on: image, isShifted: options.placement == .chessboard)
    }

    /// Returns the size of a watermark: a share of the image, or a size of its own, into which it is fitted.
    private static func scaled(_ mark: PixelSize, on image: PixelSize, _ options: WatermarkOption) -> PixelSize {
        var box = ProcessingOptions()
        box.enlarges = true
        if options.scale > 0 {
            box.width = max(1, image.width.scaledToEven(by: options.scale))
            box.height = max(1, image.height.scaledToEven(by: options.scale))
        } else {
            (box.width, box.height) = (options.width, options.height)
        }
        return ResultScale(of: mark, box, isVector: false, maximumSide: 0).scaled
    }

    /// Returns the size of the rectangle around a rotated one.
    private static func rotated(_ size: PixelSize, degrees: Double) -> PixelSize {
        // Multiples of a right angle are exact.
        if degrees.truncatingRemainder(dividingBy: 180) == 0 { return size }
        if degrees.truncatingRemainder(dividingBy: 90) == 0 { return size.swapped }
        let (sine, cosine) = (abs(sin(degrees * .pi / 180)), abs(cos(degrees * .pi / 180)))
        let (width, height) = (Double(size.width), Double(size.height))
        return PixelSize(
            width: Int((width * cosine + height * sine).rounded(.up)),
            height: Int((width * sine + height * cosine).rounded(.up)))
    }

    /// Returns the corners of copies that cover an image. One copy is in the middle.
    private static func tiles(of mark: PixelSize, gap: PixelSize, on image: PixelSize, isShifted: Bool) -> [Corner] {
        let step = PixelSize(width: mark.width + gap.width, height: mark.height + gap.height)
        let (firstX, firstY) = ((image.width - mark.width) / 2, (image.height - mark.height) / 2)
        var corners: [Corner] = []
        let rows = starts(around: firstY, step: step.height, length: mark.height, in: image.height)
        for (row, y) in rows {
            let shift = isShifted && !row.isMultiple(of: 2) ? step.width / 2 : 0
            for (_, x) in starts(around: firstX + shift, step: step.width, length: mark.width, in: image.width) {
                guard corners.count < maximumCopies else { return corners }
                corners.append(Corner(x: x, y: y))
            }
        }
        return corners
    }

    /// Returns the starts of copies with a pixel inside a length, with their distances in steps from the middle one.
    private static func starts(around first: Int, step: Int, length: Int, in whole: Int) -> [(Int, Int)] {
        let before = max(0, (first + length - 1) / step)
        let after = max(0, (whole - 1 - first) / step)
        return (-before...after).map { ($0, first + $0 * step) }.filter { $0.1 < whole && $0.1 + length > 0 }
    }
}
