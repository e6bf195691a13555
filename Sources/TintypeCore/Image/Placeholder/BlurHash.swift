/// An image as 6 to 166 characters, for a blurred placeholder (github.com/woltapp/blurhash, Algorithm.md).
public struct BlurHash: Hashable, Sendable {
    /// The hash in base 83, as it is stored and sent.
    public let text: String
    /// The number of horizontal and vertical cosine components, 1 to 9 each.
    package let waves: PixelSize
    /// The mean colour in linear light, then the factors of the other components, row by row.
    private let factors: [SIMD3<Double>]

    /// Computes the hash of an image, on a copy of at most 64×64 pixels over a white background.
    ///
    /// - Parameters:
    ///   - pixels: The image.
    ///   - waves: The number of horizontal and vertical components. More components show more detail. Each number is
    ///     clamped to 1...9.
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    public init(
        _ pixels: PixelBuffer, waves: PixelSize = PixelSize(width: 4, height: 3)
    ) throws(TintypeError) {
        let waves = PixelSize(width: min(max(waves.width, 1), 9), height: min(max(waves.height, 1), 9))
        let factors = Self.factors(try StraightPixels(pixels, atMost: 64), waves)
        self.init(verbatim: Self.text(factors, waves), waves)
    }

    /// Creates a hash from its text; `nil` if the text is not a complete hash.
    public init?(text: String) {
        let digits = text.utf8.compactMap(Base83.value)
        guard digits.count == text.utf8.count, let first = digits.first, first < 81 else { return nil }
        let waves = PixelSize(width: first % 9 + 1, height: first / 9 + 1)
        guard digits.count == 4 + 2 * waves.area else { return nil }
        self.text = text
        self.waves = waves
        factors = Self.factors(digits, waves.area)
    }

    private init(verbatim text: String, _ waves: PixelSize) {
        self.text = text
        self.waves = waves
        factors = Self.factors(text.utf8.compactMap(Base83.value), waves.area)
    }
}

// MARK: - Decoding

extension BlurHash {
    /// Returns the placeholder. Small sizes suffice, because a placeholder is enlarged for display.
    ///
    /// - Parameters:
    ///   - size: In pixels.
    ///   - punch: The contrast; 1 is the contrast of the image.
    /// - Throws: ``TintypeError/Code/transformFailed`` for an invalid size or contrast,
    ///   ``TintypeError/Code/limitExceeded``, ``TintypeError/Code/outOfMemory``.
    /// - Complexity: O(pixels × components).
    public func pixels(
        size: PixelSize = PixelSize(width: 32, height: 32), punch: Double = 1
    ) throws(TintypeError) -> PixelBuffer {
        let size = try size.checkedForTransform()
        let punch = try punch.checkedForTransform("punch")
        let across = Cosines(waves.width, length: size.width, offset: 0)
        let down = Cosines(waves.height, length: size.height, offset: 0)
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        writer.withRows { rows in
            for y in 0..<size.height {
                for x in 0..<size.width {
                    let pixel = color(x, y, across, down, punch)
                    rows.storeBytes(of: pixel, toByteOffset: y * stride + x * PixelBuffer.bytesPerPixel, as: Pixel.self)
                }
            }
        }
        return writer.finish()
    }

    private func color(_ x: Int, _ y: Int, _ across: Cosines, _ down: Cosines, _ punch: Double) -> Pixel {
        var sum = factors[0]
        for index in 1..<max(1, factors.count) {
            let wave = across[index % waves.width, x] * down[index / waves.width, y]
            sum += factors[index] * (wave * punch)
        }
        return Pixel(
            red: LinearLight.encode(sum.x), green: LinearLight.encode(sum.y), blue: LinearLight.encode(sum.z))
    }

