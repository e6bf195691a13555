import Testing
import TintypeCore

@testable import TintypeTerminal

@Suite struct CellLayoutTests {
    private let cell = PixelSize(width: 10, height: 20)

    private func layout(
        _ width: Int, _ height: Int, _ columns: Int, _ rows: Int, _ symbols: CellSymbols?,
        _ scaling: CellLayout.Scaling = .down
    ) -> CellLayout {
        CellLayout(
            PixelSize(width: width, height: height), within: CellSpan(columns: columns, rows: rows), cell: cell,
            symbols: symbols, scaling: scaling)
    }

    @Test func aLargeImageFillsOneDirection() {
        let wide = layout(4000, 1000, 40, 40, nil)
        #expect(wide.pixels == PixelSize(width: 400, height: 100) && wide.span == CellSpan(columns: 40, rows: 5))
        let tall = layout(1000, 4000, 40, 40, nil)
        #expect(tall.pixels == PixelSize(width: 200, height: 800) && tall.span == CellSpan(columns: 20, rows: 40))
    }

    @Test func aSmallImageKeepsItsPixels() {
        let icon = layout(33, 41, 40, 40, nil)
        #expect(icon.pixels == PixelSize(width: 33, height: 41) && icon.span == CellSpan(columns: 4, rows: 3))
        let enlarged = layout(33, 41, 40, 40, nil, .toFit)
        #expect(enlarged.span.columns == 40 && enlarged.pixels.width == 400)
    }

    /// A cell is half as wide as high, so a square has twice as many columns as rows.
    @Test func cellsKeepTheAspectRatio() {
        let square = layout(1000, 1000, 40, 40, .halfBlocks)
        #expect(square.span == CellSpan(columns: 40, rows: 20) && square.pixels == PixelSize(width: 40, height: 40))
        let quadrants = layout(1000, 1000, 40, 40, .quadrants)
        #expect(quadrants.span == square.span && quadrants.pixels == PixelSize(width: 80, height: 40))
        let icon = layout(16, 16, 40, 40, .halfBlocks)
        #expect(icon.span == CellSpan(columns: 16, rows: 8))
    }

    @Test(arguments: [(1, 100_000), (100_000, 1), (1, 1), (0, 0)])
    func extremeShapesHaveAtLeastOneCell(_ width: Int, _ height: Int) {
        for symbols in [nil, CellSymbols.halfBlocks, .quadrants, .shades] {
            for scaling in [CellLayout.Scaling.down, .toFit] {
                let layout = layout(width, height, 7, 3, symbols, scaling)
                #expect((1...7).contains(layout.span.columns) && (1...3).contains(layout.span.rows), "\(layout)")
                #expect(layout.pixels.isPositive)
            }
        }
    }
}
