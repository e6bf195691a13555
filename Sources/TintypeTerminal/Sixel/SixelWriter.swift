package import TintypeCore

/// Writes indexed pixels as one Sixel graphic.
///
/// A graphic consists of bands of six rows. A band lists its colours one after the other, each with one character per
/// column. The six bits of a character are the pixels of that column; the lowest bit is the topmost pixel.
package struct SixelWriter {
    private let image: IndexedPixels
    private let rect: PixelRect
    private var bytes: [UInt8] = []
    /// The six bits of each column, for one colour after the other.
    private var bits: [UInt8]
    /// The columns of each colour in the current band; empty for colours that the band lacks.
    private var columns: [Range<Int>]

    /// The number of rows in a band.
    static let bandHeight = 6

    /// Returns the number of rows that the bands of a graphic of a height cover.
    static func coveredHeight(_ height: Int) -> Int { (height + bandHeight - 1) / bandHeight * bandHeight }

    /// Returns the graphic of a part of an image. Transparent pixels are not drawn.
    ///
    /// - Parameter rect: A part of the image, at least one pixel.
    package static func graphic(_ image: IndexedPixels, in rect: PixelRect) -> [UInt8] {
        var writer = SixelWriter(image, rect)
        writer.writeHeader()
        for y in stride(from: 0, to: rect.size.height, by: bandHeight) {
            if y > 0 { writer.bytes.append(UInt8(ascii: "-")) }
            writer.readBand(y)
            writer.writeBand()
        }
        writer.bytes.append(ControlSequence.stringTerminator)
        return writer.bytes
    }

    private init(_ image: IndexedPixels, _ rect: PixelRect) {
        self.image = image
        self.rect = rect
        bits = [UInt8](repeating: 0, count: (image.colors.count + 1) * rect.size.width)
        columns = [Range<Int>](repeating: 0..<0, count: image.colors.count + 1)
        bytes.reserveCapacity(rect.size.area)
    }

    /// Writes the introducer, whose second parameter leaves undrawn pixels unchanged, the raster attributes, and the
    /// colours that occur.
    private mutating func writeHeader() {
        bytes.append("\u{1B}P0;1;0q\"1;1;\(rect.size.width);\(rect.size.height)")
        for index in usedColors {
            let color = image.colors[index]
            bytes.append("#\(index);2;\(Self.percent(color));\(Self.percent(color >> 8));\(Self.percent(color >> 16))")
        }
    }

    private static func percent(_ channel: UInt32) -> Int {
        (Int(channel & 255) * 200 + 255) / 510
    }

    private var usedColors: [Int] {
        var isUsed = [Bool](repeating: false, count: 256)
        for y in rect.y..<rect.y + rect.size.height {
            for x in rect.x..<rect.x + rect.size.width { isUsed[Int(image.indices[y * image.size.width + x])] = true }
        }
        return image.colors.indices.filter { isUsed[$0] }
    }

    // MARK: Bands

    private mutating func readBand(_ top: Int) {
        let width = rect.size.width
        let rows = min(Self.bandHeight, rect.size.height - top)
        image.indices.withUnsafeBufferPointer { indices in
            bits.withUnsafeMutableBufferPointer { bits in
                columns.withUnsafeMutableBufferPointer { columns in
                    for row in 0..<rows {
                        let start = (rect.y + top + row) * image.size.width + rect.x
                        for x in 0..<width {
                            let index = Int(indices[start + x])
                            bits[index * width + x] |= 1 << UInt8(row)
                            let former = columns[index]
                            if former.isEmpty {
                                columns[index] = x..<x + 1
                            } else if x < former.lowerBound {
                                columns[index] = x..<former.upperBound
                            } else if x >= former.upperBound {
                                columns[index] = former.lowerBound..<x + 1
                            }
                        }
                    }
                }
            }
        }
    }

    /// Writes the colours of the band in passes from left to right. A pass has several colours if they do not overlap,
    /// which saves returns to the left.
    private mutating func writeBand() {
        var waiting = image.colors.indices.filter { !columns[$0].isEmpty }
            .sorted { columns[$0].lowerBound < columns[$1].lowerBound }
        var isFirst = true
        while !waiting.isEmpty {
            if !isFirst { bytes.append(UInt8(ascii: "$")) }
            isFirst = false
            var end = 0
            waiting = waiting.filter { color in
                guard columns[color].lowerBound >= end else { return true }
                write(color, after: end)
                end = columns[color].upperBound
                return false
            }
        }
        clearBand()
    }

    private mutating func write(_ color: Int, after end: Int) {
        let range = columns[color]
        bytes.append(UInt8(ascii: "#"))
        bytes.append(decimal: color)
        writeRun(0, count: range.lowerBound - end)
        let start = color * rect.size.width
        var x = range.lowerBound
        while x < range.upperBound {
            let value = bits[start + x]
            var next = x + 1
            while next < range.upperBound, bits[start + next] == value { next += 1 }
            writeRun(value, count: next - x)
            x = next
        }
    }

    /// Writes a column `count` times; a repetition is shorter from four columns on.
    private mutating func writeRun(_ value: UInt8, count: Int) {
        let character = UInt8(ascii: "?") + value
        guard count > 3 else {
            for _ in 0..<max(0, count) { bytes.append(character) }
            return
        }
        bytes.append(UInt8(ascii: "!"))
        bytes.append(decimal: count)
        bytes.append(character)
    }

    private mutating func clearBand() {
        for index in columns.indices where !columns[index].isEmpty {
            let start = index * rect.size.width
            for x in columns[index] { bits[start + x] = 0 }
            columns[index] = 0..<0
        }
    }
}
