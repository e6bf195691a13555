import TintypeCore

/// Makes channels of luma and chroma (ITU-T H.273, 8.3), as 16-bit words.
struct HEVCColors {
    private let luma: HEVCPicture.Plane
    private let blueness: HEVCPicture.Plane
    private let redness: HEVCPicture.Plane
    private let scale: (across: Int, down: Int)
    /// What is taken from a sample, and what it is divided by.
    private let lumaRange: (offset: Float, extent: Float)
    private let chromaRange: (offset: Float, extent: Float)
    /// How much red and blue count for luma; `nil` where the planes are green, blue and red.
    private let weights: (red: Float, blue: Float)?

    /// - Returns: `nil` for a picture without its planes.
    init?(_ picture: HEVCPicture, matrix: Int, isFullRange: Bool) {
        guard let luma = picture.plane(0) else { return nil }
        let chroma = picture.isGrey ? (luma, luma) : (picture.plane(1), picture.plane(2))
        guard let blueness = chroma.0, let redness = chroma.1 else { return nil }
        (self.luma, self.blueness, self.redness, scale) = (luma, blueness, redness, picture.chromaScale)
        let isPlain = matrix == 0 && !picture.isGrey
        weights = isPlain ? nil : Self.weights(matrix)
        lumaRange = Self.lumaRange(luma.depth, isFullRange)
        if picture.isGrey {
            chromaRange = (0, .infinity)
        } else {
            chromaRange =
                isPlain ? Self.lumaRange(blueness.depth, isFullRange) : Self.chromaRange(blueness.depth, isFullRange)
        }
    }

    private static func weights(_ matrix: Int) -> (red: Float, blue: Float) {
        switch matrix {
        case 1: (0.2126, 0.0722)
        case 4: (0.30, 0.11)
        case 7: (0.212, 0.087)
        case 9, 10: (0.2627, 0.0593)
        // BT.601, and what is meant where nothing is said.
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

    /// Writes a row of opaque pixels.
    func read(_ y: Int, _ words: UnsafeMutableBufferPointer<UInt16>) {
        for x in 0..<words.count / 4 {
            let color = color(x, y)
            for channel in 0..<3 {
                words[4 * x + channel] = UInt16(min(max(color[channel], 0), 1) * 65535 + 0.5)
            }
            words[4 * x + 3] = 65535
        }
    }

    private func color(_ x: Int, _ y: Int) -> SIMD3<Float> {
        let light = (Float(luma.sample(x, y, 1, 1)) - lumaRange.offset) / lumaRange.extent
        let blue = (Float(blueness.sample(x, y, scale.across, scale.down)) - chromaRange.offset) / chromaRange.extent
        let red = (Float(redness.sample(x, y, scale.across, scale.down)) - chromaRange.offset) / chromaRange.extent
        guard let weights else { return SIMD3(red, light, blue) }
        let green = 1 - weights.red - weights.blue
        let (r, b) = (light + 2 * (1 - weights.red) * red, light + 2 * (1 - weights.blue) * blue)
        return SIMD3(r, (light - weights.red * r - weights.blue * b) / green, b)
    }
}

/// The alpha of one picture of a sequence: luma, of which the most is opaque (ISO/IEC 23008-12, 7.5.3.2).
struct HEVCAlpha {
    private let width: Int
    /// From 0 to 65535, row by row.
    private let samples: [UInt16]

    /// - Returns: `nil` for a picture without its plane.
    init?(_ picture: HEVCPicture) {
        guard let plane = picture.plane(0) else { return nil }
        width = plane.size.width
        let most = UInt32(1) << UInt32(plane.depth) - 1
        var samples: [UInt16] = []
        samples.reserveCapacity(plane.size.area)
        for y in 0..<plane.size.height {
            for x in 0..<plane.size.width {
                let sample = min(UInt32(plane.sample(x, y, 1, 1)), most)
                samples.append(UInt16((sample * 65535 + most / 2) / most))
            }
        }
        self.samples = samples
    }

    /// Puts a row of it to as many pixels of 16-bit RGBA.
    func write(_ y: Int, _ words: UnsafeMutableBufferPointer<UInt16>) {
        for x in 0..<width { words[4 * x + 3] = samples[y * width + x] }
    }
}
