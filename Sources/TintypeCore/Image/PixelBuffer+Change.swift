import Foundation

extension PixelBuffer {
    /// The smallest rectangle outside of which a picture of the same size has equal pixels; `nil` when all are equal.
    ///
    /// O(pixels); rows that are equal are compared as memory.
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

    /// The columns of a row that differ, and those before; `nil` when the row is equal.
    private func changedColumns(_ y: Int, from former: PixelBuffer, beyond known: Range<Int>?) -> Range<Int>? {
        withUnsafeRow(y) { row in
            former.withUnsafeRow(y) { old in
                guard let from = row.baseAddress, let to = old.baseAddress, memcmp(from, to, row.count) != 0 else {
                    return nil
                }
                let (new, past) = (row.bindMemory(to: UInt32.self), old.bindMemory(to: UInt32.self))
                let (start, end) = (known?.lowerBound ?? new.count, known?.upperBound ?? 0)
                let first = (0..<start).first { new[$0] != past[$0] } ?? start
                let last = (end..<max(end, new.count)).last { new[$0] != past[$0] } ?? end - 1
                return first..<last + 1
            }
        }
    }
}
