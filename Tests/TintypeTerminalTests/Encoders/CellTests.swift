import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// Characters that show pixels, read by a decoder of the tests.
@Suite struct CellTests {
    private func shown(
        _ image: PixelBuffer, _ symbols: CellSymbols, _ colors: ColorDepth, background: Pixel? = nil
    ) throws -> CellGrid {
        let grid = try CellPainter(symbols, colors: colors, background: background).paint(image)
        var terminal = CellDecoder(columns: grid.span.columns, rows: grid.span.rows)
        try terminal.write(CellWriter.lines(grid))
        #expect(terminal.isReset)
        let visible = { (cell: Cell) in cell.symbol == " " ? Cell(" ", background: cell.background) : cell }
        #expect(terminal.grid.cells.map(visible) == grid.cells.map(visible))
        return terminal.grid
    }

    @Test func halfBlocksShowEveryPixelExactly() throws {
        let image = try TestImages.photo(40, 30)
        let grid = try shown(image, .halfBlocks, .trueColor)
        #expect(grid.span == CellSpan(columns: 40, rows: 15))
        #expect(peakSignalToNoiseRatio(image, CellDecoder.pixels(grid, symbols: .halfBlocks)) == .infinity)
    }

    @Test func anOddRowLeavesTheLowerHalfEmpty() throws {
        let grid = try shown(
            try .filled(Pixel(red: 9, green: 8, blue: 7), size: PixelSize(width: 1, height: 1)), .halfBlocks, .trueColor
        )
        #expect(grid.cells == [Cell("▀", foreground: .rgb(9, 8, 7))])
    }

    @Test(arguments: [
        (CellSymbols.quadrants, ColorDepth.trueColor, 30.0), (.halfBlocks, .palette256, 15), (.halfBlocks, .ansi16, 7),
    ])
    func fewerColorsStayNearTheImage(_ symbols: CellSymbols, _ colors: ColorDepth, _ mark: Double) throws {
        let image = try TestImages.photo(64, 48)
        let grid = try shown(image, symbols, colors)
        #expect(peakSignalToNoiseRatio(image, CellDecoder.pixels(grid, symbols: symbols)) >= mark)
    }

    /// Users change the first sixteen colours, so they are not used among 256.
    @Test func theThemeIsNotUsedAmong256Colors() throws {
        let grid = try shown(try TestImages.photo(32, 32), .halfBlocks, .palette256)
        for cell in grid.cells {
            for case .indexed(let index) in [cell.foreground, cell.background] { #expect(index >= 16) }
        }
    }

    /// The mean of a dithered surface is its colour.
    @Test(arguments: [UInt8(60), 100, 128, 200])
    func ditheringKeepsTheMean(_ level: UInt8) throws {
        let image = try PixelBuffer.filled(
            Pixel(red: level, green: level / 2, blue: 255 - level), size: PixelSize(width: 16, height: 16))
        let pixels = CellDecoder.pixels(try shown(image, .halfBlocks, .palette256), symbols: .halfBlocks)
        let mean = pixels.reduce(0.0) { $0 + Double($1?.green ?? 0) } / Double(pixels.count)
        #expect(abs(mean - Double(level / 2)) < 2)
    }

    /// Each of the sixteen patterns of two colours is shown without error.
    @Test func quadrantsShowTwoColorsExactly() throws {
        for mask in 0..<16 {
            let image = try PixelBuffer.drawn(PixelSize(width: 2, height: 2)) { x, y in
                mask >> (y * 2 + x) & 1 == 1
                    ? Pixel(red: 200, green: 100, blue: 0) : Pixel(red: 0, green: 30, blue: 220)
            }
            let grid = try shown(image, .quadrants, .trueColor)
            #expect(
                peakSignalToNoiseRatio(image, CellDecoder.pixels(grid, symbols: .quadrants)) == .infinity, "\(mask)")
        }
    }

    @Test func transparentPixelsShowTheTerminal() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 1, height: 6)) { _, y in
            (y == 1 || y == 2) ? Pixel(red: 1, green: 2, blue: 3) : Color.clear.pixel
        }
        let grid = try shown(image, .halfBlocks, .trueColor)
        #expect(grid.cells == [Cell("▄", foreground: .rgb(1, 2, 3)), Cell("▀", foreground: .rgb(1, 2, 3)), .empty])
    }

    @Test func translucentPixelsBlendWithTheKnownBackground() throws {
        let half = Color(red: 255, green: 0, blue: 0, alpha: 128).pixel
        let image = try PixelBuffer.filled(half, size: PixelSize(width: 1, height: 2))
        let grid = try shown(image, .halfBlocks, .trueColor, background: Pixel(red: 255, green: 255, blue: 255))
        #expect(grid.cells == [Cell(" ", background: .rgb(255, 127, 127))])
    }

    @Test func withoutColorsThereAreOnlyShades() throws {
        let image = try PixelBuffer.drawn(PixelSize(width: 80, height: 4)) { x, _ in
            Pixel(red: UInt8(x * 3), green: UInt8(x * 3), blue: UInt8(x * 3))
        }
        let bytes = CellWriter.lines(try CellPainter(.halfBlocks, colors: .none, background: nil).paint(image))
        #expect(!bytes.contains(0x1B))
        let line = String(decoding: bytes, as: UTF8.self).prefix(80)
        #expect(line.first == " " && line.last == "█")
        #expect(Set(line) == [" ", "░", "▒", "▓", "█"])
        let bright = Pixel(red: 255, green: 255, blue: 255)
        let onWhite = try CellPainter(.shades, colors: .none, background: bright).paint(image)
        #expect(onWhite[0, 0].symbol == "█")
    }

    // MARK: Changes

    @Test func onlyChangedCellsAreWritten() throws {
        let painter = CellPainter(.halfBlocks, colors: .trueColor, background: nil)
        let first = try painter.paint(try TestImages.photo(60, 40))
        let second = try painter.paint(try TestImages.photo(60, 40, phase: 0.05))
        var terminal = CellDecoder(columns: 80, rows: 30)
        try terminal.write(CellWriter.update(first, from: nil, column: 7, row: 3))
        #expect(terminal.writtenCells == first.span.count)
        let update = CellWriter.update(second, from: first, column: 7, row: 3)
        try terminal.write(update)
        for row in 0..<second.span.rows {
            for column in 0..<second.span.columns {
                let (cell, expected) = (terminal.grid[7 + column, 3 + row], second[column, row])
                #expect(cell.background == expected.background && cell.symbol == expected.symbol)
            }
        }
        let differing = zip(first.cells, second.cells).count { $0 != $1 }
        #expect(differing > 0 && terminal.writtenCells - first.span.count <= differing * 2)
        #expect(CellWriter.update(second, from: second, column: 0, row: 0).isEmpty)
    }
}
