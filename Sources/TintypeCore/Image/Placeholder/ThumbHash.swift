/// An image as about 25 bytes, for a placeholder with its aspect ratio and transparency (github.com/evanw/thumbhash).
public struct ThumbHash: Hashable, Sendable {
    /// The hash as it is stored and sent.
    public let bytes: [UInt8]

    /// Computes the hash of an image, on a copy of at most 100×100 pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public init(_ pixels: PixelBuffer) throws(TintypeError) {
        bytes = ThumbHashEncoder(try StraightPixels(pixels, atMost: 100)).bytes
    }

    /// Creates a hash from its bytes; `nil` if they are not a complete hash.
    public init?(bytes: [UInt8]) {
        guard bytes.count >= 5, bytes.count >= ThumbHashHeader(bytes).byteCount else { return nil }
        self.bytes = bytes
    }

    /// The approximate width of the image divided by its height.
    public var aspectRatio: Double {
        let waves = ThumbHashHeader(bytes).storedWaves
        return Double(waves.width) / Double(waves.height)
    }

    /// Whether any pixel may be transparent.
    package var hasAlpha: Bool { ThumbHashHeader(bytes).hasAlpha }

    /// Returns the placeholder, whose longer side has 32 pixels.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public func pixels() throws(TintypeError) -> PixelBuffer {
        try ThumbHashDecoder(bytes).pixels(aspectRatio: aspectRatio)
    }
}

/// Decodes a ``ThumbHash`` into pixels.
struct ThumbHashDecoder {
    private typealias Wave = (across: Int, down: Int, weight: Double)

    private let means: SIMD4<Double>
    /// The cosine components of each channel: luminance, yellow–blue, red–green, alpha.
    private let channels: [[Wave]]

    /// - Parameter bytes: A complete hash.
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

/// The first bytes of a ``ThumbHash``.
struct ThumbHashHeader {
    private let first: Int
    private let second: Int
    private let alpha: Int

    /// - Parameter bytes: A hash of at least five bytes.
    init(_ bytes: [UInt8]) {
        first = Int(bytes[0]) | Int(bytes[1]) << 8 | Int(bytes[2]) << 16
        second = Int(bytes[3]) | Int(bytes[4]) << 8
        alpha = bytes.count > 5 ? Int(bytes[5]) : 0
    }

    var hasAlpha: Bool { first >> 23 != 0 }
    private var isLandscape: Bool { second >> 15 != 0 }

    /// The number of luminance components as stored, at least one each.
    var storedWaves: PixelSize {
        let (long, short) = (hasAlpha ? 5 : 7, max(1, second & 7))
        return isLandscape ? PixelSize(width: long, height: short) : PixelSize(width: short, height: long)
    }

    /// The number of luminance components that the hash contains.
    var waves: PixelSize {
        PixelSize(width: max(3, storedWaves.width), height: max(3, storedWaves.height))
    }

    /// The means of luminance, yellow–blue, red–green and alpha.
    var means: SIMD4<Double> {
        SIMD4(
            Double(first & 63) / 63, Double(first >> 6 & 63) / 31.5 - 1, Double(first >> 12 & 63) / 31.5 - 1,
            hasAlpha ? Double(alpha & 15) / 15 : 1)
    }

    /// The amplitude of each channel around its mean. The reference decoder boosts colour by 1.25.
    var scales: SIMD4<Double> {
        SIMD4(
            Double(first >> 18 & 31) / 31, Double(second >> 3 & 63) / 63 * 1.25, Double(second >> 9 & 63) / 63 * 1.25,
            Double(alpha >> 4) / 15)
    }

    /// The index of the byte at which the components begin; they have four bits each.
    var waveOffset: Int { hasAlpha ? 6 : 5 }

    /// The number of bytes of the complete hash.
    var byteCount: Int {
        let count =
            ThumbHashWaves.count(waves) + 2 * ThumbHashWaves.count(ThumbHashWaves.color)
            + (hasAlpha ? ThumbHashWaves.count(ThumbHashWaves.alpha) : 0)
        return waveOffset + (count + 1) / 2
    }
}

/// The cosine components of a channel that a ``ThumbHash`` stores: those below the diagonal, without the constant one.
enum ThumbHashWaves {
    static let color = PixelSize(width: 3, height: 3)
    static let alpha = PixelSize(width: 5, height: 5)

    /// Returns the horizontal and vertical index of each component, in stored order.
    static func all(_ waves: PixelSize) -> [(across: Int, down: Int)] {
        (0..<waves.height).flatMap { down in
            ((down == 0 ? 1 : 0)..<waves.width)
                .filter { $0 * waves.height < waves.width * (waves.height - down) }
                .map { ($0, down) }
        }
    }

    static func count(_ waves: PixelSize) -> Int { all(waves).count }
}