    private static func factors(_ digits: [Int], _ count: Int) -> [SIMD3<Double>] {
        let mean = digits[2..<6].reduce(0) { $0 * 83 + $1 }
        let largest = Double(digits[1] + 1) / 166
        let first = SIMD3(
            LinearLight.decode(mean >> 16 & 255), LinearLight.decode(mean >> 8 & 255), LinearLight.decode(mean & 255))
        return [first]
            + (1..<max(1, count)).map { index in
                let value = digits[4 + 2 * index] * 83 + digits[5 + 2 * index]
                func part(_ step: Int) -> Double {
                    let signed = (Double(step) - 9) / 9
                    return (signed < 0 ? -1 : 1) * signed * signed * largest
                }
                return SIMD3(part(value / 361), part(value / 19 % 19), part(value % 19))
            }
    }
}

// MARK: - Encoding

extension BlurHash {
    private static func factors(_ pixels: StraightPixels, _ waves: PixelSize) -> [SIMD3<Double>] {
        let across = Cosines(waves.width, length: pixels.size.width, offset: 0)
        let down = Cosines(waves.height, length: pixels.size.height, offset: 0)
        let linear = pixels.channels.map { channels in
            let onWhite = (0..<3).map { channels[$0] * channels[3] + 1 - channels[3] }.map(SRGBCurve.light(of:))
            return SIMD3(onWhite[0], onWhite[1], onWhite[2])
        }
        return (0..<waves.area).map { index in
            var sum = SIMD3<Double>()
            for (place, color) in linear.enumerated() {
                let (x, y) = (place % pixels.size.width, place / pixels.size.width)
                sum += color * (across[index % waves.width, x] * down[index / waves.width, y])
            }
            return sum * ((index == 0 ? 1 : 2) / Double(pixels.size.area))
        }
    }

    private static func text(_ factors: [SIMD3<Double>], _ waves: PixelSize) -> String {
        let largest = factors.dropFirst().flatMap { [abs($0.x), abs($0.y), abs($0.z)] }.max()
        let step = largest.map { min(max(Int(($0 * 166 - 0.5).rounded(.down)), 0), 82) } ?? 0
        let scale = largest == nil ? 1 : Double(step + 1) / 166
        func part(_ value: Double) -> Int {
            let root = (abs(value) / scale).squareRoot() * (value < 0 ? -1 : 1)
            return min(max(Int((root * 9 + 9.5).rounded(.down)), 0), 18)
        }
        let mean = [factors[0].x, factors[0].y, factors[0].z].reduce(0) { $0 << 8 | Int(LinearLight.encode($1)) }
        let rest = factors.dropFirst().map {
            Base83.text((part($0.x) * 19 + part($0.y)) * 19 + part($0.z), digits: 2)
        }
        let head = Base83.text(waves.width - 1 + (waves.height - 1) * 9, digits: 1) + Base83.text(step, digits: 1)
        return head + Base83.text(mean, digits: 4) + rest.joined()
    }
}

// MARK: - Parts of the format

/// Numbers in base 83, with the digits of a ``BlurHash``.
private enum Base83 {
    private static let characters = Array(
        "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~".utf8)

    private static let values: [Int?] = {
        var values = [Int?](repeating: nil, count: 256)
        for (value, character) in characters.enumerated() { values[Int(character)] = value }
        return values
    }()

    static func value(_ character: UInt8) -> Int? { values[Int(character)] }

    static func text(_ value: Int, digits: Int) -> String {
        var (rest, text) = (value, [UInt8]())
        for _ in 0..<digits {
            text.append(characters[rest % 83])
            rest /= 83
        }
        return String(decoding: text.reversed(), as: UTF8.self)
    }
}

/// Converts between 8-bit sRGB and linear light.
private enum LinearLight {
    /// Returns the linear light of an sRGB channel from 0 to 255.
    static func decode(_ value: Int) -> Double { SRGBCurve.light(of: Double(value) / 255) }

    /// Returns the 8-bit sRGB channel of linear light, clamped to 0 to 1.
    static func encode(_ light: Double) -> UInt8 {
        UInt8(SRGBCurve.channel(of: min(max(light, 0), 1)) * 255 + 0.5)
    }
}
