public import TintypeCore

/// The size of a terminal in cells, and the size of a cell in pixels.
public struct TerminalSize: Hashable, Sendable {
    /// The number of columns; at least 1.
    public var columns: Int
    /// The number of rows; at least 1.
    public var rows: Int
    /// The size of a cell in pixels. It is a guess if the terminal does not report it.
    public var cell: PixelSize

    /// The cell size that is assumed if a terminal reports none.
    package static let assumedCell = PixelSize(width: 8, height: 16)

    /// Creates a size. Values below 1 become 1.
    package init(columns: Int, rows: Int, cell: PixelSize = TerminalSize.assumedCell) {
        self.columns = max(1, columns)
        self.rows = max(1, rows)
        self.cell = PixelSize(width: max(1, cell.width), height: max(1, cell.height))
    }

    /// The number of cells in both directions.
    package var span: CellSpan { CellSpan(columns: columns, rows: rows) }
}

/// A number of cells in both directions.
package struct CellSpan: Hashable, Sendable {
    /// The number of columns.
    package var columns: Int
    /// The number of rows.
    package var rows: Int

    /// Creates a span.
    package init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The number of cells.
    var count: Int { columns * rows }

    /// Returns the size in pixels for cells of a size.
    func pixels(cell: PixelSize) -> PixelSize {
        PixelSize(width: columns * cell.width, height: rows * cell.height)
    }
}

/// A rectangle of cells. Columns and rows count from 0 at the top left corner of the screen.
public struct CellRect: Hashable, Sendable {
    /// The number of columns to the left of the rectangle.
    public var column: Int
    /// The number of rows above the rectangle; negative for a region that is scrolled beyond the top.
    public var row: Int
    /// The size in cells.
    package var span: CellSpan

    /// Creates a rectangle from its top left cell and its size.
    package init(column: Int, row: Int, span: CellSpan) {
        self.column = column
        self.row = row
        self.span = span
    }

    /// Creates a rectangle from its top left cell and its numbers of columns and rows.
    public init(column: Int, row: Int, columns: Int, rows: Int) {
        self.init(column: column, row: row, span: CellSpan(columns: columns, rows: rows))
    }

    /// The number of columns.
    public var columns: Int {
        get { span.columns }
        set { span.columns = newValue }
    }

    /// The number of rows.
    public var rows: Int {
        get { span.rows }
        set { span.rows = newValue }
    }

    /// Whether all cells are on a screen of a size.
    func isInside(_ size: TerminalSize) -> Bool {
        column >= 0 && row >= 0 && span.columns > 0 && span.rows > 0 && column + span.columns <= size.columns
            && row + span.rows <= size.rows
    }
}
