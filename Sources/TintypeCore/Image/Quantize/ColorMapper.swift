/// How the error of a palette is spread over neighbouring pixels.
package enum ColorDithering: Hashable, Sendable {
    /// Each pixel has the nearest colour of the palette.
    case none
    /// The error of each pixel is diffused to its neighbours. A change of one pixel may change all pixels after it.
    case diffused
    /// A fixed pattern of 8 × 8 pixels is added. Equal pixels at one position get equal indices in every frame.
    ///
    /// - Parameter amplitude: The difference between the largest and the smallest value of the pattern.
    case ordered(amplitude: Int32)
}

/// Maps the pixels of an image to the indices of a palette.
package struct ColorMapper: Sendable {
    private let palette: ColorPalette
    private let nearestColor: NearestColor
    /// The index of each colour of an exact palette.
    private let exactIndices: [UInt32: UInt8]
    /// The nearest index for each cell of colours, or `unknown` before its first use.
    private var nearestByCell: [UInt16]

    /// The bits of each channel that select a cell.
    private static let bits = 6
    private static let unknown = UInt16.max

    /// Creates a mapper, which remembers the nearest colours that it has found.
    package init(_ palette: ColorPalette) {
        self.palette = palette
        nearestColor = NearestColor(palette.colors)
        let colors = palette.isExact ? palette.colors : []
        exactIndices = Dictionary(uniqueKeysWithValues: zip(colors, UInt8.min...UInt8.max))
        nearestByCell = palette.isExact ? [] : [UInt16](repeating: Self.unknown, count: 1 << (3 * Self.bits))
    }

    /// Returns an index for each pixel, row by row.
    ///
    /// - Parameters:
    ///   - image: Pixels that are opaque or transparent black.
    ///   - dithering: The treatment of errors. Exact palettes have none.
    package mutating func indices(of image: PixelBuffer, dithering: ColorDithering) -> [UInt8] {
        var indices = [UInt8](repeating: 0, count: image.size.area)
        indices.withUnsafeMutableBufferPointer { target in
            switch palette.isExact ? .none : dithering {
            case .none: map(image, into: target)
            case .diffused: dither(image, into: target)
            case .ordered(let amplitude): map(image, adding: DitherPattern(amplitude: amplitude), into: target)
            }
        }
        return indices
    }

    private var transparentIndex: UInt8 { palette.transparentIndex ?? 0 }

    private mutating func map(_ image: PixelBuffer, into target: UnsafeMutableBufferPointer<UInt8>) {
        for y in 0..<image.size.height {
            image.withWords(y) { row in
                var (last, lastIndex) = (UInt32(0), transparentIndex)
                for x in row.indices {
                    if row[x] != last { (last, lastIndex) = (row[x], index(of: row[x])) }
                    target[y * row.count + x] = lastIndex
                }
            }
        }
    }

    private mutating func map(
        _ image: PixelBuffer, adding pattern: DitherPattern, into target: UnsafeMutableBufferPointer<UInt8>
    ) {
        for y in 0..<image.size.height {
            image.withWords(y) { row in
                for x in row.indices {
                    let word = row[x]
                    target[y * row.count + x] =
                        word == 0 ? transparentIndex : nearestIndex(of: pattern.adjusted(word, x: x, y: y))
                }
            }
        }
    }

    private mutating func index(of word: UInt32) -> UInt8 {
        if word == 0 { return transparentIndex }
        return palette.isExact ? exactIndices[word] ?? 0 : nearestIndex(of: word)
    }

    private mutating func nearestIndex(of word: UInt32) -> UInt8 {
        let drop = UInt32(8 - Self.bits)
        let (red, green, blue) = (word & 255, word >> 8 & 255, word >> 16 & 255)
        let cell = Int(red >> drop) << (2 * Self.bits) | Int(green >> drop) << Self.bits | Int(blue >> drop)
        if nearestByCell[cell] == Self.unknown {
            // The middle of the cell, so that the result does not depend on which colour comes first.
            let middle = word & 0xFCFC_FCFC | 0x0202_0202
            nearestByCell[cell] = UInt16(nearestColor.index(of: middle))
        }
        return UInt8(truncatingIfNeeded: nearestByCell[cell])
    }

    // MARK: Dithering

    /// Diffuses errors as in R. Floyd and L. Steinberg, *An adaptive algorithm for spatial grey scale* (1976), and
    /// processes every other row from right to left. Transparent pixels neither have nor receive errors.
    private mutating func dither(_ image: PixelBuffer, into target: UnsafeMutableBufferPointer<UInt8>) {
        let width = image.size.width
        var errors = DitherErrors(width: width)
        for y in 0..<image.size.height {
            image.withWords(y) { row in
                let step = y % 2 == 0 ? 1 : -1
                for x in stride(from: step > 0 ? 0 : width - 1, to: step > 0 ? width : -1, by: step) {
                    guard row[x] != 0 else {
                        target[y * width + x] = transparentIndex
                        continue
                    }
                    let corrected = errors.corrected(row[x], at: x)
                    let index = nearestIndex(of: corrected.word)
                    target[y * width + x] = index
                    errors.diffuse(from: corrected, to: palette.colors[Int(index)], at: x, step: step)
                }
            }
            errors.endRow()
        }
    }
}

