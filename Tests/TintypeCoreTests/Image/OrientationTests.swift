import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct OrientationTests {
    /// The sizes are around the tile sizes of the rotation kernel.
    @Test(arguments: Orientation.allCases) func everyPixelIsMovedToItsDisplayedPosition(_ orientation: Orientation)
        throws
    {
        for (width, height) in [(1, 1), (3, 70), (4, 4), (33, 31), (37, 5), (66, 64)] {
            let stored = try PixelBuffer.numbered(width, height)
            let displayed = try stored.oriented(orientation)
            #expect(displayed.size == orientation.displayed(stored.size))
            for y in 0..<displayed.size.height {
                for x in 0..<displayed.size.width {
                    let pixel = PixelRect(x: x, y: y, size: PixelSize(width: 1, height: 1))
                    let from = orientation.stored(pixel, in: displayed.size)
                    #expect(displayed[x, y] == stored[from.x, from.y])
                }
            }
        }
    }

    @Test(arguments: Orientation.allCases) func aDisplayedPartMapsToItsStoredPart(_ orientation: Orientation) throws {
        let stored = try PixelBuffer.numbered(9, 7)
        let displayed = try stored.oriented(orientation)
        for rect in [
            PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)),
            PixelRect(x: 1, y: 2, size: PixelSize(width: 4, height: 3)), PixelRect(x: 0, y: 0, size: displayed.size),
        ] {
            let part = orientation.stored(rect, in: displayed.size)
            let upright = try stored.cropped(to: part).oriented(orientation)
            #expect(PixelDifference(between: upright, and: try displayed.cropped(to: rect))?.maximum == 0)
        }
    }
}
