package import Foundation
package import TintypeCore

/// Writes images side by side among the text of a shell, each with a line of text below it.
package struct InlineGrid {
    /// An image of a row.
    package struct Item {
        /// The pixels, with the size of the layout; `nil` for an image that could not be loaded.
        package let pixels: PixelBuffer?
        /// The cells of the image.
        package let layout: CellLayout
        /// The line below the image.
        package let name: String
        /// The number of the image in the terminal, for kitty's protocol.
        package let number: UInt32
        /// The file to pass on instead of the pixels, to a terminal with the inline images of iTerm2.
        package let file: Data?

        /// Creates an item.
        package init(
            _ pixels: PixelBuffer?, _ layout: CellLayout, name: String, number: UInt32, file: Data? = nil
        ) {
            self.pixels = pixels
            self.file = file
            self.layout = layout
            self.name = name
            self.number = number
        }
    }

    /// The number of images in a row.
    package let columns: Int
    private let capabilities: TerminalCapabilities
    private let writer: InlineImage
    /// The width of a column of images, in cells.
    private let columnWidth: Int

    /// Creates a grid over the width of the terminal.
    ///
    /// - Parameters:
    ///   - capabilities: The first protocol is used.
    ///   - columns: The wanted number of images in a row. A narrow terminal has fewer: each image needs two cells.
    ///   - share: Puts bytes into shared memory; returns `nil` if that fails.
    package init(
        _ capabilities: TerminalCapabilities, columns: Int,
        share: @escaping @Sendable ([UInt8]) -> SharedPixels? = { _ in nil }
    ) {
        self.capabilities = capabilities
        self.columns = max(1, min(columns, capabilities.size.columns / 2))
        columnWidth = max(2, capabilities.size.columns / self.columns)
        writer = InlineImage(capabilities, share: share)
    }

    /// The maximum number of cells of an image. With half as many rows as columns, the area is about square.
    package var limit: CellSpan {
        let cell = capabilities.size.cell
        let rows = max(1, (columnWidth - 1) * cell.width / cell.height)
        return CellSpan(columns: columnWidth - 1, rows: min(rows, max(1, capabilities.size.rows - 3)))
    }

    /// Returns the layout of an image of a size.
    package func layout(_ image: PixelSize) -> CellLayout { writer.layout(image, within: limit) }

    /// Returns the bytes of one row of images.
    ///
    /// - Throws: `TintypeError.Code.outOfMemory`.
    package func show(_ items: [Item]) throws(TintypeError) -> InlineImage.Output {
        let rows = rowCount(items)
        var output = try writer.symbols == nil ? graphics(items, rows) : characters(items, rows)
        output.bytes.append(names(items))
        return output
    }

    /// The number of lines that a row of images needs, with that of their names.
    package func lineCount(_ items: [Item]) -> Int { rowCount(items) + 1 }

    /// Returns the cells of an image of a row, counted from the first line of the row.
    package func rect(of index: Int, in items: [Item]) -> CellRect {
        let (column, row) = position(items[index], index, rowCount(items))
        return CellRect(column: column, row: row, span: items[index].layout.span)
    }

    private func rowCount(_ items: [Item]) -> Int { items.map(\.layout.span.rows).max() ?? 1 }

    private func names(_ items: [Item]) -> String {
        let names = items.map { item in
            let text = item.name.printable.fitted(toCells: columnWidth - 1)
            let indentation = max(0, columnWidth - 1 - text.cellCount) / 2
            return String(repeating: " ", count: indentation) + text
        }
        let padded = names.map { $0 + String(repeating: " ", count: max(0, columnWidth - $0.cellCount)) }
        var line = padded.joined()
        while line.last == " " { line.removeLast() }
        return line + "\r\n"
    }

    // MARK: Characters

    private func characters(_ items: [Item], _ rows: Int) throws(TintypeError) -> InlineImage.Output {
        var row = CellGrid(span: CellSpan(columns: columnWidth * items.count, rows: rows))
        for (index, item) in items.enumerated() {
            guard let pixels = item.pixels, let grid = try writer.characters(pixels) else { continue }
            let (column, top) = position(item, index, rows)
            for y in 0..<grid.span.rows {
                for x in 0..<grid.span.columns { row[column + x, top + y] = grid[x, y] }
            }
        }
        return InlineImage.Output(bytes: CellWriter.lines(row) + Array("\r\n".utf8))
    }

    /// Returns the top left cell of an image within its row.
    private func position(_ item: Item, _ index: Int, _ rows: Int) -> (column: Int, row: Int) {
        let span = item.layout.span
        return (index * columnWidth + max(0, columnWidth - 1 - span.columns) / 2, rows - span.rows)
    }

    // MARK: Graphics

    private func graphics(_ items: [Item], _ rows: Int) throws(TintypeError) -> InlineImage.Output {
        var output = InlineImage.Output()
        for (index, item) in items.enumerated() {
            guard let pixels = item.pixels else { continue }
            let (column, row) = position(item, index, rows)
            let graphic = try graphic(item, pixels, column: column)
            output.bytes.append(ControlSequence.saveCursor)
            if row > 0 { output.bytes.append("\u{1B}[\(row)B") }
            if column > 0 { output.bytes.append("\u{1B}[\(column)C") }
            output.bytes += graphic.bytes
            output.bytes.append(ControlSequence.restoreCursor)
            output.shared += graphic.shared
        }
        output.bytes = InlineImage.reserved(rows, output.bytes)
        return output
    }

    private func graphic(_ item: Item, _ pixels: PixelBuffer, column: Int) throws(TintypeError) -> InlineImage.Output {
        guard let file = item.file else {
            return try writer.graphic(pixels, item.layout, item.number, column: column)
        }
        return InlineImage.Output(bytes: ITermImage.show(file: file, span: item.layout.span))
    }
}
