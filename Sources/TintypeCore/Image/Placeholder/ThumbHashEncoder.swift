/// Encodes pixels as a ``ThumbHash``.
struct ThumbHashEncoder {
    /// The cosine components of a channel: its mean, the others scaled to 0 to 1, and their scale.
    private struct Channel {
        var mean: Double
        var scale: Double
        var weights: [Double]
    }

    let bytes: [UInt8]

    init(_ pixels: StraightPixels) {
        let values = Self.values(pixels)
        let hasAlpha = pixels.channels.contains { $0.w < 1 }
        let waves = Self.waves(pixels.size, hasAlpha)
        let shapes = [Self.atLeastThree(waves), ThumbHashWaves.color, ThumbHashWaves.color]
        let channels = (shapes + (hasAlpha ? [ThumbHashWaves.alpha] : [])).enumerated().map { index, shape in
            Self.channel(values.map { $0[index] }, pixels.size, shape)
        }
        let isLandscape = pixels.size.width > pixels.size.height
        bytes =
            Self.header(channels, isLandscape, isLandscape ? waves.height : waves.width)
            + Self.packed(channels.flatMap(\.weights))
    }

    /// Returns the number of luminance components; there are fewer if alpha needs room.
    private static func waves(_ size: PixelSize, _ hasAlpha: Bool) -> PixelSize {
        let most = hasAlpha ? 5.0 : 7
        let longer = Double(max(size.width, size.height))
        func count(_ side: Int) -> Int { max(1, Int((most * Double(side) / longer).rounded())) }
        return PixelSize(width: count(size.width), height: count(size.height))
    }

    private static func atLeastThree(_ waves: PixelSize) -> PixelSize {
        PixelSize(width: max(3, waves.width), height: max(3, waves.height))
    }

    /// Returns luminance, yellow–blue, red–green and alpha of each pixel, over the mean colour of the image.
    private static func values(_ pixels: StraightPixels) -> [SIMD4<Double>] {
        var (sum, alpha) = (SIMD4<Double>(), 0.0)
        for color in pixels.channels {
            sum += color * color.w
            alpha += color.w
        }
        let mean = alpha > 0 ? sum / alpha : sum
        return pixels.channels.map { color in
            let shown = mean * (1 - color.w) + color * color.w
            return SIMD4(
                (shown.x + shown.y + shown.z) / 3, (shown.x + shown.y) / 2 - shown.z, shown.x - shown.y, color.w)
        }
    }

    private static func channel(_ values: [Double], _ size: PixelSize, _ shape: PixelSize) -> Channel {
        let across = Cosines(shape.width, length: size.width, offset: 0.5)
        let down = Cosines(shape.height, length: size.height, offset: 0.5)
        func factor(_ wave: (across: Int, down: Int)) -> Double {
            var sum = 0.0
            for (place, value) in values.enumerated() {
                sum += value * across[wave.across, place % size.width] * down[wave.down, place / size.width]
            }
            return sum / Double(values.count)
        }
        let weights = ThumbHashWaves.all(shape).map(factor)
        let scale = weights.reduce(0) { max($0, abs($1)) }
        return Channel(
            mean: factor((0, 0)), scale: scale,
            weights: scale > 0 ? weights.map { 0.5 + 0.5 / scale * $0 } : weights)
    }

    private static func header(_ channels: [Channel], _ isLandscape: Bool, _ shorter: Int) -> [UInt8] {
        let hasAlpha = channels.count > 3
        let first =
            step(channels[0].mean, 63) | step(0.5 + 0.5 * channels[1].mean, 63) << 6
            | step(0.5 + 0.5 * channels[2].mean, 63) << 12 | step(channels[0].scale, 31) << 18
            | (hasAlpha ? 1 << 23 : 0)
        let second =
            shorter | step(channels[1].scale, 63) << 3 | step(channels[2].scale, 63) << 9 | (isLandscape ? 1 << 15 : 0)
        let alpha = hasAlpha ? [step(channels[3].mean, 15) | step(channels[3].scale, 15) << 4] : []
        return ([first & 255, first >> 8 & 255, first >> 16, second & 255, second >> 8] + alpha).map {
            UInt8(truncatingIfNeeded: $0)
        }
    }

    /// Returns the components with four bits each, low half first.
    private static func packed(_ weights: [Double]) -> [UInt8] {
        let steps = weights.map { UInt8(step($0, 15)) }
        return stride(from: 0, to: steps.count, by: 2).map {
            steps[$0] | ($0 + 1 < steps.count ? steps[$0 + 1] << 4 : 0)
        }
    }

    /// Returns `value` times `most`, rounded and clamped to 0 to `most`.
    private static func step(_ value: Double, _ most: Double) -> Int {
        Int(min(max((value * most).rounded(), 0), most))
    }
}
