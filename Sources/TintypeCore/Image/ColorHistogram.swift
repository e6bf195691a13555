/// How often each colour occurs in a picture; colours that differ in their last three bits count as one.
struct ColorHistogram {
    struct Entry {
        /// Sums of straight red, green and blue, each pixel counted as much as it is opaque.
        var sums = SIMD3<Int>()
        /// The sum of alpha.
        var weight = 0

        mutating func add(_ other: Entry) {
            sums &+= other.sums
            weight += other.weight
        }

        /// The mean colour.
        var mean: SIMD3<Int> { (sums &+ SIMD3(repeating: weight / 2)) / SIMD3(repeating: max(weight, 1)) }
    }

    /// Those that occur, in the order of their colours.
    let entries: [Entry]

    init(_ pixels: PixelBuffer) {
        var table = [Entry](repeating: Entry(), count: 1 << 15)
        for y in 0..<pixels.size.height {
            for x in 0..<pixels.size.width {
                let pixel = pixels[x, y]
                let color = Color(pixel)
                let alpha = Int(pixel.alpha)
                let channels = SIMD3(Int(color.red), Int(color.green), Int(color.blue))
                let index = (channels.x >> 3) << 10 | (channels.y >> 3) << 5 | channels.z >> 3
                table[index].sums &+= channels &* SIMD3(repeating: alpha)
                table[index].weight += alpha
            }
        }
        entries = table.filter { $0.weight > 0 }
    }
}
