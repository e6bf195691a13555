import Foundation
import Tintype

/// How much two images of one size differ, over premultiplied 8-bit sRGB.
struct ImageComparison: Equatable, Sendable {
    /// The mean squared error of the colour channels, and of alpha if an image is transparent; 0–65025.
    let meanSquaredError: Double
    /// The largest difference of a channel, 0–255.
    let maximumDifference: Int
    /// The number of pixels that differ.
    let differingPixels: Int
    /// The structural similarity of the luma, at most 1 (Wang et al. 2004, with their window and constants). If an
    /// image is transparent, the lower of those on a white and on a black background: on one of them, different alpha
    /// is visible.
    let structuralSimilarity: Double

    /// - Parameter check: Called for each row; its error ends the comparison.
    /// - Throws: `TintypeError.Code.transformFailed` if the sizes differ; the error of `check`.
    init(
        _ first: PixelBuffer, _ second: PixelBuffer, check: () throws(TintypeError) -> Void = {}
    ) throws(TintypeError) {
        guard first.size == second.size else {
            throw TintypeError(
                .transformFailed, stage: .transform,
                "only images of the same size can be compared, got \(first.size) and \(second.size)")
        }
        let channels = first.isOpaque && second.isOpaque ? 3 : 4
        var (sum, largest, count) = (0.0, 0, 0)
        Self.forEachRow(first, second) { first, second in
            var rowSum = 0
            for pixel in stride(from: 0, to: first.count, by: 4) {
                var worst = 0
                for channel in pixel..<pixel + channels {
                    let difference = abs(Int(first[channel]) - Int(second[channel]))
                    worst = max(worst, difference)
                    rowSum += difference * difference
                }
                largest = max(largest, worst)
                if worst > 0 { count += 1 }
            }
            sum += Double(rowSum)
        }
        meanSquaredError = sum / Double(first.size.area * channels)
        (maximumDifference, differingPixels) = (largest, count)
        let backgrounds: [SimilarityWindow.Background] = channels == 3 ? [.black] : [.black, .white]
        var similarity = 1.0
        for background in backgrounds where count > 0 {
            similarity = min(similarity, try SimilarityWindow(background).similarity(of: first, second, check: check))
        }
        structuralSimilarity = similarity
    }

    /// The peak signal-to-noise ratio in decibels; `nil`, which stands for infinity, for equal images.
    var peakSignalToNoiseRatio: Double? {
        meanSquaredError == 0 ? nil : 10 * log10(255 * 255 / meanSquaredError)
    }

    /// The structural dissimilarity, 0 for equal images.
    var structuralDissimilarity: Double { (1 - structuralSimilarity) / 2 }

    /// Returns an opaque image whose channels are the differences of two images of one size, or those of alpha if these
    /// are larger.
    static func differenceImage(_ first: PixelBuffer, _ second: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: first.size)
        var row = 0
        let stride = writer.bytesPerRow
        writer.clear()
        writer.withRows(from: 0) { rows in
            forEachRow(first, second) { first, second in
                let start = row * stride
                for byte in 0..<first.count {
                    let difference = abs(Int(first[byte]) - Int(second[byte]))
                    let alpha = abs(Int(first[byte | 3]) - Int(second[byte | 3]))
                    rows[start + byte] = byte % 4 == 3 ? 255 : UInt8(max(difference, alpha))
                }
                row += 1
            }
        }
        return writer.finish()
    }

    private static func forEachRow(
        _ first: PixelBuffer, _ second: PixelBuffer,
        _ body: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> Void
    ) {
        first.withUnsafeBytes { firstBytes in
            second.withUnsafeBytes { secondBytes in
                let count = first.size.width * 4
                for row in 0..<first.size.height {
                    let firstRow = firstBytes[(row * first.bytesPerRow)...].prefix(count)
                    let secondRow = secondBytes[(row * second.bytesPerRow)...].prefix(count)
                    UnsafeRawBufferPointer(rebasing: firstRow).withMemoryRebound(to: UInt8.self) { firstRow in
                        UnsafeRawBufferPointer(rebasing: secondRow).withMemoryRebound(to: UInt8.self) { secondRow in
                            body(firstRow, secondRow)
                        }
                    }
                }
            }
        }
    }
}
