package import TintypeCore

/// The characters that show pixels.
package enum CellSymbols: Hashable, Sendable {
    /// A space, ░, ▒, ▓ or █, in the default colours.
    case shades
    /// ▄ and ▀: two pixels.
    case halfBlocks
    /// The sixteen characters of quarters, such as ▚: four pixels in two colours.
    case quadrants

    /// The pixels of one cell.
    package var pixels: PixelSize {
        switch self {
        case .shades: PixelSize(width: 1, height: 1)
        case .halfBlocks: PixelSize(width: 1, height: 2)
        case .quadrants: PixelSize(width: 2, height: 2)
        }
    }
}

/// The colour of a character or of its background.
package enum CellColor: Hashable, Sendable {
    /// The default of the terminal.
    case standard
    /// One of the 16 or 256 colours of the terminal.
    case indexed(UInt8)
    /// Any colour: red, green and blue.
    case rgb(UInt8, UInt8, UInt8)
}

/// A character with its colours.
package struct Cell: Hashable, Sendable {
    /// The character.
    package var symbol: Unicode.Scalar
    /// The colour of the character.
    package var foreground: CellColor
    /// The colour behind it.
    package var background: CellColor

    /// Creates a cell; by default in the colours of the terminal.
    package init(_ symbol: Unicode.Scalar, foreground: CellColor = .standard, background: CellColor = .standard) {
        self.symbol = symbol
        self.foreground = foreground
        self.background = background
    }

    /// A space in the colours of the terminal.
    package static let empty = Cell(" ")
}

/// A rectangle of cells.
package struct CellGrid: Hashable, Sendable {
    /// The size in cells.
    package let span: CellSpan
    /// The cells, row by row.
    package var cells: [Cell]

    /// Creates a grid of empty cells.
    package init(span: CellSpan) {
        self.span = span
        cells = [Cell](repeating: .empty, count: max(0, span.columns) * max(0, span.rows))
    }

    /// The cell at a position.
    ///
    /// - Precondition: the position lies inside the grid.
    package subscript(column: Int, row: Int) -> Cell {
        get { cells[row * span.columns + column] }
        set { cells[row * span.columns + column] = newValue }
    }
}