/// The errors that are diffused to the current row and to the one below, in sixteenths.
struct DitherErrors {
    /// A colour with its diffused error, each channel from 0 to 255.
    struct CorrectedColor {
        var red: Int32
        var green: Int32
        var blue: Int32

        /// The colour as an opaque pixel.
        var word: UInt32 { UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000 }
    }

    private typealias ChannelErrors = (red: Int32, green: Int32, blue: Int32)
    // One more pixel on either side, so that the edges need no special case.
    private var current: [ChannelErrors]
    private var below: [ChannelErrors]

    init(width: Int) {
        current = Array(repeating: (0, 0, 0), count: width + 2)
        below = current
    }

    /// Returns a pixel of the current row with its error added, clamped to the range of a channel.
    func corrected(_ word: UInt32, at x: Int) -> CorrectedColor {
        let error = current[x + 1]
        func channel(_ value: UInt32, _ error: Int32) -> Int32 {
            min(max(Int32(value & 255) + (error + 8) >> 4, 0), 255)
        }
        return CorrectedColor(
            red: channel(word, error.red), green: channel(word >> 8, error.green),
            blue: channel(word >> 16, error.blue))
    }

    /// Diffuses the error of a pixel: 7/16 to the next pixel; 3/16, 5/16 and 1/16 to those below.
    ///
    /// - Parameter step: 1 if the row is mapped from the left, -1 if from the right.
    mutating func diffuse(from corrected: CorrectedColor, to color: UInt32, at x: Int, step: Int) {
        let error: ChannelErrors = (
            corrected.red - Int32(color & 255), corrected.green - Int32(color >> 8 & 255),
            corrected.blue - Int32(color >> 16 & 255)
        )
        Self.add(error, 7, to: &current[x + 1 + step])
        Self.add(error, 3, to: &below[x + 1 - step])
        Self.add(error, 5, to: &below[x + 1])
        Self.add(error, 1, to: &below[x + 1 + step])
    }

    private static func add(_ error: ChannelErrors, _ weight: Int32, to target: inout ChannelErrors) {
        target.red += error.red * weight
        target.green += error.green * weight
        target.blue += error.blue * weight
    }

    /// Makes the row below the current one.
    mutating func endRow() {
        swap(&current, &below)
        for index in below.indices { below[index] = (0, 0, 0) }
    }
}

/// A pattern of 8 × 8 offsets for ordered dithering: B. E. Bayer, *An optimum method for two-level rendition of
/// continuous-tone pictures* (1973).
package struct DitherPattern: Sendable {
    /// The offsets of a channel, row by row, from about minus half the amplitude to half of it.
    private let offsets: [Int32]

    private static let side = 8

    /// Creates a pattern.
    ///
    /// - Parameter amplitude: The difference between the largest and the smallest offset, at most 255.
    package init(amplitude: Int32) {
        let cells = Int32(Self.side * Self.side)
        offsets = (0..<Int(cells)).map { index in
            let rank = Self.rank(x: index % Self.side, y: index / Self.side)
            return ((2 * rank + 1 - cells) * amplitude) / (2 * cells)
        }
    }

    /// Returns the position of a cell in the order in which cells of the pattern are filled, from 0 to 63: the bits of
    /// `x ^ y` and `y`, interleaved in reverse order.
    static func rank(x: Int, y: Int) -> Int32 {
        var rank: Int32 = 0
        for bit in 0..<3 {
            rank = rank << 2 | Int32((x ^ y) >> bit & 1) << 1 | Int32(y >> bit & 1)
        }
        return rank
    }

    /// Returns the offset at a position of the image.
    package func offset(x: Int, y: Int) -> Int32 {
        offsets[(y & (Self.side - 1)) * Self.side + (x & (Self.side - 1))]
    }

    /// Returns an opaque pixel with the offset of its position added to each channel; red is the lowest byte.
    package func adjusted(_ word: UInt32, x: Int, y: Int) -> UInt32 {
        let offset = offset(x: x, y: y)
        func channel(_ shift: UInt32) -> UInt32 {
            UInt32(min(max(Int32(word >> shift & 255) + offset, 0), 255)) << shift
        }
        return channel(0) | channel(8) | channel(16) | 0xFF00_0000
    }
}
