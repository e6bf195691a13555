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
