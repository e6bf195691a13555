import TintypeCore

/// Converts luma and chroma to 16-bit RGBA (ITU-T H.273, 8.3).
struct HEVCColors {
    private let luma: HEVCImage.Plane
    private let cb: HEVCImage.Plane
    private let cr: HEVCImage.Plane
    private let crop: PixelRect
    private let chromaScale: (across: Int, down: Int)
    /// The offset that is subtracted from a sample, and the extent by which the difference is divided.
    private let lumaRange: (offset: Float, extent: Float)
    private let chromaRange: (offset: Float, extent: Float)
    /// The weights of red and blue in luma; `nil` if the planes hold green, blue and red.
    private let weights: (red: Float, blue: Float)?

    /// Creates a converter for one image.
    ///
    /// - Parameters:
    ///   - crop: The part that is converted.
    ///   - matrix: The matrix coefficients of ITU-T H.273, table 4. 0 means that the planes are green, blue and red.
    ///   - isFullRange: Whether samples use all values instead of the limited video range.
    /// - Returns: `nil` if the image lacks a plane.
    init?(_ image: HEVCImage, _ crop: PixelRect, matrix: Int, isFullRange: Bool) {
        guard let luma = image.plane(0) else { return nil }
        let chroma = image.isGrey ? (luma, luma) : (image.plane(1), image.plane(2))
        guard let cb = chroma.0, let cr = chroma.1 else { return nil }
        (self.luma, self.cb, self.cr, self.crop, chromaScale) = (luma, cb, cr, crop, image.chromaScale)
        let isRGB = matrix == 0 && !image.isGrey
        weights = isRGB ? nil : Self.weights(matrix)
        lumaRange = Self.lumaRange(luma.depth, isFullRange)
        if image.isGrey {
            chromaRange = (0, .infinity)
        } else {
            chromaRange =
                isRGB ? Self.lumaRange(cb.depth, isFullRange) : Self.chromaRange(cb.depth, isFullRange)
        }
    }

    private static func weights(_ matrix: Int) -> (red: Float, blue: Float) {
        switch matrix {
        case 1: (0.2126, 0.0722)
        case 4: (0.30, 0.11)
        case 7: (0.212, 0.087)
        case 9, 10: (0.2627, 0.0593)
        // BT.601, which is also the default of unspecified streams.
        default: (0.299, 0.114)
        }
    }

    private static func lumaRange(_ depth: Int, _ isFull: Bool) -> (offset: Float, extent: Float) {
        let unit = Float(1 << (depth - 8))
        return isFull ? (0, Float(1 << depth - 1)) : (16 * unit, 219 * unit)
    }

    private static func chromaRange(_ depth: Int, _ isFull: Bool) -> (offset: Float, extent: Float) {
        let unit = Float(1 << (depth - 8))
        return (128 * unit, isFull ? Float(1 << depth - 1) : 224 * unit)
    }

    /// Writes row `y` of the part to `words` as opaque RGBA pixels, four words a pixel.
    func readRow(_ y: Int, into words: UnsafeMutableBufferPointer<UInt16>) {
        for x in 0..<words.count / 4 {
            let color = color(crop.x + x, crop.y + y)
            for channel in 0..<3 {
                words[4 * x + channel] = UInt16(min(max(color[channel], 0), 1) * 65535 + 0.5)
            }
            words[4 * x + 3] = 65535
        }
    }

    private func color(_ x: Int, _ y: Int) -> SIMD3<Float> {
        let (across, down) = chromaScale
        let light = (Float(luma.sample(x, y, across: 1, down: 1)) - lumaRange.offset) / lumaRange.extent
        let blue = (Float(cb.sample(x, y, across: across, down: down)) - chromaRange.offset) / chromaRange.extent
        let red = (Float(cr.sample(x, y, across: across, down: down)) - chromaRange.offset) / chromaRange.extent
        guard let weights else { return SIMD3(red, light, blue) }
        let green = 1 - weights.red - weights.blue
        let (r, b) = (light + 2 * (1 - weights.red) * red, light + 2 * (1 - weights.blue) * blue)
        return SIMD3(r, (light - weights.red * r - weights.blue * b) / green, b)
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
                let sample = min(UInt32(plane.sample(crop.x + x, crop.y + y, across: 1, down: 1)), maximum)
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
