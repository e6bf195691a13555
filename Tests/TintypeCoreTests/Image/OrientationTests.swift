import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct OrientationTests {
    @Test(arguments: Orientation.allCases) func aPartIsFoundWhereItIsStored(_ orientation: Orientation) throws {
        let stored = try PixelBuffer.numbered(9, 7)
        let displayed = try stored.oriented(orientation)
        for rect in [
            PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)),
            PixelRect(x: 1, y: 2, size: PixelSize(width: 4, height: 3)), PixelRect(x: 0, y: 0, size: displayed.size),
        ] {
            let part = orientation.stored(rect, in: displayed.size)
            let upright = try stored.cropped(to: part).oriented(orientation)
            #expect(PixelDifference(upright, try displayed.cropped(to: rect))?.maximum == 0)
        }
    }
}
