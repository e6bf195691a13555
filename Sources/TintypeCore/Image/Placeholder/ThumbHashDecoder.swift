/// Makes pixels of a ``ThumbHash``.
struct ThumbHashDecoder {
    private typealias Wave = (across: Int, down: Int, weight: Double)

    private let means: SIMD4<Double>
    /// Brightness, yellow against blue, red against green, alpha.
    private let channels: [[Wave]]

    /// - Parameter bytes: a whole hash.
    init(_ bytes: [UInt8]) {
        let header = ThumbHashHeader(bytes)
        means = header.means
        var nibble = 2 * header.waveOffset
        let shapes = [header.waves, ThumbHashWaves.color, ThumbHashWaves.color]
        channels = (shapes + (header.hasAlpha ? [ThumbHashWaves.alpha] : [])).enumerated().map { channel, shape in
            ThumbHashWaves.all(shape).map { across, down in
                let step = bytes[nibble / 2] >> (nibble % 2 * 4) & 15
                nibble += 1
                return (across, down, (Double(step) / 7.5 - 1) * header.scales[channel])
            }
        }
    }

    func pixels(aspectRatio: Double) throws(TintypeError) -> PixelBuffer {
        let size = PixelSize(
            width: max(1, Int((aspectRatio > 1 ? 32 : 32 * aspectRatio).rounded())),
            height: max(1, Int((aspectRatio > 1 ? 32 / aspectRatio : 32).rounded())))
        let across = Cosines(8, length: size.width, offset: 0.5)
        let down = Cosines(8, length: size.height, offset: 0.5)
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        writer.withRows { rows in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let pixel = color(x, y, across, down).pixel
                    rows.storeBytes(of: pixel, toByteOffset: y * stride + x * PixelBuffer.bytesPerPixel, as: Pixel.self)
                }
            }
        }
        return writer.finish()
    }

    private func color(_ x: Int, _ y: Int, _ across: Cosines, _ down: Cosines) -> Color {
        var value = means
        for (channel, waves) in channels.enumerated() {
            for wave in waves {
                value[channel] += wave.weight * across[wave.across, x] * down[wave.down, y] * 2
            }
        }
        let blue = value.x - 2.0 / 3 * value.y
        let red = (3 * value.x - blue + value.z) / 2
        func channel(_ value: Double) -> UInt8 { UInt8(min(max(value, 0), 1) * 255) }
        return Color(red: channel(red), green: channel(red - value.z), blue: channel(blue), alpha: channel(value.w))
    }
}
