import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Blur, round corners, tint, colours and overlays: transformers that change the look but not the shape.
@Suite struct LookTests {
    private func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    // MARK: - Blur

    /// For a hard edge between black and white, three extended boxes differ from a Gaussian by at most this many of 255
    /// steps.
    @Test(arguments: [1.0, 1.5, 2, 3.7, 10, 40]) func aBlurIsCloseToAGaussian(_ radius: Double) throws {
        let edge = try PixelBuffer.drawn(size(301, 3)) { x, _ in
            x < 150 ? Pixel(red: 0, green: 0, blue: 0) : Pixel(red: 255, green: 255, blue: 255)
        }
        let blurred = try BlurTransformer(radius: radius).transform(edge)
        for x in 0..<301 {
            let expected = 127.5 * (1 + erf((Double(x) - 149.5) / (radius * 2.0.squareRoot())))
            #expect(abs(Double(blurred[x, 1].red) - expected) < 4.5, "radius \(radius), x \(x)")
        }
    }

    @Test(arguments: [0.3, 1, 2.5, 8, 200, .infinity, 1e300]) func aFlatImageStaysFlatUnderABlur(_ radius: Double)
        throws
    {
        let pixel = Pixel(red: 10, green: 100, blue: 199, alpha: 200)
        let blurred = try BlurTransformer(radius: radius).transform(.filled(pixel, size: size(37, 21)))
        #expect(blurred.colorsAndAlphas.allSatisfy { $0 == pixel })
    }

    @Test func aBlurMatchesTheDefinitionWithinOne() throws {
        var random = SeededRandom.printed("blur")
        let image = try PixelBuffer.noise(23, 17, &random)
        for radius in [0.4, 1.3, 3, 20] {
            let blurred = try BlurTransformer(radius: radius).transform(image)
            let expected = try blurredByDefinition(image, try #require(BlurBox(radius: radius)))
            #expect(try #require(PixelDifference(between: blurred, and: expected)).maximum <= 1)
            #expect(blurred.isPremultiplied)
        }
    }

    @Test func aBoxHasTheVarianceOfItsGaussian() throws {
        for radius in [0.2, 0.5, 1, 2, 3.3, 64, 1000] {
            let box = try #require(BlurBox(radius: radius))
            let inner = (0...box.reach).reduce(0.0) { $0 + 2 * Double($1 * $1) * Double(box.fullWeight) }
            let outer = 2 * Double((box.reach + 1) * (box.reach + 1)) * Double(box.edgeWeight)
            #expect(abs(3 * (inner + outer) / (radius * radius) - 1) < 1e-3)
            #expect(abs(Double(2 * box.reach + 1) * Double(box.fullWeight) + 2 * Double(box.edgeWeight) - 1) < 1e-5)
        }
    }

    @Test func aZeroRadiusChangesNothingAndAnInvalidOneIsAnError() throws {
        let image = try PixelBuffer.numbered(5, 5)
        #expect(PixelDifference(between: try BlurTransformer(radius: 0).transform(image), and: image)?.maximum == 0)
        for radius in [-1.0, -Double.infinity, Double.nan] {
            expectError(.transformFailed) { try BlurTransformer(radius: radius).transform(image) }
        }
    }

    private func blurredByDefinition(_ image: PixelBuffer, _ box: BlurBox) throws -> PixelBuffer {
        var planes = (0..<4).map { channel in
            image.colorsAndAlphas.map { Double([$0.red, $0.green, $0.blue, $0.alpha][channel]) }
        }
        let (width, height) = (image.size.width, image.size.height)
        for vertical in [false, true] {
            for _ in 0..<3 { planes = planes.map { pass($0, width, height, box, vertical) } }
        }
        return try .drawn(image.size) { x, y in
            func channel(_ index: Int) -> UInt8 { UInt8(planes[index][y * width + x].rounded()) }
            return Pixel(red: channel(0), green: channel(1), blue: channel(2), alpha: channel(3))
        }
    }

    private func pass(_ plane: [Double], _ width: Int, _ height: Int, _ box: BlurBox, _ vertical: Bool) -> [Double] {
        (0..<width * height).map { index in
            let (x, y) = (index % width, index / width)
            return (-box.reach - 1...box.reach + 1).reduce(0.0) { sum, step in
                let column = vertical ? x : min(max(x + step, 0), width - 1)
                let row = vertical ? min(max(y + step, 0), height - 1) : y
                return sum + plane[row * width + column]
                    * Double(abs(step) > box.reach ? box.edgeWeight : box.fullWeight)
            }
        }
    }

    // MARK: - Round corners

    @Test func roundCornersCutAQuarterCircleEach() throws {
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size(100, 60))
        let rounded = try RoundCornersTransformer(radius: 20).transform(white)
        let area = rounded.colorsAndAlphas.reduce(0.0) { $0 + Double($1.alpha) / 255 }
        #expect(abs(area - (6000 - (4 - .pi) * 400)) < 2)
        #expect(rounded[0, 0].alpha == 0 && rounded[99, 59].alpha == 0)
        #expect(rounded[50, 0].alpha == 255 && rounded[0, 30].alpha == 255)
    }

