import Foundation
import TintypeCore

/// The first image of a GIF while its bytes arrive, row by row or pass by pass.
struct GIFArrivingImage: Sendable {
    private let image: GIFImage
    private let size: PixelSize
    private let palette: [UInt8]
    private let rows: GIFRowOrder
    private var codes: GIFCodes
    /// A value for each pixel, in the order of display.
    private var values: [UInt8]
    /// Pixels that have come, in the order of storing.
    private var count = 0
    /// Bytes of the sub-block that is under way, which are to come.
    private var left = 0
    private var isEnded = false

    /// - Parameters:
    ///   - head: the first bytes of a file, which hold all before the image's codes.
    ///   - image: as they tell.
    /// - Returns: `nil` for an image that is not there yet or that has no pixels.
    init?(_ head: UnsafeRawBufferPointer, _ image: GIFImage) {
        let start = image.place.lowerBound + Self.descriptorLength
        guard image.frame.rect.size.isPositive, start <= head.count else { return nil }
        let flags = head[start - 1]
        let codeStart = start + (flags & 0x80 == 0 ? 0 : 3 << Int(flags & 7 + 1))
        guard codeStart < head.count, let codes = GIFCodes(codeSize: Int(head[codeStart])) else { return nil }
        self.image = image
        self.codes = codes
        size = image.frame.rect.size
        palette = GIFFrameDecoder.colors(head[image.palette], image.transparentIndex)
        rows = GIFRowOrder(height: size.height, isInterlaced: flags & 0x40 != 0)
        values = [UInt8](repeating: 0, count: size.area)
        _ = append(head[(codeStart + 1)...])
    }

    private static let descriptorLength = 10

    // MARK: Bytes

    /// Decodes the next bytes of the file; returns whether another row is there.
    mutating func append(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let before = rowCount
        var rest = bytes[...]
        while let byte = rest.first, !isEnded {
            guard left > 0 else {
                left = Int(byte)
                isEnded = left == 0
                rest = rest.dropFirst()
                continue
            }
            let block = rest.prefix(left)
            left -= block.count
            rest = rest.dropFirst(block.count)
            decode(block)
        }
        return rowCount > before
    }

    private mutating func decode(_ block: some Sequence<UInt8>) {
        let (width, rows) = (size.width, rows)
        var (values, count) = (self.values, self.count)
        // So that they are not copied.
        self.values = []
        codes.decode(block) { value in
            guard count < values.count else { return }
            values[rows[count / width] * width + count % width] = value
            count += 1
        }
        if codes.isEnded || count == values.count { isEnded = true }
        (self.values, self.count) = (values, count)
    }

    // MARK: Pixels

    var hasRows: Bool { rowCount > 0 }
    private var rowCount: Int { count / size.width }

    /// What there is of the image; rows that are not there yet show the one of an earlier pass above them, or nothing.
    func pixels() throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        writer.clear()
        for (y, source) in rows.sources(rowCount).enumerated() {
            guard let source else { continue }
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    let color = 4 * Int(values[source * size.width + x])
                    for channel in 0..<4 { row[4 * x + channel] = palette[color + channel] }
                }
            }
        }
        return writer.finish()
    }
}

/// In which order the rows of an image are stored (GIF89a, appendix E).
struct GIFRowOrder: Sendable {
    let height: Int
    /// The row that is displayed at a place, for each place in the order of storing; `nil` where both are the same.
    private let interlaced: [Int]?

    /// Where each pass begins, and how far its rows are apart.
    private static let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    private static let widest = 8

    init(height: Int, isInterlaced: Bool) {
        self.height = height
        interlaced =
            isInterlaced ? Self.passes.flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) } : nil
    }

    /// The row that is displayed, of the one that is stored at a place.
    subscript(_ place: Int) -> Int { interlaced?[place] ?? place }

    /// For each row that is displayed the one to show when so many are there: itself, or of an interlaced image the nearest
    /// above that stands for it; `nil` where there is none.
    func sources(_ count: Int) -> [Int?] {
        var isThere = [Bool](repeating: false, count: height)
        for place in 0..<min(count, height) { isThere[self[place]] = true }
        var last: Int?
        return isThere.indices.map { y in
            if isThere[y] { last = y }
            guard let last, last == y || interlaced != nil && y - last < Self.widest else { return nil }
            return last
        }
    }
}
