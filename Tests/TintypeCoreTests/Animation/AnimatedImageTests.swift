import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct AnimatedImageTests {
    static let canvas = PixelSize(width: 9, height: 7)

    private static func random(_ count: Int, _ random: inout SeededRandom) throws -> DrawnAnimation {
        var (frames, images) = ([AnimationFrame](), [PixelBuffer]())
        for _ in 0..<count {
            let size = PixelSize(width: .random(in: 1...9, using: &random), height: .random(in: 1...7, using: &random))
            let coversCanvas = Bool.random(using: &random)
            let hasAlpha = Bool.random(using: &random)
            // Some rectangles reach beyond the canvas.
            let rect =
                coversCanvas
                ? PixelRect(x: 0, y: 0, size: canvas)
                : PixelRect(x: .random(in: 0...8, using: &random), y: .random(in: 0...6, using: &random), size: size)
            let disposals: [AnimationFrame.Disposal] = [.keep, .background, .previous]
            frames.append(
                AnimationFrame(
                    rect: rect, duration: 0.1, blend: Bool.random(using: &random) ? .source : .over,
                    disposal: disposals[Int.random(in: 0..<3, using: &random)], hasAlpha: hasAlpha))
            images.append(
                try .drawn(rect.size) { _, _ in
                    let isClear = hasAlpha && Bool.random(using: &random)
                    let value = UInt8.random(in: 0...255, using: &random)
                    return isClear
                        ? Pixel(red: 0, green: 0, blue: 0, alpha: 0)
                        : Pixel(red: value, green: 255 - value, blue: 9)
                })
        }
        return DrawnAnimation(canvas: canvas, frames: frames, images: images)
    }

    /// A reference compositor: applies the rules pixel by pixel, from the first frame on.
    private static func referenceFrames(_ animation: DrawnAnimation) -> [[Pixel]] {
        let clear = Pixel(red: 0, green: 0, blue: 0, alpha: 0)
        var canvas = [Pixel](repeating: clear, count: canvas.area)
        return zip(animation.frames, animation.images).map { frame, image in
            let before = canvas
            let positions = (0..<Self.canvas.area).filter { position in
                (frame.rect.x..<frame.rect.x + frame.rect.size.width).contains(position % Self.canvas.width)
                    && (frame.rect.y..<frame.rect.y + frame.rect.size.height).contains(position / Self.canvas.width)
            }
            for position in positions {
                let pixel = image[
                    position % Self.canvas.width - frame.rect.x, position / Self.canvas.width - frame.rect.y]
                if frame.blend == .source || pixel.alpha == 255 { canvas[position] = pixel }
            }
            defer {
                switch frame.disposal {
                case .keep: break
                case .background: for position in positions { canvas[position] = clear }
                case .previous: canvas = before
                }
            }
            return canvas
        }
    }

    private func pixels(_ buffer: PixelBuffer) -> [Pixel] {
        (0..<buffer.size.area).map { buffer[$0 % buffer.size.width, $0 / buffer.size.width] }
    }

    private func animation(_ drawn: DrawnAnimation, _ options: DecodeOptions = DecodeOptions()) throws -> AnimatedImage
    {
        try AnimatedImage(Data(count: 10), decoder: drawn, info: drawn.info, context: DecodeContext(options: options))
    }

    @Test func anyFrameInAnyOrderMatchesTheReferenceCompositor() throws {
        var random = SeededRandom.printed("anyFrameInAnyOrder")
        for _ in 0..<60 {
            let drawn = try Self.random(8, &random)
            let (animation, shown) = (try animation(drawn), Self.referenceFrames(drawn))
            for _ in 0..<40 {
                let index = Int.random(in: 0..<8, using: &random)
                #expect(pixels(try animation.frame(at: index)) == shown[index])
            }
        }
    }

    @Test func inOrderEachFrameIsDecodedOnce() throws {
        var random = SeededRandom.printed("inOrderEachFrame")
        for _ in 0..<40 {
            let drawn = try Self.random(8, &random)
            let animation = try animation(drawn)
            for index in 0..<8 { _ = try animation.frame(at: index) }
            #expect(drawn.decoded.now == Array(0..<8))
        }
    }

    /// A snapshot is never painted on, and a frame that hides everything below is passed on as decoded.
    @Test func snapshotsNeverChange() throws {
        var random = SeededRandom.printed("whatWasGivenAwayStays")
        for _ in 0..<20 {
            let drawn = try Self.random(8, &random)
            let animation = try animation(drawn)
            let expected = Self.referenceFrames(drawn)
            let order = (0..<24).map { _ in Int.random(in: 0..<8, using: &random) }
            let snapshots = try order.map { try animation.frame(at: $0) }
            for (index, image) in zip(order, snapshots) { #expect(pixels(image) == expected[index]) }
        }
    }

    @Test func aFrameRequestedAgainIsNotDecodedAgain() throws {
        let drawn = try Self.sprites(3)
        let animation = try animation(drawn)
        for _ in 0..<3 { _ = try animation.frame(at: 1) }
        #expect(drawn.decoded.now == [0, 1])
    }

    @Test func aCancelledFrameLeavesTheAnimationUsable() throws {
        let drawn = try Self.sprites(3)
        let (animation, shown) = (try animation(drawn), Self.referenceFrames(drawn))
        expectError(.cancelled) { try animation.frame(at: 2, isCancelled: { true }) }
        #expect(pixels(try animation.frame(at: 2)) == shown[2])
    }

    @Test func transformersRunInOrderWhenAFrameIsRequested() throws {
        let image = try Self.sprites(3).decode(Data(), context: DecodeContext())
        let counter = CountingTransformer(identifier: "t")
        let box = PixelSize(width: 3, height: 3)
        let resize = ResizeTransformer(to: box)
        let transformed = try image.transformed(by: counter).transformed(by: resize)
        #expect(counter.count.now == 1 && transformed.size == image.size.fitted(into: box))
        let frame = try #require(try transformed.animation?.frame(at: 2))
        #expect(counter.count.now == 2)
        let expected = try resize.transform(#require(try image.animation?.frame(at: 2)))
        #expect(PixelDifference(between: frame, and: expected)?.maximum == 0)
        #expect(transformed.info == image.info && transformed.animation?.frameCount == 3)
    }

    @Test func framesThatShareTheirPixelsCountOnce() throws {
        let size = PixelSize(width: 16, height: 9)
        let (first, second) = (
            try PixelBuffer.filled(.init(red: 1, green: 2, blue: 3), size: size),
            try PixelBuffer.filled(.init(red: 4, green: 5, blue: 6), size: size)
        )
        func cost(_ frames: [PixelBuffer]) throws -> Int {
            try AnimatedImage(frames.map { TimedImage($0, duration: 0.1) }).memoryCost
        }
        let canvas = size.area * PixelBuffer.bytesPerPixel
        #expect(try cost([first, second]) == first.byteCount + second.byteCount + canvas)
        #expect(try cost([first, second, first, second, first]) == cost([first, second]))
        #expect(try cost([first, first]) == first.byteCount + canvas)
    }

    @Test func memoryCostCountsTheBytesAndOneCanvas() throws {
        let animation = try animation(Self.sprites(30))
        #expect(animation.memoryCost == 10 + Self.canvas.area * 4)
    }

    /// Returns an animation of one full frame followed by small frames that stay.
    static func sprites(_ count: Int) throws -> DrawnAnimation {
        let frames = (0..<count).map { index in
            AnimationFrame(
                rect: index == 0
                    ? PixelRect(x: 0, y: 0, size: canvas)
                    : PixelRect(x: index % 8, y: index % 6, size: PixelSize(width: 1, height: 1)),
                duration: 0.1, blend: .source)
        }
        let images = try frames.indices.map {
            try PixelBuffer.filled(Pixel(red: UInt8($0), green: 0, blue: 0), size: frames[$0].rect.size)
        }
        return DrawnAnimation(canvas: canvas, frames: frames, images: images)
    }

    /// Returns two frames that show a square at different positions and sizes.
    private static func squares() throws -> DrawnAnimation {
        let canvas = PixelSize(width: 60, height: 40)
        let frame = AnimationFrame(
            rect: PixelRect(x: 0, y: 0, size: canvas), duration: 0.1, blend: .source, disposal: .keep, hasAlpha: false)
        let images = try [(4, 10), (40, 17)].map { begin, side in
            try PixelBuffer.drawn(canvas) { x, y in
                let isInside = (begin..<begin + side).contains(x) && (5..<5 + side).contains(y)
                return isInside
                    ? Pixel(red: UInt8(x * 4), green: UInt8(y * 6), blue: 0) : Pixel(red: 9, green: 9, blue: 9)
            }
        }
        return DrawnAnimation(canvas: canvas, frames: [frame, frame], images: images)
    }

    @Test func contentTransformersAreResolvedOnce() throws {
        let animation = try Self.squares()
        let whole = try AnimatedImage(Data(), decoder: animation, info: animation.info, context: DecodeContext())
        let part = PixelSize(width: 12, height: 12)
        let trimmed = PixelRect(x: 4, y: 5, size: PixelSize(width: 10, height: 10))
        for transformer in [
            TrimTransformer(), CropTransformer(to: part, gravity: .smart),
            ResizeTransformer(to: part, mode: .fill, gravity: .smart),
            TransformerChain([FlipTransformer(vertical: true), TrimTransformer()]),
        ] as [any ImageTransformer] {
            let transformed = try whole.transformed(by: transformer)
            #expect(try transformed.frame(at: 1).size == transformed.size, "\(transformer.identifier)")
            #expect(
                try PixelDifference(between: transformed.poster, and: transformer.transform(whole.poster))?.maximum == 0
            )
        }
        let second = try whole.transformed(by: TrimTransformer()).frame(at: 1)
        #expect(try PixelDifference(between: second, and: animation.images[1].cropped(to: trimmed))?.maximum == 0)
    }

    @Test func aFrameOfAnotherSizeIsAnError() throws {
        let animation = try Self.squares()
        let whole = try AnimatedImage(Data(), decoder: animation, info: animation.info, context: DecodeContext())
        let own = try whole.transformed(
            by: ClosureTransformer(identifier: "own") { try TrimTransformer().transform($0) })
        expectError(.transformFailed) { try own.frame(at: 1) }
    }
}
