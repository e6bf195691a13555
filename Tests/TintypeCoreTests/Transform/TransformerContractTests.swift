import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// Properties of all transformers.
@Suite struct TransformerContractTests {
    private struct Failure: Error {}

    private static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    /// Returns every transformer with every parameter changed once. No two of them give the same result for every
    /// image.
    static func all() throws -> [any ImageTransformer] {
        let (white, black) = try (
            PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255)),
            PixelBuffer.filled(Pixel(red: 0, green: 0, blue: 0))
        )
        let wide = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: size(2, 1))
        let red = Color(red: 255, green: 0, blue: 0)
        return [
            ResizeTransformer(to: size(3, 2)), ResizeTransformer(to: size(2, 3)),
            ResizeTransformer(to: size(3, 2), mode: .fill), ResizeTransformer(to: size(3, 2), mode: .stretch),
            ResizeTransformer(to: size(3, 2), filter: .box), ResizeTransformer(to: size(3, 2), isEnlarging: true),
            ResizeTransformer(to: size(3, 2), mode: .fill, gravity: .top),
            CropTransformer(to: PixelRect(x: 1, y: 0, size: size(2, 3))),
            CropTransformer(to: PixelRect(x: 0, y: 1, size: size(2, 3))), CropTransformer(to: size(2, 3)),
            CropTransformer(to: size(2, 3), gravity: .smart), CropTransformer(to: size(2, 3), gravity: .left),
            CropTransformer(to: size(2, 3), around: FocalPoint(x: 0, y: 0.5)),
            CropTransformer(to: size(2, 3), around: FocalPoint(x: 1, y: 0.5)),
            ResizeTransformer(to: size(3, 2), mode: .fill, focalPoint: FocalPoint(x: 0, y: 0.5)),
            CanvasTransformer(size(3, 2)), CanvasTransformer(size(2, 3)), CanvasTransformer(size(3, 2), gravity: .top),
            CanvasTransformer(size(3, 2), color: red), TransformerChain.letterbox(size(3, 2)),
            RotateTransformer(degrees: 90), RotateTransformer(degrees: 90.00000001),
            RotateTransformer(degrees: 90, isFitting: false), FlipTransformer(horizontal: true),
            FlipTransformer(vertical: true), FlipTransformer(horizontal: true, vertical: true),
            RoundCornersTransformer(radius: 1), RoundCornersTransformer(radius: 2),
            RoundCornersTransformer(radius: 1, corners: [.topLeft]), RoundCornersTransformer(radius: 1, borderWidth: 1),
            RoundCornersTransformer(radius: 1, borderWidth: 1, borderColor: red), CircleTransformer(),
            CircleTransformer(borderWidth: 1), CircleTransformer(borderWidth: 1, borderColor: red),
            TintTransformer(red), TintTransformer(.black), TintTransformer(red, mode: .multiply),
            BlurTransformer(radius: 1), BlurTransformer(radius: 2), SharpenTransformer(radius: 1),
            SharpenTransformer(radius: 2), SharpenTransformer(radius: 1, amount: 2),
            SharpenTransformer(radius: 1, threshold: 2), PixelateTransformer(side: 2), PixelateTransformer(side: 3),
            ColorTransformer(.grey), ColorTransformer(.sepia),
            ColorTransformer(.inverted), ColorTransformer(brightness: 0.1), OverlayTransformer(white),
            OverlayTransformer(black), OverlayTransformer(wide), OverlayTransformer(white, gravity: .top),
            OverlayTransformer(white, inset: size(1, 0)), OverlayTransformer(white, mode: .multiply),
            OverlayTransformer(white, opacity: 0.5), FlattenTransformer(), FlattenTransformer(on: red),
            PadTransformer(top: 1), PadTransformer(left: 1), PadTransformer(bottom: 1),
            PadTransformer(right: 1), PadTransformer(top: 1, left: 1, bottom: 1, right: 1, color: red),
            TrimTransformer(),
            TrimTransformer(tolerance: 1), ClosureTransformer(identifier: "own") { $0 },
            TransformerChain([FlipTransformer(horizontal: true), BlurTransformer(radius: 1)]),
            TransformerChain([BlurTransformer(radius: 1), FlipTransformer(horizontal: true)]),
        ]
    }

    @Test func identifiersAreDistinct() throws {
        let identifiers = try Self.all().map(\.identifier)
        #expect(Set(identifiers).count == identifiers.count)
    }

    @Test func aClosureNamedLikeABuiltInTransformerHasAnotherIdentifier() throws {
        for transformer in try Self.all() {
            let closure = ClosureTransformer(identifier: transformer.identifier) { $0 }
            #expect(closure.identifier != transformer.identifier)
        }
    }

    @Test func identifiersAreStable() throws {
        #expect(try Self.all().map(\.identifier) == Self.all().map(\.identifier))
        #expect(BlurTransformer(radius: 0).identifier == BlurTransformer(radius: -0.0).identifier)
    }

    @Test func equivalentParametersShareAnIdentifier() throws {
        let white = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255))
        let pairs: [(any ImageTransformer, any ImageTransformer)] = [
            (RotateTransformer(degrees: 450), RotateTransformer(degrees: 90)),
            (RotateTransformer(degrees: -180), RotateTransformer(degrees: 180)),
            (RotateTransformer(degrees: 330), RotateTransformer(degrees: -30)),
            (ResizeTransformer(to: Self.size(3, 2), gravity: .top), ResizeTransformer(to: Self.size(3, 2))),
            (OverlayTransformer(white, opacity: 7), OverlayTransformer(white)),
            (OverlayTransformer(white, opacity: -7), OverlayTransformer(white, opacity: 0)),
        ]
        let image = try PixelBuffer.numbered(7, 5)
        for (first, second) in pairs {
            #expect(first.identifier == second.identifier)
            #expect(try PixelDifference(between: first.transform(image), and: second.transform(image))?.maximum == 0)
        }
    }

    @Test func identifiersHaveACanonicalForm() throws {
        let expected: [(any ImageTransformer, String)] = [
            (ResizeTransformer(to: Self.size(3, 2), mode: .fill, gravity: .smart), "resize(3x2,fill,lanczos3,smart)"),
            (CropTransformer(to: PixelRect(x: -1, y: 2, size: Self.size(3, 4))), "crop(-1,2,3,4)"),
            (CropTransformer(to: Self.size(3, 4), around: FocalPoint(x: 0.25, y: 1)), "crop(3x4,focus(0.25,1.0))"),
            (CanvasTransformer(Self.size(3, 2), gravity: .top), "canvas(3x2,top,#00000000)"),
            (
                ResizeTransformer(to: Self.size(3, 2), mode: .fill, focalPoint: FocalPoint(x: 0, y: 1)),
                "resize(3x2,fill,lanczos3,focus(0.0,1.0))"
            ),
            (RotateTransformer(degrees: 22.5, isFitting: false), "rotate(22.5,keep)"),
            (FlipTransformer(horizontal: true, vertical: true), "flip(hv)"),
            (RoundCornersTransformer(radius: 4, corners: [.topLeft]), "round(4.0,1,0.0,#00000000)"),
            (TintTransformer(Color(red: 1, green: 2, blue: 255)), "tint(#0102ffff,sourceIn)"),
            (BlurTransformer(radius: 2), "blur(2.0)"),
            (SharpenTransformer(radius: 2, amount: 1.5, threshold: 3), "sharpen(2.0,1.5,3)"),
            (PixelateTransformer(side: 8), "pixelate(8)"), (TrimTransformer(tolerance: 3), "trim(3)"),
            (PadTransformer(top: 1, left: 2, bottom: 3, right: 4), "pad(1,2,3,4,#00000000)"),
            (
                TransformerChain([TrimTransformer(tolerance: 3), BlurTransformer(radius: 2)]),
                "chain(7:trim(3),9:blur(2.0))"
            ),
        ]
        for (transformer, identifier) in expected { #expect(transformer.identifier == identifier) }
    }

    @Test func everySizeGivesAnImageOrAnError() throws {
        var random = SeededRandom.printed("sizes")
        for (width, height) in [(1, 1), (1, 7), (7, 1), (2, 3), (17, 5), (64, 1)] {
            let image = try PixelBuffer.noise(width, height, &random)
            for transformer in try Self.all() {
                do throws(TintypeError) {
                    let result = try transformer.transform(image)
                    #expect(
                        result.size.isPositive && result.isPremultiplied, "\(transformer.identifier), \(image.size)")
                } catch {
                    #expect(error.code == .transformFailed, "\(transformer.identifier), \(image.size)")
                }
            }
        }
    }

    private static let oddNumbers = [
        Double.nan, .infinity, -.infinity, .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
        -.leastNonzeroMagnitude, -0.0, 1e-9, -1, 0.5, 4e9, 1e19,
    ]

    @Test(arguments: oddNumbers) func everyUnusualNumberGivesAnImageOrAnError(_ number: Double) throws {
        let (red, small) = try (Color(red: 255, green: 0, blue: 0), PixelBuffer.numbered(2, 2))
        let transformers: [any ImageTransformer] = [
            RotateTransformer(degrees: number), RotateTransformer(degrees: number, isFitting: false),
            RoundCornersTransformer(radius: number), CircleTransformer(borderWidth: number, borderColor: red),
            RoundCornersTransformer(radius: 2, borderWidth: number, borderColor: red), BlurTransformer(radius: number),
            ColorTransformer(brightness: Float(number)), ColorTransformer(contrast: Float(number)),
            ColorTransformer(saturation: Float(number)), SharpenTransformer(radius: number),
            SharpenTransformer(radius: 1, amount: number), OverlayTransformer(small, opacity: number),
        ]
        try expectImageOrError(transformers)
    }

    @Test(arguments: [Int.min, Int.min + 1, -(1 << 32), -1, 0, 1, 3, 1 << 20, 1 << 32, .max - 1, .max])
    func everyUnusualLengthGivesAnImageOrAnError(_ length: Int) throws {
        let small = try PixelBuffer.numbered(2, 2)
        var transformers: [any ImageTransformer] = [
            TrimTransformer(tolerance: length), PixelateTransformer(side: length),
            SharpenTransformer(radius: 1, threshold: length),
        ]
        for size in [Self.size(length, 2), Self.size(2, length), Self.size(length, length)] {
            for gravity in Gravity.allCases {
                transformers += [
                    CropTransformer(to: size, gravity: gravity),
                    OverlayTransformer(small, gravity: gravity, inset: size),
                    ResizeTransformer(to: size, mode: .fill, gravity: gravity),
                    CropTransformer(to: size, around: FocalPoint(x: 0.3, y: 0.9)),
                ]
                if length < 1 << 20 || length > 1 << 30 {
                    transformers.append(CanvasTransformer(size, gravity: gravity))
                }
            }
            for position in [length, 0 &- length, 1] {
                transformers.append(CropTransformer(to: PixelRect(x: position, y: 1, size: size)))
                transformers.append(CropTransformer(to: PixelRect(x: 1, y: position, size: size)))
            }
            // The largest sizes allowed would only make the test slow.
            guard length < 1 << 20 || length > 1 << 30 else { continue }
            transformers += ResizeTransformer.Mode.allCases.map {
                ResizeTransformer(to: size, mode: $0, isEnlarging: true)
            }
            transformers.append(PadTransformer(top: size.width, right: size.height))
        }
        try expectImageOrError(transformers)
    }

    private func expectImageOrError(_ transformers: [any ImageTransformer]) throws {
        for image in try [PixelBuffer.numbered(1, 1), .numbered(1, 9), .numbered(9, 1), .numbered(7, 5)] {
            for transformer in transformers {
                do throws(TintypeError) {
                    let result = try transformer.transform(image)
                    #expect(result.size.isPositive && result.isPremultiplied, "\(transformer.identifier)")
                } catch {
                    #expect([.transformFailed, .limitExceeded].contains(error.code), "\(transformer.identifier)")
                }
            }
        }
    }

    /// SDWebImage's `preserveImageMetadata`, which is always on.
    @Test func transformedImagesKeepTheirMetadata() throws {
        let info = ImageInfo(format: .jpeg, size: Self.size(70, 50), orientation: .right)
        let received = Date(timeIntervalSinceReferenceDate: 7)
        let image = Image(pixels: try .numbered(7, 5), info: info, scale: 2, received: received)
        for transformer in try Self.all() {
            let result = try image.transformed(by: transformer)
            #expect(
                result.info == info && result.scale == 2 && result.received == received, "\(transformer.identifier)")
        }
    }

    @Test func resizingEnlargesOnlyIfRequested() throws {
        let image = try PixelBuffer.numbered(4, 2)
        for (mode, width, height) in [(ResizeTransformer.Mode.fit, 8, 4), (.fill, 8, 8), (.stretch, 8, 8)] {
            let asked = ResizeTransformer(to: Self.size(8, 8), mode: mode, isEnlarging: true)
            #expect(try asked.transform(image).size == Self.size(width, height))
            #expect(try ResizeTransformer(to: Self.size(8, 8), mode: mode).transform(image).size == Self.size(4, 2))
        }
    }

    @Test(arguments: ResizeTransformer.Mode.allCases) func aHugeSizeIsRefused(_ mode: ResizeTransformer.Mode) throws {
        for side in [1 << 20, 1 << 40, Int.max] {
            let transformer = ResizeTransformer(to: Self.size(side, side), mode: mode, isEnlarging: true)
            expectError(.limitExceeded) { try transformer.transform(.numbered(3, 3)) }
        }
    }

    @Test func fillingKeepsTheSideThatGravityNames() throws {
        let image = try PixelBuffer.drawn(Self.size(30, 10)) { x, _ in Pixel(red: x < 15 ? 0 : 255, green: 0, blue: 0)
        }
        for (gravity, red) in [(Gravity.left, UInt8(0)), (.right, 255)] {
            let transformer = ResizeTransformer(to: Self.size(5, 5), mode: .fill, gravity: gravity)
            #expect(try transformer.transform(image)[2, 2].red == red)
        }
    }

    @Test func aChainEqualsItsPartsInSequence() throws {
        var random = SeededRandom.printed("chain")
        // Higher than one strip.
        let image = try PixelBuffer.noise(300, 500, &random)
        let parts: [any ImageTransformer] = [
            ColorTransformer(.contrast(0.7)),
            TintTransformer(Color(red: 9, green: 99, blue: 200, alpha: 90), mode: .overlay),
            RoundCornersTransformer(radius: 60, borderWidth: 3, borderColor: .white),
            CropTransformer(to: Self.size(200, 333)), FlattenTransformer(),
            OverlayTransformer(try .noise(90, 200, &random), gravity: .center), FlipTransformer(vertical: true),
        ]
        var expected = image
        for part in parts { expected = try part.transform(expected) }
        let result = try TransformerChain(parts).transform(image)
        #expect(PixelDifference(between: result, and: expected)?.maximum == 0)
    }

    @Test func aClosureMayDrawAnyPixels() throws {
        let red = Pixel(red: 255, green: 0, blue: 0)
        let drawing = ClosureTransformer(identifier: "own") { pixels in
            try PixelBuffer.filled(red, size: PixelSize(width: 2 * pixels.size.width, height: 1))
        }
        let result = try drawing.transform(.numbered(3, 2))
        #expect(result.size == Self.size(6, 1) && (0..<6).allSatisfy { result[$0, 0] == red })
    }

    @Test func aClosuresErrorIsTheUnderlyingError() throws {
        let failing = ClosureTransformer(identifier: "own") { _ in throw Failure() }
        let error = expectError(.transformFailed) { try failing.transform(.numbered(1, 1)) }
        #expect(error?.underlying is Failure)
    }
}
