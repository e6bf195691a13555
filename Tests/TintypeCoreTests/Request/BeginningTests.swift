import Testing
import TintypeTesting

@testable import TintypeCore

/// What of a chain the decoder is asked for.
@Suite struct BeginningTests {
    private static let size = PixelSize(width: 20, height: 10)

    private func beginning(_ transforms: any ImageTransformer..., decode: DecodeOptions.Size = .full) -> Rendition {
        Rendition(decode: DecodeOptions(size: decode), transforms: transforms, transformScope: .animated)
            .beginning(takesSize: true)
    }

    @Test(arguments: [
        (ResizeTransformer.Mode.fit, DecodeOptions.Size.fit(size)), (.fill, .cover(size)), (.stretch, .stretch(size)),
    ]) func aFirstResizeIsAskedOfTheDecoder(_ mode: ResizeTransformer.Mode, _ asked: DecodeOptions.Size) {
        let beginning = beginning(ResizeTransformer(to: Self.size, mode: mode))
        #expect(beginning.decode.size == asked && beginning.decode.sizeScope == .animated)
        #expect(beginning.transforms.isEmpty)
        let flipped = self.beginning(FlipTransformer(vertical: true), ResizeTransformer(to: Self.size, mode: mode))
        #expect(flipped.decode.size == asked && flipped.transforms.map(\.identifier) == ["flip(v)"])
    }

    @Test func whatTheDecoderDoesNotDoIsNotAskedOfIt() {
        let resize = ResizeTransformer(to: Self.size)
        for rendition in [
            beginning(ResizeTransformer(to: Self.size, filter: .box)), beginning(BlurTransformer(radius: 2), resize),
            beginning(ResizeTransformer(to: PixelSize(width: 0, height: 5))), beginning(BlurTransformer(radius: 2)),
            beginning(resize, resize), beginning(CropTransformer(to: Self.size), resize),
            beginning(FlipTransformer(), CropTransformer(to: PixelRect(x: 0, y: 0, size: Self.size)), resize),
            Rendition(transforms: [resize]).beginning(takesSize: false),
        ] { #expect(rendition.decode.size == .full && rendition.decode.sizeScope == nil) }
        #expect(beginning(resize, decode: .atMost(bytes: 9)).decode.size == .atMost(bytes: 9))
    }

    @Test func aFirstCropIsAskedOfTheDecoder() {
        let rect = PixelRect(x: 3, y: 4, size: Self.size)
        let (crop, flip) = (CropTransformer(to: rect), FlipTransformer(horizontal: true))
        let asked = beginning(crop, flip, ResizeTransformer(to: Self.size))
        #expect(
            asked.decode.crop == rect && asked.decode.size == .fit(Self.size) && asked.decode.sizeScope == .animated)
        #expect(asked.transforms.map(\.identifier) == ["flip(h)"])
        let alone = Rendition(transforms: [crop]).takingCrop()
        #expect(alone?.decode.crop == rect && alone?.transforms.isEmpty == true)
        #expect(beginning(crop, BlurTransformer(radius: 1)).decode.crop == nil)
        #expect(Rendition(decode: DecodeOptions(size: .fit(Self.size)), transforms: [crop]).takingCrop() == nil)
        #expect(Rendition(transforms: [CropTransformer(to: Self.size)]).takingCrop() == nil)
    }

    @Test func whatIsNotTransformedIsDecodedWhole() {
        var options = DecodeOptions(size: .fit(Self.size))
        options.sizeScope = []
        let still = ImageInfo(format: .png, size: PixelSize(width: 100, height: 100))
        var animated = still
        animated.frameCount = 2
        #expect(options.resolved(for: still).size == .fit(Self.size))
        #expect(options.resolved(for: animated).size == .full)
        #expect(options.resolved(for: ImageInfo(format: .svg, size: still.size)).size == .full)
        options.sizeScope = .all
        #expect(options.resolved(for: animated).size == .fit(Self.size))
        options.sizeScope = nil
        #expect(options.resolved(for: animated).size == .fit(Self.size))
    }

    @Test func theSizeThatATransformAskedForHasAKeyOfItsOwn() {
        let asked = beginning(ResizeTransformer(to: Self.size)).identifier
        #expect(asked != Rendition(decode: DecodeOptions(size: .fit(Self.size))).identifier)
        #expect(asked != beginning(ResizeTransformer(to: Self.size, mode: .fill)).identifier)
    }

    @Test(arguments: [
        (ResizeTransformer.Mode.fit, 20, 5), (.fill, 40, 10), (.stretch, 20, 10),
    ]) func aVectorPictureIsDrawnAtTheSizeThatTheTransformsNeed(
        _ mode: ResizeTransformer.Mode, _ width: Int, _ height: Int
    ) {
        let asked = beginning(FlipTransformer(), ResizeTransformer(to: Self.size, mode: mode)).decode.size
        #expect(asked.vectorTarget(for: PixelSize(width: 8, height: 2)) == PixelSize(width: width, height: height))
    }
}
