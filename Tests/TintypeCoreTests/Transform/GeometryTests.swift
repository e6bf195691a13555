import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Crop, flip, rotate, pad and trim.
@Suite struct GeometryTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }
    private func rect(_ x: Int, _ y: Int, _ width: Int, _ height: Int) -> PixelRect {
        PixelRect(x: x, y: y, size: size(width, height))
    }
    private func pixel(_ x: Int, _ y: Int) -> Pixel { Pixel(red: UInt8(x), green: UInt8(y), blue: 7) }

    @Test(arguments: [
        (PixelRect(x: 1, y: 2, size: PixelSize(width: 3, height: 4)), 1, 2, 3, 4),
        (PixelRect(x: -5, y: -5, size: PixelSize(width: 7, height: 8)), 0, 0, 2, 3),
        (PixelRect(x: 8, y: 4, size: PixelSize(width: 100, height: 100)), 8, 4, 2, 2),
        (PixelRect(x: -1, y: -1, size: PixelSize(width: .max, height: .max)), 0, 0, 10, 6),
    ]) func aCropKeepsThePixelsInside(_ rect: PixelRect, _ x: Int, _ y: Int, _ width: Int, _ height: Int) throws {
        let cropped = try CropTransformer(to: rect).transform(.numbered(10, 6))
        #expect(cropped.size == size(width, height))
        #expect(cropped[0, 0] == pixel(x, y))
        #expect(cropped[width - 1, height - 1] == pixel(x + width - 1, y + height - 1))
    }

    @Test(arguments: [
        PixelRect(x: 10, y: 0, size: PixelSize(width: 1, height: 1)),
        PixelRect(x: 0, y: 0, size: PixelSize(width: 0, height: 5)),
        PixelRect(x: 0, y: 0, size: PixelSize(width: -5, height: 5)),
        PixelRect(x: .max, y: .max, size: PixelSize(width: .max, height: .max)),
        PixelRect(x: .min, y: .min, size: PixelSize(width: 5, height: 5)),
    ]) func anEmptyCropIsAnError(_ rect: PixelRect) throws {
        expectError(.transformFailed) { try CropTransformer(to: rect).transform(.numbered(10, 6)) }
    }

    @Test(arguments: [
        (Gravity.center, 3, 2), (.top, 3, 0), (.bottom, 3, 4), (.left, 0, 2), (.right, 6, 2), (.topLeft, 0, 0),
        (.topRight, 6, 0), (.bottomLeft, 0, 4), (.bottomRight, 6, 4),
    ]) func gravityNamesThePartThatStays(_ gravity: Gravity, _ x: Int, _ y: Int) throws {
        let cropped = try CropTransformer(to: size(4, 2), gravity: gravity).transform(.numbered(10, 6))
        #expect(cropped.size == size(4, 2))
        #expect(cropped[0, 0] == pixel(x, y))
    }

    @Test(arguments: [
        (FocalPoint(x: 0.5, y: 0.5), 3, 2), (FocalPoint(x: 0, y: 0), 0, 0), (FocalPoint(x: 1, y: 1), 6, 4),
        (FocalPoint(x: 0.3, y: 0.6), 1, 3), (FocalPoint(x: -7, y: .infinity), 0, 4),
        (FocalPoint(x: .nan, y: 0.2), 3, 0),
    ]) func aCropKeepsItsFocalPointNearTheCentre(_ point: FocalPoint, _ x: Int, _ y: Int) throws {
        let cropped = try CropTransformer(to: size(4, 2), around: point).transform(.numbered(10, 6))
        #expect(cropped.size == size(4, 2) && cropped[0, 0] == pixel(x, y))
        // A fill crops the side that does not fit.
        let filled = ResizeTransformer(to: size(4, 6), mode: .fill, focalPoint: point).plan(for: size(10, 6))
        #expect(filled.scaledSize == size(10, 6) && filled.cropRect == rect(x, 0, 4, 6))
    }

    @Test func aCanvasHasItsSizeWhateverTheImage() throws {
        let red = Color(red: 255, green: 0, blue: 0)
        let wide = try CanvasTransformer(size(12, 2), color: red).transform(.numbered(10, 6))
        #expect(wide.size == size(12, 2))
        #expect(
            wide[0, 0] == red.pixel && wide[1, 0] == pixel(0, 2) && wide[10, 1] == pixel(9, 3)
                && wide[11, 1] == red.pixel)
        let corner = try CanvasTransformer(size(11, 7), gravity: .bottomRight).transform(.numbered(10, 6))
        #expect(corner[0, 0] == Color.clear.pixel && corner[1, 1] == pixel(0, 0) && corner[10, 6] == pixel(9, 5))
        let same = try PixelBuffer.numbered(10, 6)
        #expect(try PixelDifference(between: CanvasTransformer(size(10, 6)).transform(same), and: same)?.maximum == 0)
    }

    @Test func aLetterboxIsAFitWithMargins() throws {
        let image = try PixelBuffer.filled(Pixel(red: 9, green: 8, blue: 7), size: size(100, 50))
        let box = try TransformerChain.letterbox(size(20, 20)).transform(image)
        #expect(box.size == size(20, 20))
        #expect(box[0, 4] == Color.clear.pixel && box[0, 5] == image[0, 0] && box[19, 14] == image[0, 0])
        #expect(box[0, 15] == Color.clear.pixel)
        let fit = ResizeTransformer(to: size(20, 20))
        #expect(TransformerChain.letterbox(size(20, 20)).identifier != fit.identifier)
        #expect(
            try TransformerChain.letterbox(size(20, 20), isEnlarging: false).transform(.numbered(4, 4))[8, 8]
                == pixel(0, 0))
    }

    @Test func aSmartCropFindsTheDetail() throws {
        for corner in [(30, 10), (0, 0), (260, 150)] {
            let image = try PixelBuffer.drawn(size(300, 200)) { x, y in
                let isInside = (corner.0..<corner.0 + 40).contains(x) && (corner.1..<corner.1 + 40).contains(y)
                return isInside && (x / 4 + y / 4) % 2 == 0
                    ? Pixel(red: 255, green: 255, blue: 255) : Pixel(red: 20, green: 40, blue: 60)
            }
            let crop = try SmartCrop.rect(of: size(60, 60), in: image)
            #expect(crop.x <= corner.0 + 3 && crop.x + 60 >= corner.0 + 37)
            #expect(crop.y <= corner.1 + 3 && crop.y + 60 >= corner.1 + 37)
        }
    }

    @Test func aSmartCropWithoutDetailIsCentered() throws {
        let image = try PixelBuffer.filled(Pixel(red: 9, green: 9, blue: 9), size: size(100, 50))
        #expect(try SmartCrop.rect(of: size(20, 20), in: image) == rect(40, 15, 20, 20))
    }

    @Test func flipsMirror() throws {
        let image = try PixelBuffer.numbered(5, 3)
        #expect(try FlipTransformer(horizontal: true).transform(image)[0, 0] == pixel(4, 0))
        #expect(try FlipTransformer(vertical: true).transform(image)[0, 0] == pixel(0, 2))
        #expect(try FlipTransformer(horizontal: true, vertical: true).transform(image)[0, 0] == pixel(4, 2))
        #expect(try FlipTransformer().transform(image)[0, 0] == pixel(0, 0))
    }

    @Test(arguments: [
        (0.0, 5, 3, 0, 0), (90.0, 3, 5, 4, 0), (180.0, 5, 3, 4, 2), (270.0, 3, 5, 0, 2), (-90.0, 3, 5, 0, 2),
        (360.0, 5, 3, 0, 0), (-450.0, 3, 5, 0, 2), (810.0, 3, 5, 4, 0),
    ]) func quarterTurnsAreCounterClockwise(_ degrees: Double, _ width: Int, _ height: Int, _ x: Int, _ y: Int) throws {
        let rotated = try RotateTransformer(degrees: degrees).transform(.numbered(5, 3))
        #expect(rotated.size == size(width, height))
        #expect(rotated[0, 0] == pixel(x, y))
    }

    @Test func anAngleNearAQuarterTurnMatchesIt() throws {
        var random = SeededRandom.printed("rotate")
        let image = try PixelBuffer.noise(12, 12, &random)
        for degrees in [0.0, 90, 180, -90] {
            let exact = try RotateTransformer(degrees: degrees, isFitting: false).transform(image)
            let near = try RotateTransformer(degrees: degrees + 1e-7, isFitting: false).transform(image)
            #expect(try #require(PixelDifference(between: exact, and: near)).maximum <= 1)
        }
    }

    @Test func anEighthTurnIsCounterClockwiseToo() throws {
        let (white, black) = (Pixel(red: 255, green: 255, blue: 255), Pixel(red: 0, green: 0, blue: 0))
        // A block at the top, which moves to the upper left.
        let image = try PixelBuffer.drawn(size(41, 41)) { x, y in
            (17...23).contains(x) && (2...8).contains(y) ? white : black
        }
        let rotated = try RotateTransformer(degrees: 45, isFitting: false).transform(image)
        #expect(rotated.size == image.size)
        #expect(rotated[9, 9] == white)
        #expect([rotated[31, 9], rotated[9, 31], rotated[31, 31]].allSatisfy { $0 == black })
    }

    @Test func aRotatedImageFitsAndHasSmoothEdges() throws {
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size(40, 20))
        let rotated = try RotateTransformer(degrees: 30).transform(white)
        #expect(rotated.size == size(45, 38))
        #expect(rotated[22, 19] == Pixel(red: 255, green: 255, blue: 255))
        #expect(rotated[0, 0].alpha == 0)
        #expect(rotated.colorsAndAlphas.contains { (60...200).contains($0.alpha) })
        #expect(rotated.isPremultiplied)
        // Rotation changes the area only at the edges.
        let area = rotated.colorsAndAlphas.reduce(0) { $0 + Int($1.alpha) }
        #expect(abs(Double(area) / 255 - 800) < 8)
        #expect(try RotateTransformer(degrees: 30, isFitting: false).transform(white).size == size(40, 20))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity]) func aNonFiniteAngleIsAnError(_ degrees: Double) throws {
        expectError(.transformFailed) { try RotateTransformer(degrees: degrees).transform(.numbered(5, 3)) }
    }

    @Test func aHugeAngleIsReducedToOneTurn() throws {
        let reduced = RotateTransformer(degrees: 1e300.remainder(dividingBy: 360))
        let rotated = try RotateTransformer(degrees: 1e300).transform(.numbered(5, 3))
        #expect(try PixelDifference(between: rotated, and: reduced.transform(.numbered(5, 3)))?.maximum == 0)
    }

    @Test func paddingAddsTheColorOnAllSides() throws {
        let color = Color(red: 255, green: 0, blue: 0, alpha: 128)
        let margins = PadTransformer.Margins(top: 1, left: 2, bottom: 3, right: 4)
        let padded = try PadTransformer(margins, color: color).transform(.numbered(5, 3))
        #expect(padded.size == size(11, 7))
        #expect(padded[2, 1] == pixel(0, 0) && padded[6, 3] == pixel(4, 2))
        #expect(padded[1, 1] == color.pixel && padded[7, 3] == color.pixel && padded[2, 4] == color.pixel)
    }

    @Test(
        arguments: [
            (-1, .transformFailed), (.min, .transformFailed), (.max, .limitExceeded), (1 << 27, .limitExceeded),
        ] as [(Int, TintypeError.Code)])
    func invalidMarginsAreErrors(_ margin: Int, _ code: TintypeError.Code) throws {
        expectError(code) {
            try PadTransformer(top: margin, left: margin, bottom: margin, right: margin).transform(.numbered(5, 3))
        }
    }

    @Test func aMarginBeyondTheByteLimitIsRefused() throws {
        for margins in [PadTransformer.Margins(top: 1 << 28), .init(bottom: 1 << 25), .init(left: 1 << 28)] {
            expectError(.limitExceeded) {
                try PadTransformer(margins).transform(.numbered(1, 1))
            }
        }
    }

    @Test func trimmingRemovesTheBorder() throws {
        let image = try PixelBuffer.drawn(size(20, 10)) { x, y in
            (3..<9).contains(x) && (2..<4).contains(y)
                ? Pixel(red: 0, green: 0, blue: 0) : Pixel(red: 250, green: 250, blue: UInt8(250 + x % 3))
        }
        #expect(try TrimTransformer(tolerance: 5).contentRect(of: image) == rect(3, 2, 6, 2))
        #expect(try TrimTransformer(tolerance: 5).transform(image).size == size(6, 2))
        #expect(try TrimTransformer(tolerance: 0).transform(image).size == size(19, 10))
        #expect(try TrimTransformer(tolerance: 255).transform(image).size == size(20, 10))
    }
}
