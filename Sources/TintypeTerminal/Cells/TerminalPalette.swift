import TintypeCore

/// The colours that a terminal can show, and the nearest of them.
struct TerminalPalette: Sendable {
    private let depth: ColorDepth
    private let pattern: DitherPattern

    init(_ depth: ColorDepth) {
        self.depth = depth
        // About the distance between two of 16 colours.
        pattern = DitherPattern(amplitude: depth == .palette256 ? Int32(Self.thresholdCount) : 96)
    }

    /// Returns the nearest colour to an opaque pixel.
    ///
    /// - Parameters:
    ///   - word: The pixel; red is the lowest byte.
    ///   - x: The column of the pixel, which selects its value in the dither pattern.
    ///   - y: The row of the pixel.
    func color(_ word: UInt32, x: Int, y: Int) -> CellColor {
        switch depth {
        case .none: return .standard
        case .trueColor: return .rgb(Self.byte(word), Self.byte(word >> 8), Self.byte(word >> 16))
        case .palette256: return .indexed(color256(Self.channels(word), x: x, y: y))
        case .ansi16: return .indexed(Self.nearest16(Self.channels(pattern.adjusted(word, x: x, y: y))))
        }
    }

    private static func byte(_ word: UInt32) -> UInt8 { UInt8(truncatingIfNeeded: word) }

    private static func channels(_ word: UInt32) -> SIMD3<Int> {
        SIMD3(Int(word & 255), Int(word >> 8 & 255), Int(word >> 16 & 255))
    }

    // MARK: 256 colours

    /// The levels of the colour cube, which begins at index 16. The first 16 colours are left out, because users change
    /// them.
    private static let cubeLevels = [0, 95, 135, 175, 215, 255]
    /// The greys, which begin at index 232, with the black and the white of the cube.
    private static let greyLevels = [0] + (0..<24).map { 8 + 10 * $0 } + [255]
    /// A pixel whose channels differ by no more is shown as a grey.
    private static let largestGreyDifference = 10

    /// Returns one of the two nearest levels of each channel, by the value of the pattern, so that the mean of a
    /// surface is its colour.
    private func color256(_ color: SIMD3<Int>, x: Int, y: Int) -> UInt8 {
        let threshold = Int(pattern.offset(x: x, y: y)) + Self.thresholdCount / 2
        guard color.max() - color.min() > Self.largestGreyDifference else {
            let step = Self.step(color.y, Self.greyLevels, threshold)
            return step == 0 ? 16 : step == Self.greyLevels.count - 1 ? 231 : UInt8(231 + step)
        }
        let (red, green, blue) = (
            Self.step(color.x, Self.cubeLevels, threshold), Self.step(color.y, Self.cubeLevels, threshold),
            Self.step(color.z, Self.cubeLevels, threshold)
        )
        return UInt8(16 + 36 * red + 6 * green + blue)
    }

    private static let thresholdCount = 128

    /// Returns the index of the level below or above a channel. The threshold of the dither pattern decides between the
    /// two.
    private static func step(_ channel: Int, _ levels: [Int], _ threshold: Int) -> Int {
        let above = levels.firstIndex { $0 >= channel } ?? levels.count - 1
        guard above > 0, levels[above] > channel else { return above }
        let (low, high) = (levels[above - 1], levels[above])
        return (channel - low) * thresholdCount > threshold * (high - low) ? above : above - 1
    }

    // MARK: 16 colours

    /// The colours of xterm, in the order of their numbers. A theme may differ.
    private static let ansi: [SIMD3<Int>] = [
        SIMD3(0, 0, 0), SIMD3(205, 0, 0), SIMD3(0, 205, 0), SIMD3(205, 205, 0), SIMD3(0, 0, 238), SIMD3(205, 0, 205),
        SIMD3(0, 205, 205), SIMD3(229, 229, 229), SIMD3(127, 127, 127), SIMD3(255, 0, 0), SIMD3(0, 255, 0),
        SIMD3(255, 255, 0), SIMD3(92, 92, 255), SIMD3(255, 0, 255), SIMD3(0, 255, 255), SIMD3(255, 255, 255),
    ]

    private static func nearest16(_ color: SIMD3<Int>) -> UInt8 {
        var (best, least) = (0, Int.max)
        for (index, entry) in ansi.enumerated() {
            let distance = distance(entry, color)
            if distance < least { (best, least) = (index, distance) }
        }
        return UInt8(best)
    }

    /// The squared distance with the weights of T. Riemersma's *Colour metric*, which come near to what people see: red
    /// counts more in bright red, blue in dark red, green always most.
    private static func distance(_ first: SIMD3<Int>, _ second: SIMD3<Int>) -> Int {
        let red = (first.x + second.x) / 2
        let difference = first &- second
        return (512 + red) * difference.x * difference.x + 1024 * difference.y * difference.y
            + (767 - red) * difference.z * difference.z
    }
}
