import TintypeCore

/// Gives each pixel of a picture its place in a palette.
struct ColorMapper {
    private let palette: ColorPalette
    private let search: NearestColor
    private let places: [UInt32: UInt8]
    /// For cells of colours, the nearest in the palette, once it was looked for.
    private var nearest: [UInt16]

    /// Of a channel: what is asked for is as exact as this.
    private static let bits = 6
    private static let unknown = UInt16.max

    init(_ palette: ColorPalette) {
        self.palette = palette
        search = NearestColor(palette.colors)
        let places = palette.isExact ? palette.colors : []
        self.places = Dictionary(uniqueKeysWithValues: zip(places, UInt8.min...UInt8.max))
        nearest = palette.isExact ? [] : [UInt16](repeating: Self.unknown, count: 1 << (3 * Self.bits))
    }

    /// Row by row.
    mutating func indices(of picture: PixelBuffer, isDithering: Bool) -> [UInt8] {
        var indices = [UInt8](repeating: 0, count: picture.size.area)
        indices.withUnsafeMutableBufferPointer { target in
            if palette.isExact || !isDithering {
                map(picture, into: target)
            } else {
                dither(picture, into: target)
            }
        }
        return indices
    }

    private var unpainted: UInt8 { palette.unpainted ?? 0 }

    private mutating func map(_ picture: PixelBuffer, into target: UnsafeMutableBufferPointer<UInt8>) {
        for y in 0..<picture.size.height {
            picture.withWords(y) { row in
                var (last, place) = (UInt32(0), unpainted)
                for x in row.indices {
                    if row[x] != last { (last, place) = (row[x], index(of: row[x])) }
                    target[y * row.count + x] = place
                }
            }
        }
    }

    private mutating func index(of word: UInt32) -> UInt8 {
        if word == 0 { return unpainted }
        return palette.isExact ? places[word] ?? 0 : nearestIndex(of: word)
    }

    private mutating func nearestIndex(of word: UInt32) -> UInt8 {
        let drop = UInt32(8 - Self.bits)
        let (red, green, blue) = (word & 255, word >> 8 & 255, word >> 16 & 255)
        let cell = Int(red >> drop) << (2 * Self.bits) | Int(green >> drop) << Self.bits | Int(blue >> drop)
        if nearest[cell] == Self.unknown {
            // Of the middle of the cell, so that what comes first does not matter.
            let middle = word & 0xFCFC_FCFC | 0x0202_0202
            nearest[cell] = UInt16(search.index(of: middle))
        }
        return UInt8(truncatingIfNeeded: nearest[cell])
    }

    // MARK: Dithering

    /// R. Floyd and L. Steinberg, *An adaptive algorithm for spatial grey scale* (1976), every other row backwards. Errors
    /// go to pixels that are painted, alone.
    private mutating func dither(_ picture: PixelBuffer, into target: UnsafeMutableBufferPointer<UInt8>) {
        let width = picture.size.width
        var errors = DitherErrors(width: width)
        for y in 0..<picture.size.height {
            picture.withWords(y) { row in
                let step = y % 2 == 0 ? 1 : -1
                for x in stride(from: step > 0 ? 0 : width - 1, to: step > 0 ? width : -1, by: step) {
                    guard row[x] != 0 else {
                        target[y * width + x] = unpainted
                        continue
                    }
                    let wanted = errors.applied(to: row[x], x)
                    let place = nearestIndex(of: wanted.word)
                    target[y * width + x] = place
                    errors.spread(wanted, palette.colors[Int(place)], x, step)
                }
            }
            errors.endRow()
        }
    }
}

/// What pixels are to make up for, in sixteenths, of the row that is mapped and of the one below it.
struct DitherErrors {
    /// A colour with what it has to make up for.
    struct Wanted {
        var red: Int32
        var green: Int32
        var blue: Int32

        var word: UInt32 { UInt32(red) | UInt32(green) << 8 | UInt32(blue) << 16 | 0xFF00_0000 }
    }

    private typealias Share = (red: Int32, green: Int32, blue: Int32)
    // A pixel more on either side, so that edges need no care.
    private var current: [Share]
    private var below: [Share]

    init(width: Int) {
        current = Array(repeating: (0, 0, 0), count: width + 2)
        below = current
    }

    /// Within the bounds of a channel.
    func applied(to word: UInt32, _ x: Int) -> Wanted {
        let error = current[x + 1]
        func channel(_ value: UInt32, _ error: Int32) -> Int32 {
            min(max(Int32(value & 255) + (error + 8) >> 4, 0), 255)
        }
        return Wanted(
            red: channel(word, error.red), green: channel(word >> 8, error.green),
            blue: channel(word >> 16, error.blue))
    }

    /// Hands the error on: 7, 3, 5 and 1 sixteenths of it to the next pixel and to those below.
    mutating func spread(_ wanted: Wanted, _ color: UInt32, _ x: Int, _ step: Int) {
        let error: Share = (
            wanted.red - Int32(color & 255), wanted.green - Int32(color >> 8 & 255),
            wanted.blue - Int32(color >> 16 & 255)
        )
        Self.add(error, 7, to: &current[x + 1 + step])
        Self.add(error, 3, to: &below[x + 1 - step])
        Self.add(error, 5, to: &below[x + 1])
        Self.add(error, 1, to: &below[x + 1 + step])
    }

    private static func add(_ error: Share, _ part: Int32, to target: inout Share) {
        target.red += error.red * part
        target.green += error.green * part
        target.blue += error.blue * part
    }

    mutating func endRow() {
        swap(&current, &below)
        for index in below.indices { below[index] = (0, 0, 0) }
    }
}
