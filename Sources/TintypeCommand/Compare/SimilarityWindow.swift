import Foundation
import Tintype

/// The moments of two images' luma in a Gaussian window around each pixel, from which the structural similarity is
/// computed. Windows at the edges consist of the pixels that exist.
///
/// Only the rows of one window are in memory: each row is filtered horizontally once, and leaves when the window has
/// passed.
struct SimilarityWindow {
    /// The colour behind transparent pixels.
    enum Background: Float {
        case black = 0
        case white = 1
    }

    private let background: Background

    init(_ background: Background) {
        self.background = background
    }

    /// The sums of one row after the horizontal filter: x, y, x², y² and xy for each pixel.
    private typealias Row = [SIMD8<Float>]

    private static let radius = 5
    private static let weights = (-radius...radius).map { exp(-Float($0 * $0) / (2 * 1.5 * 1.5)) }
    /// The constants that keep the quotient finite in dark and flat parts: (0.01 · 255)² and (0.03 · 255)².
    private static let (luminanceConstant, contrastConstant) = (Float(6.5025), Float(58.5225))

    /// Returns the mean structural similarity of two images of one size.
    ///
    /// - Parameter check: Called for each row; its error ends the work.
    func similarity(
        of first: PixelBuffer, _ second: PixelBuffer, check: () throws(TintypeError) -> Void
    ) throws(TintypeError) -> Double {
        let (width, height) = (first.size.width, first.size.height)
        var rows: [Row] = []
        var firstRow = 0
        var sum = 0.0
        for row in 0..<height {
            try check()
            while firstRow + rows.count < min(height, row + Self.radius + 1) {
                rows.append(Self.filtered(lumas(first, second, row: firstRow + rows.count)))
            }
            if firstRow < row - Self.radius {
                rows.removeFirst()
                firstRow += 1
            }
            sum += Self.rowSimilarity(rows, around: row - firstRow, width)
        }
        return sum / Double(width * height)
    }

    /// Returns the luma of both images (BT.601) and their products.
    private func lumas(_ first: PixelBuffer, _ second: PixelBuffer, row: Int) -> Row {
        let (left, right) = (luma(first, row), luma(second, row))
        return left.indices.map {
            SIMD8(left[$0], right[$0], left[$0] * left[$0], right[$0] * right[$0], left[$0] * right[$0], 0, 0, 0)
        }
    }

    /// Pixels are premultiplied, so the background adds to each channel what alpha leaves of it.
    private func luma(_ pixels: PixelBuffer, _ row: Int) -> [Float] {
        pixels.withUnsafeBytes { bytes in
            (0..<pixels.size.width).map { column in
                let start = row * pixels.bytesPerRow + column * 4
                let color =
                    0.299 * Float(bytes[start]) + 0.587 * Float(bytes[start + 1]) + 0.114 * Float(bytes[start + 2])
                return color + background.rawValue * (255 - Float(bytes[start + 3]))
            }
        }
    }

    /// Filters a row horizontally.
    private static func filtered(_ row: Row) -> Row {
        row.indices.map { column in weighted(around: column, count: row.count) { row[$0] } }
    }

    /// Returns the weighted mean of the values within the window.
    private static func weighted(around center: Int, count: Int, _ value: (Int) -> SIMD8<Float>) -> SIMD8<Float> {
        var (sum, weight) = (SIMD8<Float>.zero, Float(0))
        for position in max(0, center - radius)...min(count - 1, center + radius) {
            let factor = weights[position - center + radius]
            sum += value(position) * factor
            weight += factor
        }
        return sum / weight
    }

    private static func rowSimilarity(_ rows: [Row], around center: Int, _ width: Int) -> Double {
        (0..<width).reduce(0.0) { sum, column in
            sum + Double(similarity(weighted(around: center, count: rows.count) { rows[$0][column] }))
        }
    }

    /// The similarity in one window with the given means.
    private static func similarity(_ means: SIMD8<Float>) -> Float {
        let (x, y) = (means[0], means[1])
        let (varianceX, varianceY, covariance) = (means[2] - x * x, means[3] - y * y, means[4] - x * y)
        return (2 * x * y + luminanceConstant) * (2 * covariance + contrastConstant)
            / ((x * x + y * y + luminanceConstant) * (varianceX + varianceY + contrastConstant))
    }
}
