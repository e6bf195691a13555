import Testing
import Tintype
import TintypeTerminal
import TintypeTesting

@testable import TintypeCommand

/// The positions of the animations of a grid.
@Suite struct GridAnimationsTests {
    private func animation(column: Int, row: Int, rows: Int) throws -> PlacedAnimation {
        let pixels = try PixelBuffer.filled(
            Pixel(red: 0, green: 0, blue: 0), size: PixelSize(width: 1, height: 1))
        let span = CellSpan(columns: 4, rows: rows)
        let layout = CellLayout(PixelSize(width: 1, height: 1), within: span, cell: pixels.size, symbols: nil)
        return PlacedAnimation(
            frames: try AnimatedImage([TimedImage(pixels, duration: 1)]), layout: layout,
            rect: CellRect(column: column, row: row, span: span))
    }

    @Test func rowsAreAboveTheCursor() throws {
        var animations = GridAnimations(screenRows: 24)
        #expect(animations.isEmpty)
        animations.add(
            [try animation(column: 0, row: 2, rows: 3), try animation(column: 9, row: 0, rows: 5)], lineCount: 6)
        animations.add([], lineCount: 2)
        animations.add([try animation(column: 9, row: 1, rows: 2)], lineCount: 4)
        let rects = animations.visible(above: 20).map(\.rect)
        #expect(rects.map(\.column) == [0, 9, 9] && rects.map(\.row) == [10, 8, 17])
    }

    /// A grid that is higher than the screen, and a cursor that is not in its last row.
    @Test func animationsAboveTheScreenAreLeftOut() throws {
        var animations = GridAnimations(screenRows: 11)
        for _ in 0..<100 { animations.add([try animation(column: 0, row: 0, rows: 3)], lineCount: 4) }
        // Only the last row of the first of these is on the screen.
        #expect(animations.visible(above: 10).map(\.rect.row) == [-2, 2, 6])
        #expect(animations.visible(above: 9).map(\.rect.row) == [1, 5])
        #expect(animations.visible(above: 4).map(\.rect.row) == [0])
        #expect(animations.visible(above: 1).map(\.rect.row) == [])
    }

    @Test func animationsBeyondTheMemoryShowTheirFirstFrame() throws {
        let cost = try animation(column: 0, row: 0, rows: 3).frames.memoryCost
        try #require(cost > 0)
        var animations = GridAnimations(screenRows: 24, memoryLimit: 2 * cost)
        let row = try [0, 9].map { try animation(column: $0, row: 0, rows: 3) }
        animations.add(row, lineCount: 4)
        #expect(animations.visible(above: 20).count == 2 && animations.note == nil)
        animations.add([try animation(column: 18, row: 0, rows: 3)], lineCount: 4)
        // The newest ones play: they stay on the screen for longer.
        #expect(animations.visible(above: 20).map(\.rect.column) == [9, 18])
        #expect(animations.note?.hasSuffix(": 1") == true)
        animations.add([], lineCount: 20)
        #expect(animations.note == nil)
    }

    /// Otherwise a long grid would hold the frames of all its animations.
    @Test func animationsThatHaveScrolledAwayAreForgotten() throws {
        var animations = GridAnimations(screenRows: 10)
        animations.add([try animation(column: 0, row: 0, rows: 3)], lineCount: 4)
        animations.add([], lineCount: 7)
        #expect(!animations.isEmpty)
        animations.add([], lineCount: 1)
        #expect(animations.isEmpty)
    }
}
