import Foundation
import TintypeCore

/// Decodes the first image of a GIF while its bytes arrive, row by row or pass by pass.
struct GIFArrivingImage: Sendable {
    private let image: GIFImage
    private let size: PixelSize
    /// RGBA for each of the 256 values.
    private let palette: [UInt8]
    private let rowOrder: GIFRowOrder
    private let decoder: LZWDecoder
    /// The number of bytes that the current sub-block still lacks.
    private var blockBytesLeft = 0
    private var hasEnded = false

    /// Creates a decoder and decodes the image data in `head`.
    ///
    /// - Parameters:
    ///   - head: The first bytes of a file, up to the image data at least.
    ///   - image: The first image of `head`.
    /// - Returns: `nil` if `head` ends before the image data, or if the image is empty or its code size is invalid.
    init?(_ head: UnsafeRawBufferPointer, _ image: GIFImage) {
        let start = image.range.lowerBound + Self.descriptorLength
        guard image.frame.rect.size.isPositive, start <= head.count else { return nil }
        let flags = head[start - 1]
        let codeStart = start + (flags & 0x80 == 0 ? 0 : 3 << Int(flags & 7 + 1))
        guard codeStart < head.count,
            let decoder = LZWDecoder(codeSize: Int(head[codeStart]), count: image.frame.rect.size.area)
        else { return nil }
        self.image = image
        self.decoder = decoder
        size = image.frame.rect.size
        palette = image.palette.rgba(in: head, transparentIndex: image.transparentIndex)
        rowOrder = GIFRowOrder(height: size.height, isInterlaced: flags & 0x40 != 0)
        _ = append(head[(codeStart + 1)...])
    }

    private static let descriptorLength = 10

    // MARK: Input

    /// Decodes the next bytes of the file; returns whether another row is complete.
    mutating func append(_ bytes: some RandomAccessCollection<UInt8>) -> Bool {
        let rowsBefore = rowCount
        var rest = bytes[...]
        while let byte = rest.first, !hasEnded {
            guard blockBytesLeft > 0 else {
                blockBytesLeft = Int(byte)
                hasEnded = blockBytesLeft == 0
                rest = rest.dropFirst()
                continue
            }
            let block = rest.prefix(blockBytesLeft)
            blockBytesLeft -= block.count
            rest = rest.dropFirst(block.count)
            decoder.decode(block)
            if decoder.hasEnded { hasEnded = true }
        }
        return rowCount > rowsBefore
    }

    // MARK: Output

    var hasRows: Bool { rowCount > 0 }
    private var rowCount: Int { decoder.count / size.width }

    /// Returns the image as far as it has arrived. Missing rows repeat the row of an earlier pass above them, or are
    /// transparent.
    func pixels() throws(TintypeError) -> PixelBuffer {
        var writer = try PixelWriter(size: size)
        writer.clear()
        let values = decoder.values
        var storedRows = [Int](repeating: 0, count: size.height)
        for stored in 0..<min(rowCount, size.height) { storedRows[rowOrder[stored]] = stored }
        for (y, source) in rowOrder.sourceRows(storedCount: rowCount).enumerated() {
            guard let source else { continue }
            writer.withRows(from: y) { row in
                for x in 0..<size.width {
                    let color = 4 * Int(values[storedRows[source] * size.width + x])
                    for channel in 0..<4 { row[4 * x + channel] = palette[color + channel] }
                }
            }
        }
        return writer.finish()
    }
}

/// The order in which the rows of an image are stored (GIF89a, appendix E).
struct GIFRowOrder: Sendable {
    let height: Int
    /// The displayed row for each stored row; `nil` if the image is not interlaced.
    private let interlacedRows: [Int]?

    /// The first row of each pass, and the distance of its rows.
    private static let passes = [(0, 8), (4, 8), (2, 4), (1, 2)]
    /// The number of rows that one row of the first pass stands for.
    private static let maxDistance = 8

    init(height: Int, isInterlaced: Bool) {
        self.height = height
        interlacedRows =
            isInterlaced ? Self.passes.flatMap { Array(stride(from: $0.0, to: height, by: $0.1)) } : nil
    }

    /// Returns the displayed row of a stored row.
    subscript(_ stored: Int) -> Int { interlacedRows?[stored] ?? stored }

    /// Returns for each displayed row the row to show once `storedCount` rows have arrived: itself, or in an interlaced
    /// image the nearest arrived row above that stands for it; `nil` if there is none.
    func sourceRows(storedCount: Int) -> [Int?] {
        var hasArrived = [Bool](repeating: false, count: height)
        for stored in 0..<min(storedCount, height) { hasArrived[self[stored]] = true }
        var last: Int?
        return hasArrived.indices.map { y in
            if hasArrived[y] { last = y }
            guard let last, last == y || interlacedRows != nil && y - last < Self.maxDistance else { return nil }
            return last
        }
    }
}
