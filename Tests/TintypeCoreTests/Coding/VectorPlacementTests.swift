import Testing

@testable import TintypeCore

/// Where a document lies when a part of it is drawn.
@Suite struct VectorPlacementTests {
    private static let document = DrawingSize(width: 20, height: 10)

    @Test func aPartFillsTheBitmap() throws {
        let part = PixelRect(x: 5, y: 2, size: PixelSize(width: 10, height: 4))
        let placement = try VectorPlacement(of: part, in: Self.document, at: PixelSize(width: 100, height: 20))
        #expect(placement.x == -50 && placement.y == -10)
        #expect(placement.width == 200 && placement.height == 50)
        #expect(placement.size == PixelSize(width: 200, height: 50))
    }

    /// cairo reported an intact document as damaged.
    @Test(arguments: [(32_767, 1, true), (1, 32_767, true), (32_768, 1, false), (1, 65_535, false)])
    func aBitmapHasSidesThatCairoCanDraw(_ width: Int, _ height: Int, _ isDrawn: Bool) {
        let size = PixelSize(width: width, height: height)
        let result = Result { () throws(TintypeError) in try VectorPlacement(of: nil, in: Self.document, at: size) }
        guard case .failure(let error) = result else {
            #expect(isDrawn)
            return
        }
        #expect(!isDrawn && error.limit == .library && error.message.contains("\(size)"))
    }

    @Test(arguments: [
        (0.2, 1), (1, 1), (1.5, 2), (-3, 0), (0, 0), (1e12, 1_000_000_000), (Double.nan, 0), (.infinity, 0),
        (-.infinity, 0),
    ])
    func sidesAreWholePixels(_ side: Double, _ pixels: Int) {
        #expect(DrawingSize(width: side, height: 7).pixels == PixelSize(width: pixels, height: 7))
        #expect(DrawingSize(width: 7, height: side).pixels == PixelSize(width: 7, height: pixels))
    }
}
