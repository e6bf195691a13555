import Foundation

/// Immutable decoded pixels: 8-bit sRGB RGBA, premultiplied by alpha, top row first.
///
/// Rows begin at multiples of ``bytesPerRow``, which is a multiple of 64. Copying a buffer copies one reference. Any
/// number of threads may read a buffer at once.
public struct PixelBuffer: Sendable {
    /// The number of bytes of one pixel: red, green, blue, alpha.
    package static let bytesPerPixel = 4

    /// The size in pixels.
    public let size: PixelSize
    /// The number of bytes from the start of one row to the start of the next, padding included.
    public let bytesPerRow: Int
    let storage: PixelStorage

    /// The number of bytes of memory that the buffer occupies, padding included.
    package var byteCount: Int { storage.bytes.count }

    /// Whether both are the same pixels in memory.
    package func isIdentical(to other: PixelBuffer) -> Bool { storage === other.storage }

    /// Calls `body` with all rows, padding included. The pointer is valid only during the call.
    public func withUnsafeBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(UnsafeRawBufferPointer(storage.bytes))
    }

    /// Calls `body` with the row at index `y`, without padding. The pointer is valid only during the call.
    ///
    /// - Precondition: `0 <= y < size.height`.
    package func withUnsafeRow<Result, Failure: Error>(
        _ y: Int, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        precondition(y >= 0 && y < size.height, "row \(y) lies outside an image of \(size)")
        let start = y * bytesPerRow
        return try body(
            UnsafeRawBufferPointer(rebasing: storage.bytes[start..<start + size.width * Self.bytesPerPixel]))
    }

    /// The premultiplied pixel at a position.
    ///
    /// - Precondition: the position lies inside the image.
    public subscript(x: Int, y: Int) -> Pixel {
        precondition(x >= 0 && x < size.width, "column \(x) lies outside an image of \(size)")
        return withUnsafeRow(y) { row in row.loadUnaligned(fromByteOffset: x * Self.bytesPerPixel, as: Pixel.self) }
    }

    /// Returns the row stride in bytes for rows of `width` pixels.
    package static func bytesPerRow(width: Int) -> Int {
        let mask = PixelStorage.alignment - 1
        return (width * bytesPerPixel + mask) & ~mask
    }
}

// MARK: - Colours

extension PixelBuffer {
    /// Returns the straight colour at a position; `nil` outside the image.
    public func color(x: Int, y: Int) -> Color? {
        guard x >= 0, y >= 0, x < size.width, y < size.height else { return nil }
        return Color(self[x, y])
    }

    /// Returns the straight colours of a rectangle, clipped to the image, row by row.
    ///
    /// The result is empty if the rectangle lies outside the image.
    ///
    /// - Complexity: O(pixels of the clipped rectangle).
    public func colors(in rect: PixelRect) -> [Color] {
        guard let part = rect.clipped(to: size) else { return [] }
        var colors: [Color] = []
        colors.reserveCapacity(part.size.area)
        for y in part.y..<part.y + part.size.height {
            for x in part.x..<part.x + part.size.width { colors.append(Color(self[x, y])) }
        }
        return colors
    }
}

// MARK: - Comparison

extension PixelBuffer {
    /// Returns the smallest rectangle that contains every pixel that differs from `former`; `nil` if all are equal.
    ///
    /// If the sizes differ, returns the whole image. Each row is first compared with `memcmp`, so equal rows cost
    /// little.
    ///
    /// - Complexity: O(pixels).
    package func changedRect(from former: PixelBuffer) -> PixelRect? {
        guard size == former.size else { return PixelRect(x: 0, y: 0, size: size) }
        var columns: Range<Int>?
        var rows: Range<Int>?
        for y in 0..<size.height {
            guard let changed = changedColumns(y, from: former, beyond: columns) else { continue }
            rows = (rows?.lowerBound ?? y)..<y + 1
            columns = changed
        }
        guard let columns, let rows else { return nil }
        return PixelRect(
            x: columns.lowerBound, y: rows.lowerBound, size: PixelSize(width: columns.count, height: rows.count))
    }

    /// Returns the union of `known` and the columns that differ in a row; `nil` if the row is equal.
    private func changedColumns(_ y: Int, from former: PixelBuffer, beyond known: Range<Int>?) -> Range<Int>? {
        withUnsafeRow(y) { row in
            former.withUnsafeRow(y) { old in
                guard let from = row.baseAddress, let to = old.baseAddress, memcmp(from, to, row.count) != 0 else {
                    return nil
                }
                let (new, past) = (row.bindMemory(to: UInt32.self), old.bindMemory(to: UInt32.self))
                guard let known else { return (0..<new.count).span { new[$0] != past[$0] } }
                let first = (0..<known.lowerBound).first { new[$0] != past[$0] } ?? known.lowerBound
                let last = (known.upperBound..<new.count).last { new[$0] != past[$0] }
                return first..<(last.map { $0 + 1 } ?? known.upperBound)
            }
        }
    }
}

extension Range<Int> {
    /// Returns the range from the first to the last number that satisfies a condition; `nil` if none does.
    ///
    /// The condition may be about pixels that another process changes, and so true only once.
    ///
    /// - Complexity: O(count).
    func span(where condition: (Int) -> Bool) -> Range<Int>? {
        guard let first = first(where: condition) else { return nil }
        let last = (first + 1..<upperBound).last(where: condition) ?? first
        return first..<last + 1
    }
}
