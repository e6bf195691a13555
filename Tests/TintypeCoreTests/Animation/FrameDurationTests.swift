import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct FrameDurationTests {
    @Test(arguments: [
        (0, 0.1), (0.001, 0.1), (0.01, 0.1), (0.010_999, 0.1), (0.011, 0.011), (0.02, 0.02), (0.1, 0.1),
        (655.35, 655.35),
        (-1, 0.1), (-0.0, 0.1), (Double.nan, 0.1), (-Double.infinity, 0.1),
    ])
    func durationsBelow11MillisecondsBecome100(_ stored: Double, _ played: Double) {
        #expect(FrameDuration.played(stored) == played)
    }
}

@Suite struct FrameTicksTests {
    private static let cases: [([Double], [Int])] = [
        ([0.1, 0.02, 1], [10, 2, 100]), ([0.033, 0.033, 0.033], [3, 4, 3]), ([0.011], [2]),
        ([1e9, 0.1], [65_535, 10]),
        ([.infinity, 0.1], [65_535, 10]), ([0.015, 0.015, 0.015, 0.015], [2, 2, 2, 2]), ([], []),
    ]

    @Test(arguments: cases)
    func durationsAreHundredthsInBounds(_ seconds: [Double], _ ticks: [Int]) {
        #expect(FrameDuration.ticks(seconds, perSecond: 100, in: 2...65_535) == ticks)
    }

    @Test func aLongAnimationKeepsItsDuration() {
        let ticks = FrameDuration.ticks([Double](repeating: 1.0 / 30, count: 9000), perSecond: 100, in: 2...65_535)
        #expect(ticks.reduce(0, +) == 30_000)
    }

    // MARK: Changed rectangles

    @Test func changedRectCoversExactlyTheChangedPixels() throws {
        var random = SeededRandom.printed("theRectangleHoldsEveryPixel")
        for _ in 0..<200 {
            let size = PixelSize(width: .random(in: 1...20, using: &random), height: .random(in: 1...9, using: &random))
            let indices = Set(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in Int.random(in: 0..<size.area, using: &random) })
            let (black, white) = (Pixel(red: 0, green: 0, blue: 0), Pixel(red: 0, green: 0, blue: 1))
            let former = try PixelBuffer.filled(black, size: size)
            let next = try PixelBuffer.drawn(size) { x, y in indices.contains(y * size.width + x) ? white : black }
            let (columns, rows) = (indices.map { $0 % size.width }, indices.map { $0 / size.width })
            let rect = next.changedRect(from: former)
            guard let left = columns.min(), let right = columns.max(), let top = rows.min(), let bottom = rows.max()
            else {
                #expect(rect == nil)
                continue
            }
            let whole = PixelSize(width: right - left + 1, height: bottom - top + 1)
            #expect(rect == PixelRect(x: left, y: top, size: whole))
        }
    }

    @Test func changedRectOfAnotherSizeIsEverything() throws {
        let (small, large) = (
            try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0), size: PixelSize(width: 2, height: 2)),
            try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0), size: PixelSize(width: 3, height: 2))
        )
        #expect(large.changedRect(from: small) == PixelRect(x: 0, y: 0, size: large.size))
    }
}
