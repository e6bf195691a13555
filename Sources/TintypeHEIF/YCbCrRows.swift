import TintypeCore

/// Converts the rows of luma and chroma planes to RGB (ITU-T H.273, 8.3).
///
/// Chroma with fewer samples than luma is interpolated between its samples. Each is taken to lie in the middle of the
/// pixels that it covers: a pixel takes three quarters of the nearest sample and one of the next, in each direction, as
/// in libjpeg-turbo, libavif and swscale by default. A stream that does not say where its samples lie has them at the
/// left pixel (`chroma_sample_loc_type`: ITU-T H.265, E.3.1), but most encoders of stills, libheif among them, average
/// the pixels without saying so.
///
/// Not thread-safe: use it from one thread at a time.
final class YCbCrRows {
    /// The samples of one channel.
    struct Plane {
        let bytes: UnsafeRawPointer
        /// Bytes from one row to the next.
        let stride: Int
        /// Samples a row and rows.
        let size: PixelSize
        /// Bits a sample, 8 to 16. Samples of more than 8 bits take two bytes.
        let depth: Int

        /// Returns a sample; outside of the plane, the nearest one.
        func sample(_ x: Int, _ y: Int) -> Int {
            let row = bytes + min(y, size.height - 1) * stride
            let column = min(x, size.width - 1)
            guard depth > 8 else { return Int(row.load(fromByteOffset: column, as: UInt8.self)) }
            return Int(row.loadUnaligned(fromByteOffset: 2 * column, as: UInt16.self))
        }
    }

    private let luma: Plane
    /// `nil` for an image without chroma.
    private let chroma: (blue: Plane, red: Plane)?
    /// The pixels that one sample of chroma covers.
    private let scale: (across: Int, down: Int)
    private let weights: YCbCrWeights
    /// Samples of chroma in sixteenths, at the pixels of the row.
    private var (blues, reds): ([Int32], [Int32]) = ([], [])
    private var luminance: [Int32] = []
    /// The sums of two rows of chroma, with a sample more at each end.
    private var sums: [Int32] = []

    /// Creates a converter for one image.
    ///
    /// - Parameters:
    ///   - luma: The plane of luma, whose memory must outlive this object, as that of chroma.
    ///   - chroma: The planes of Cb and Cr; `nil` for grey.
    ///   - scale: The pixels that one sample of chroma covers, 1 or 2 in each direction.
    ///   - matrix: The matrix coefficients of ITU-T H.273, table 4.
    ///   - isFullRange: Whether samples use all values instead of the limited video range.
    /// - Returns: `nil` if the planes of chroma have another depth or are too small.
    init?(
        luma: Plane, chroma: (blue: Plane, red: Plane)?, scale: (across: Int, down: Int), matrix: Int, isFullRange: Bool
    ) {
        if let chroma {
            let needed = PixelSize(
                width: (luma.size.width + scale.across - 1) / scale.across,
                height: (luma.size.height + scale.down - 1) / scale.down)
            for plane in [chroma.blue, chroma.red] {
                guard plane.depth == luma.depth, plane.size.width >= needed.width, plane.size.height >= needed.height
                else { return nil }
            }
        }
        (self.luma, self.chroma, self.scale) = (luma, chroma, scale)
        weights = YCbCrWeights(matrix: matrix, isFullRange: isFullRange, depth: luma.depth)
    }

    /// Writes a row of opaque RGBA pixels of 8 bits per channel.
    ///
    /// - Parameter first: The first column.
    func read(_ y: Int, from first: Int, into target: UnsafeMutableBufferPointer<UInt8>) {
        convert(y, from: first, count: target.count / 4, to: .eightBits) { index, color in
            for channel in 0..<4 { target[4 * index + channel] = UInt8(truncatingIfNeeded: color[channel]) }
        }
    }

    /// Writes a row of opaque RGBA pixels of 16 bits per channel.
    ///
    /// - Parameter first: The first column.
    func read(_ y: Int, from first: Int, into target: UnsafeMutableBufferPointer<UInt16>) {
        convert(y, from: first, count: target.count / 4, to: .sixteenBits) { index, color in
            for channel in 0..<4 { target[4 * index + channel] = UInt16(truncatingIfNeeded: color[channel]) }
        }
    }

    @inline(__always)
    private func convert(
        _ y: Int, from first: Int, count: Int, to output: YCbCrWeights.Output,
        _ store: (Int, SIMD4<Int32>) -> Void
    ) {
        fill(&luminance, count) { Self.copy(luma, y, from: first, to: $0) }
        if let chroma {
            interpolate(chroma.blue, y, from: first, count, into: &blues)
            interpolate(chroma.red, y, from: first, count, into: &reds)
        }
        let factors = weights.factors(output)
        luminance.withUnsafeBufferPointer { luminance in
            guard chroma != nil else {
                for x in 0..<count { store(x, factors.grey(luminance[x])) }
                return
            }
            blues.withUnsafeBufferPointer { blues in
                reds.withUnsafeBufferPointer { reds in
                    for x in 0..<count { store(x, factors.color(luminance[x], blues[x], reds[x])) }
                }
            }
        }
    }

    // MARK: Chroma

    /// Writes the samples of chroma at the pixels of a row, in sixteenths.
    private func interpolate(
        _ plane: Plane, _ y: Int, from first: Int, _ count: Int, into target: inout [Int32]
    ) {
        // The samples that the pixels take, with one more at each end.
        let start = first / scale.across - 1
        let length = (first + count - 1) / scale.across - start + 2
        fill(&sums, length) { sums in
            let near = y / scale.down
            let far = scale.down == 1 ? near : min(max(y % 2 == 0 ? near - 1 : near + 1, 0), plane.size.height - 1)
            Self.blend(plane, near, far, from: start, to: sums)
        }
        let isHalved = scale.across == 2
        sums.withUnsafeBufferPointer { sums in
            fill(&target, count) { target in
                guard isHalved else {
                    for x in 0..<count { target[x] = 4 &* sums[x + 1] }
                    return
                }
                for x in 0..<count {
                    let position = (first + x) / 2 - start
                    let next = (first + x) & 1 == 0 ? position - 1 : position + 1
                    target[x] = 3 &* sums[position] &+ sums[next]
                }
            }
        }
    }