    @Test func onlyTheSelectedCornersAreRound() throws {
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size(40, 40))
        let rounded = try RoundCornersTransformer(radius: 10, corners: [.topLeft, .bottomRight]).transform(white)
        #expect([rounded[0, 0], rounded[39, 39]].allSatisfy { $0.alpha == 0 })
        #expect([rounded[39, 0], rounded[0, 39]].allSatisfy { $0.alpha == 255 })
    }

    @Test func aBorderLiesInsideTheEdge() throws {
        let blue = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 255), size: size(40, 40))
        let red = Color(red: 255, green: 0, blue: 0)
        let framed = try RoundCornersTransformer(radius: 10, borderWidth: 3, borderColor: red).transform(blue)
        #expect(framed[0, 20] == red.pixel && framed[2, 20] == red.pixel && framed[20, 39] == red.pixel)
        #expect(framed[3, 20] == Pixel(red: 0, green: 0, blue: 255))
        #expect(framed[0, 0].alpha == 0)
        #expect(framed.isPremultiplied)
        let thin = try RoundCornersTransformer(radius: 0, borderWidth: 0.5, borderColor: red).transform(blue)
        #expect(abs(Int(thin[0, 20].red) - 128) <= 1 && thin[0, 20].alpha == 255)
    }

    @Test func aCircleIsACircle() throws {
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size(80, 51))
        let circle = try CircleTransformer().transform(white)
        #expect(circle.size == size(51, 51))
        let area = circle.colorsAndAlphas.reduce(0.0) { $0 + Double($1.alpha) / 255 }
        #expect(abs(area - .pi * 25.5 * 25.5) < 5)
    }

    @Test func radiiAreLimitedAndInvalidOnesAreErrors() throws {
        let image = try PixelBuffer.numbered(7, 4)
        #expect(
            PixelDifference(between: try RoundCornersTransformer(radius: 0).transform(image), and: image)?.maximum == 0)
        let round = try RoundCornersTransformer(radius: .infinity).transform(image)
        let half = try RoundCornersTransformer(radius: 2).transform(image)
        #expect(PixelDifference(between: round, and: half)?.maximum == 0)
        for radius in [-1.0, Double.nan] {
            expectError(.transformFailed) { try RoundCornersTransformer(radius: radius).transform(image) }
            expectError(.transformFailed) {
                try RoundCornersTransformer(radius: 1, borderWidth: radius).transform(image)
            }
        }
    }

    // MARK: - Colours

    @Test func aTintKeepsTheShape() throws {
        let image = try PixelBuffer.filled(Pixel(red: 10, green: 20, blue: 30, alpha: 100))
        let tinted = try TintTransformer(Color(red: 255, green: 0, blue: 0)).transform(image)
        #expect(tinted[0, 0] == Pixel(red: 100, green: 0, blue: 0, alpha: 100))
        let half = try TintTransformer(Color(red: 0, green: 0, blue: 0, alpha: 128), mode: .normal).transform(image)
        #expect(half[0, 0] == Pixel(red: 5, green: 10, blue: 15, alpha: 178))
    }

    @Test func flatteningMakesTheImageOpaque() throws {
        let image = try PixelBuffer.filled(Pixel(red: 10, green: 20, blue: 30, alpha: 100))
        #expect(
            try FlattenTransformer(on: .white).transform(image)[0, 0] == Pixel(red: 165, green: 175, blue: 185))
    }

    @Test(arguments: [
        (ColorMatrix.inverted, Color(red: 245, green: 155, blue: 55)),
        (.brightness(0.2), Color(red: 61, green: 151, blue: 251)),
        (.brightness(1), .white), (.brightness(-1), .black),
        (.contrast(0), Color(red: 128, green: 128, blue: 128)), (.contrast(1), Color(red: 10, green: 100, blue: 200)),
        (.grey, Color(red: 88, green: 88, blue: 88)), (.saturation(1), Color(red: 10, green: 100, blue: 200)),
        (.sepia, Color(red: 119, green: 106, blue: 82)),
    ]) func matricesAdjustColors(_ matrix: ColorMatrix, _ expected: Color) throws {
        let image = try PixelBuffer.filled(Color(red: 10, green: 100, blue: 200).pixel)
        #expect(try ColorTransformer(matrix).transform(image).color(x: 0, y: 0) == expected)
    }

    @Test func aMatrixAppliesToNonPremultipliedColors() throws {
        let image = try PixelBuffer.filled(Color(red: 255, green: 0, blue: 0, alpha: 100).pixel)
        let inverted = try ColorTransformer(.inverted).transform(image)
        #expect(inverted[0, 0] == Pixel(red: 0, green: 100, blue: 100, alpha: 100))
    }

    @Test func twoMatricesCombineIntoOne() throws {
        let both = ColorMatrix.saturation(0.4).then(.contrast(0.8))
        var random = SeededRandom.printed("matrix")
        let image = try PixelBuffer.noise(20, 20, &random)
        let inSteps = try ColorTransformer(.contrast(0.8)).transform(
            ColorTransformer(.saturation(0.4)).transform(image))
        let atOnce = try ColorTransformer(both).transform(image)
        #expect(try #require(PixelDifference(between: inSteps, and: atOnce)).maximum <= 2)
    }

    @Test func anInvalidMatrixIsRejected() {
        #expect(ColorMatrix([1, 2]) == nil)
        #expect(ColorMatrix([Float](repeating: .nan, count: 20)) == nil)
        expectError(.transformFailed) {
            try ColorTransformer(brightness: .nan).transform(.numbered(1, 1))
        }
    }

    // MARK: - Overlays

    @Test func anOverlayIsPlacedByItsGravity() throws {
        let image = try PixelBuffer.numbered(10, 8)
        let mark = Pixel(red: 255, green: 255, blue: 255)
        let overlay = try PixelBuffer.filled(mark, size: size(3, 2))
        for (gravity, x, y) in [
            (Gravity.topLeft, 1, 2), (.bottomRight, 6, 4), (.topRight, 6, 2), (.bottomLeft, 1, 4), (.center, 4, 5),
        ] {
            let marked = try OverlayTransformer(overlay, gravity: gravity, inset: size(1, 2)).transform(image)
            let pixels = (0..<8).flatMap { y in (0..<10).map { ($0, y) } }.filter { marked[$0.0, $0.1] == mark }
            #expect(pixels.count == 6 && pixels.first?.0 == x && pixels.first?.1 == y, "\(gravity)")
        }
    }

    @Test func anOverlayBeyondTheEdgeIsClipped() throws {
        let image = try PixelBuffer.numbered(4, 4)
        let mark = Pixel(red: 255, green: 255, blue: 255)
        let large = try PixelBuffer.filled(mark, size: size(9, 9))
        #expect(try OverlayTransformer(large).transform(image).colorsAndAlphas.allSatisfy { $0 == mark })
        let away = OverlayTransformer(large, inset: size(.max, .min))
        #expect(PixelDifference(between: try away.transform(image), and: image)?.maximum == 0)
    }

    @Test func opacityFadesAnOverlay() throws {
        let black = try PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0))
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255))
        #expect(try OverlayTransformer(white, opacity: 0.2).transform(black)[0, 0].red == 51)
        #expect(try OverlayTransformer(white, opacity: -3).transform(black)[0, 0].red == 0)
        expectError(.transformFailed) { try OverlayTransformer(white, opacity: .nan).transform(black) }
    }
}
