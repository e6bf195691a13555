import TintypeCore

/// Converts luma and chroma, or green, blue and red, to 16-bit RGBA (ITU-T H.273, 8.3).
struct HEVCColors {
    /// How the planes are read.
    private enum Rows {
        case luma(YCbCrRows)
        /// The factors make 65535 of the largest sample, after an offset.
        case channels([YCbCrRows.Plane], offset: Float, factor: Float)
    }

    private let rows: Rows
    private let crop: PixelRect

    /// Creates a converter for one image.
    ///
    /// - Parameters:
    ///   - crop: The part that is converted, inside of the image.
    ///   - matrix: The matrix coefficients of ITU-T H.273, table 4. 0 means that the planes are green, blue and red.
    ///   - isFullRange: Whether samples use all values instead of the limited video range.
    /// - Returns: `nil` if the image lacks a plane, or its planes do not belong together.
    init?(_ image: HEVCImage, _ crop: PixelRect, matrix: Int, isFullRange: Bool) {
        guard let luma = image.plane(0) else { return nil }
        self.crop = crop
        guard !image.isGrey else {
            guard
                let grey = YCbCrRows(
                    luma: luma, chroma: nil, scale: (1, 1), matrix: matrix, isFullRange: isFullRange)
            else { return nil }
            rows = .luma(grey)
            return
        }
        guard let blue = image.plane(1), let red = image.plane(2) else { return nil }
        guard matrix != 0 else {
            let unit = Float(1 << (luma.depth - 8))
            rows = .channels(
                [red, luma, blue], offset: isFullRange ? 0 : 16 * unit,
                factor: 65535 / (isFullRange ? Float(1 << luma.depth - 1) : 219 * unit))
            return
        }
        guard
            let colors = YCbCrRows(
                luma: luma, chroma: (blue, red), scale: image.chromaScale, matrix: matrix, isFullRange: isFullRange)
        else { return nil }
        rows = .luma(colors)
    }

    /// Writes row `y` of the part to `words` as opaque RGBA pixels, four words a pixel.
    func readRow(_ y: Int, into words: UnsafeMutableBufferPointer<UInt16>) {
        switch rows {
        case .luma(let rows): rows.read(crop.y + y, from: crop.x, into: words)
        case .channels(let planes, let offset, let factor):
            for x in 0..<words.count / 4 {
                for channel in 0..<3 {
                    let light = (Float(planes[channel].sample(crop.x + x, crop.y + y)) - offset) * factor
                    words[4 * x + channel] = UInt16(min(max(light, 0), 65535) + 0.5)
                }
                words[4 * x + 3] = 65535
            }
        }
    }
}

/// The alpha of one frame: the luma of an auxiliary image, whose maximum is opaque (ISO/IEC 23008-12, 7.5.3.2).
struct HEVCAlpha {
    private let width: Int
    /// Row by row, from 0 to 65535.
    private let samples: [UInt16]

    /// - Parameter crop: The part that is converted, inside of the image.
    /// - Returns: `nil` if the image has no luma plane.
    init?(_ image: HEVCImage, _ crop: PixelRect) {
        guard let plane = image.plane(0) else { return nil }
        width = crop.size.width
        let maximum = UInt32(1) << UInt32(plane.depth) - 1
        var samples: [UInt16] = []
        samples.reserveCapacity(crop.size.area)
        for y in 0..<crop.size.height {
            for x in 0..<crop.size.width {
                let sample = min(UInt32(plane.sample(crop.x + x, crop.y + y)), maximum)
                samples.append(UInt16((sample * 65535 + maximum / 2) / maximum))
            }
        }
        self.samples = samples
    }

    /// Writes row `y` to the alpha words of a row of 16-bit RGBA pixels.
    func writeRow(_ y: Int, to words: UnsafeMutableBufferPointer<UInt16>) {
        for x in 0..<width { words[4 * x + 3] = samples[y * width + x] }
    }
}
