/// Writes cells as text with as few control sequences as possible.
package struct CellWriter {
    private var bytes: [UInt8] = []
    private var foreground = CellColor.standard
    private var background = CellColor.standard

    private init() {}

    /// Returns the text of a grid as lines that may be anywhere on the screen. Each ends with the default colours; the
    /// last one has no line break.
    ///
    /// - Parameter indentation: The number of columns to the left of each line.
    package static func lines(_ grid: CellGrid, indentation: Int = 0) -> [UInt8] {
        var writer = CellWriter()
        for row in 0..<grid.span.rows {
            if row > 0 { writer.bytes.append("\r\n") }
            if indentation > 0 { writer.bytes.append("\u{1B}[\(indentation)C") }
            for column in 0..<grid.span.columns { writer.write(grid[column, row]) }
            writer.resetColors()
        }
        return writer.bytes
    }

    /// Returns the text that turns `former` into `grid` at a position on the screen.
    ///
    /// - Parameters:
    ///   - grid: The new cells.
    ///   - former: The cells that the screen shows there; `nil` if they are unknown.
    ///   - column: The column of the top left cell, from 0.
    ///   - row: The row of the top left cell, from 0.
    package static func update(
        _ grid: CellGrid, from former: CellGrid?, column: Int, row: Int
    ) -> [UInt8] {
        var writer = CellWriter()
        let former = former?.span == grid.span ? former : nil
        for line in 0..<grid.span.rows {
            for run in changedRuns(grid, former, line) {
                writer.bytes.appendMove(column: column + run.lowerBound, row: row + line)
                for cell in run { writer.write(grid[cell, line]) }
            }
        }
        writer.resetColors()
        return writer.bytes
    }

    /// Moving the cursor takes about as many bytes as writing this many cells.
    private static let smallestGap = 4

    /// Returns the columns of a row that have to be written. Runs with a small gap between them are joined.
    private static func changedRuns(_ grid: CellGrid, _ former: CellGrid?, _ row: Int) -> [Range<Int>] {
        guard let former else { return [0..<grid.span.columns] }
        var runs: [Range<Int>] = []
        for column in 0..<grid.span.columns where grid[column, row] != former[column, row] {
            if let last = runs.last, column - last.upperBound < smallestGap {
                runs[runs.count - 1] = last.lowerBound..<column + 1
            } else {
                runs.append(column..<column + 1)
            }
        }
        return runs
    }

    private mutating func write(_ cell: Cell) {
        // The colour of a space cannot be seen.
        if cell.symbol != " " && cell.foreground != foreground { setForeground(cell.foreground) }
        if cell.background != background { setBackground(cell.background) }
        if let encoded = UTF8.encode(cell.symbol) { bytes.append(contentsOf: encoded) }
    }

    private mutating func setForeground(_ color: CellColor) {
        foreground = color
        setColor(color, base: 30)
    }

    private mutating func setBackground(_ color: CellColor) {
        background = color
        setColor(color, base: 40)
    }

    /// - Parameter base: 30 for the character, 40 for its background.
    private mutating func setColor(_ color: CellColor, base: Int) {
        bytes.append("\u{1B}[")
        switch color {
        case .standard: bytes.append(decimal: base + 9)
        case .indexed(let index) where index < 8: bytes.append(decimal: base + Int(index))
        case .indexed(let index) where index < 16: bytes.append(decimal: base + 60 + Int(index) - 8)
        case .indexed(let index):
            bytes.append(decimal: base + 8)
            bytes.append(";5;")
            bytes.append(decimal: Int(index))
        case .rgb(let red, let green, let blue):
            bytes.append(decimal: base + 8)
            bytes.append(";2;")
            bytes.append(decimal: Int(red))
            bytes.append(UInt8(ascii: ";"))
            bytes.append(decimal: Int(green))
            bytes.append(UInt8(ascii: ";"))
            bytes.append(decimal: Int(blue))
        }
        bytes.append(UInt8(ascii: "m"))
    }

    private mutating func resetColors() {
        guard foreground != .standard || background != .standard else { return }
        bytes.append(ControlSequence.resetStyle)
        (foreground, background) = (.standard, .standard)
    }
}