    /// Writes three quarters of a row and one quarter of another, in quarters, from a column that may lie outside.
    private static func blend(
        _ plane: Plane, _ near: Int, _ far: Int, from start: Int, to target: UnsafeMutableBufferPointer<Int32>
    ) {
        let last = plane.size.width - 1
        let (upper, lower) = (plane.bytes + near * plane.stride, plane.bytes + far * plane.stride)
        func blend(_ column: (Int) -> Int) {
            guard plane.depth > 8 else {
                let (upper, lower) = (
                    upper.assumingMemoryBound(to: UInt8.self), lower.assumingMemoryBound(to: UInt8.self)
                )
                for index in target.indices {
                    let x = column(index)
                    target[index] = 3 &* Int32(upper[x]) &+ Int32(lower[x])
                }
                return
            }
            for index in target.indices {
                let x = 2 * column(index)
                target[index] =
                    3 &* Int32(upper.loadUnaligned(fromByteOffset: x, as: UInt16.self))
                    &+ Int32(lower.loadUnaligned(fromByteOffset: x, as: UInt16.self))
            }
        }
        blend { min(max(start + $0, 0), last) }
    }

    private static func copy(_ plane: Plane, _ y: Int, from first: Int, to target: UnsafeMutableBufferPointer<Int32>) {
        let row = plane.bytes + y * plane.stride
        guard plane.depth > 8 else {
            let samples = row.assumingMemoryBound(to: UInt8.self) + first
            for x in target.indices { target[x] = Int32(samples[x]) }
            return
        }
        for x in target.indices {
            target[x] = Int32(row.loadUnaligned(fromByteOffset: 2 * (first + x), as: UInt16.self))
        }
    }

    private func fill(_ list: inout [Int32], _ count: Int, _ body: (UnsafeMutableBufferPointer<Int32>) -> Void) {
        if list.count != count { list = [Int32](repeating: 0, count: count) }
        list.withUnsafeMutableBufferPointer { body($0) }
    }
}

/// The equations that make red, green and blue of luma and chroma, in integers.
struct YCbCrWeights {
    /// The samples to write.
    enum Output {
        case eightBits
        case sixteenBits

        var maximum: Int32 { self == .eightBits ? 255 : 65535 }
        /// The bits of a fraction: as many as sums of 32 bits have room for.
        var shift: Int32 { self == .eightBits ? 16 : 12 }
    }

    /// The factors for one output.
    struct Factors {
        let maximum: Int32
        let shift: Int32
        /// Black, and grey in sixteenths.
        let (black, middle): (Int32, Int32)
        let luma: Int32
        let (redOfRed, greenOfBlue, greenOfRed, blueOfBlue): (Int32, Int32, Int32, Int32)

        @inline(__always)
        func color(_ y: Int32, _ blue: Int32, _ red: Int32) -> SIMD4<Int32> {
            let light = (y &- black) &* luma &+ 1 &<< (shift &- 1)
            let (cb, cr) = (blue &- middle, red &- middle)
            return SIMD4(
                clamped((light &+ cr &* redOfRed) &>> shift),
                clamped((light &+ cb &* greenOfBlue &+ cr &* greenOfRed) &>> shift),
                clamped((light &+ cb &* blueOfBlue) &>> shift), maximum)
        }

        @inline(__always)
        func grey(_ y: Int32) -> SIMD4<Int32> {
            let light = clamped(((y &- black) &* luma &+ 1 &<< (shift &- 1)) &>> shift)
            return SIMD4(light, light, light, maximum)
        }

        @inline(__always)
        private func clamped(_ value: Int32) -> Int32 { min(max(value, 0), maximum) }
    }

    /// The weights of red and blue in luma.
    private let (red, blue): (Double, Double)
    private let depth: Int
    private let isFullRange: Bool

    init(matrix: Int, isFullRange: Bool, depth: Int) {
        (red, blue) =
            switch matrix {
            case 1: (0.2126, 0.0722)
            case 4: (0.30, 0.11)
            case 7: (0.212, 0.087)
            case 9, 10: (0.2627, 0.0593)
            // BT.601, which is also the default of unspecified streams.
            default: (0.299, 0.114)
            }
        (self.isFullRange, self.depth) = (isFullRange, depth)
    }

    func factors(_ output: Output) -> Factors {
        let unit = Double(1 << (depth - 8))
        let full = Double(1 << depth - 1)
        let one = Double(output.maximum) * Double(1 << output.shift)
        let chroma = one / (isFullRange ? full : 224 * unit) / 16
        let green = 1 - red - blue
        func rounded(_ value: Double) -> Int32 { Int32(value.rounded()) }
        return Factors(
            maximum: output.maximum, shift: output.shift, black: isFullRange ? 0 : rounded(16 * unit),
            middle: rounded(128 * unit * 16), luma: rounded(one / (isFullRange ? full : 219 * unit)),
            redOfRed: rounded(2 * (1 - red) * chroma), greenOfBlue: rounded(-2 * blue * (1 - blue) / green * chroma),
            greenOfRed: rounded(-2 * red * (1 - red) / green * chroma), blueOfBlue: rounded(2 * (1 - blue) * chroma))
    }
}
