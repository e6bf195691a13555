import Testing
import TintypeTesting

@testable import TintypeCore

/// The split of a rendition, and the crop and size that move to the decoder.
@Suite struct RenditionBeginningTests {
    private static let size = PixelSize(width: 20, height: 10)

    private func beginning(_ transforms: any ImageTransformer..., decode: DecodeOptions.Size = .full) -> Rendition {
        Rendition(decode: DecodeOptions(size: decode), transforms: transforms, transformScope: [.animated])
            .beginning(takesSize: true)
    }

    @Test(arguments: [
        (ResizeTransformer.Mode.fit, DecodeOptions.Size.fit(size)), (.fill, .cover(size)), (.stretch, .shrink(size)),
    ]) func aLeadingResizeMovesToTheDecoder(_ mode: ResizeTransformer.Mode, _ size: DecodeOptions.Size) {
        let beginning = beginning(ResizeTransformer(to: Self.size, mode: mode))
        #expect(beginning.decode.size == size && beginning.decode.sizeScope == [.animated])
        #expect(beginning.transforms.isEmpty)
        let flipped = self.beginning(FlipTransformer(vertical: true), ResizeTransformer(to: Self.size, mode: mode))
        #expect(flipped.decode.size == size && flipped.transforms.map(\.identifier) == ["flip(v)"])
    }

    @Test func transformsThatTheDecoderCannotDoStay() {
        let resize = ResizeTransformer(to: Self.size)
        for rendition in [
            beginning(ResizeTransformer(to: Self.size, filter: .box)), beginning(BlurTransformer(radius: 2), resize),
            beginning(ResizeTransformer(to: PixelSize(width: 0, height: 5))), beginning(BlurTransformer(radius: 2)),
            beginning(resize, resize), beginning(CropTransformer(to: Self.size, gravity: .smart), resize),
            beginning(BlurTransformer(radius: 2), CropTransformer(to: Self.size), resize),
            Rendition(transforms: [resize]).beginning(takesSize: false),
        ] { #expect(rendition.decode.size == .full && rendition.decode.sizeScope == nil) }
        #expect(beginning(resize, decode: .atMost(bytes: 9)).decode.size == .atMost(bytes: 9))
    }

    @Test func aLeadingCropMovesToTheDecoder() {
        let rect = PixelRect(x: 3, y: 4, size: Self.size)
        let (crop, flip) = (CropTransformer(to: rect), FlipTransformer(horizontal: true))
        let decoded = beginning(crop, flip, ResizeTransformer(to: Self.size))
        #expect(
            decoded.decode.crop == rect && decoded.decode.size == .fit(Self.size)
                && decoded.decode.sizeScope == [.animated])
        #expect(decoded.transforms.map(\.identifier) == ["flip(h)"])
        let alone = Rendition(transforms: [crop]).decodingCropsAlone
        #expect(alone?.decode.crop == rect && alone?.transforms.isEmpty == true)
        #expect(beginning(crop, BlurTransformer(radius: 1)).decode.crop == nil)
        #expect(Rendition(decode: DecodeOptions(size: .fit(Self.size)), transforms: [crop]).decodingCropsAlone == nil)
        #expect(Rendition(transforms: [crop, BlurTransformer(radius: 1)]).decodingCropsAlone == nil)
    }

    @Test(arguments: Gravity.allCases) func aCropByGravityMovesToTheDecoder(_ gravity: Gravity) throws {
        let (crop, flip) = (CropTransformer(to: Self.size, gravity: gravity), FlipTransformer(horizontal: true))
        let decoded = beginning(flip, crop, ResizeTransformer(to: Self.size))
        guard gravity != .smart else { return #expect(decoded.decode == DecodeOptions()) }
        #expect(decoded.decode.size == .fit(Self.size) && decoded.transforms.map(\.identifier) == ["flip(h)"])
        let whole = PixelSize(width: 101, height: 61)
        let options = try decoded.decode.resolved(for: ImageInfo(format: .png, size: whole))
        let rect = gravity.rect(Self.size, in: whole)
        let mirrored = PixelRect(x: 101 - rect.x - rect.size.width, y: rect.y, size: rect.size)
        #expect(options.crop == mirrored && options.crops == nil && options.size == .fit(Self.size))
    }

    @Test func differentCropsHaveDifferentKeys() {
        let keys = [Gravity.top, .bottom].map { gravity in
            beginning(CropTransformer(to: Self.size, gravity: gravity), ResizeTransformer(to: Self.size)).identifier
        }
        #expect(keys[0] != keys[1])
    }

    @Test func aCropOfTheFullImageIsNoCrop() throws {
        let decoded = beginning(CropTransformer(to: Self.size, gravity: .top), ResizeTransformer(to: Self.size))
        #expect(try decoded.decode.resolved(for: ImageInfo(format: .png, size: Self.size)).crop == nil)
    }

    @Test func trailingPixelwiseTransformsRunInOnePass() {
        let (tint, grey, blur) = (TintTransformer(.black), ColorTransformer(.grey), BlurTransformer(radius: 1))
        let counts = [
            ([tint], 1), ([blur], 1), ([tint, grey], 2), ([blur, tint, grey, FlattenTransformer()], 3),
            ([tint, grey, blur], 1), ([tint, TransformerChain([grey, tint])], 3),
        ].map { (Rendition(transforms: $0).transformsInOnePass, $1) }
        for (count, expected) in counts { #expect(count == expected) }
        let rendition = Rendition(transforms: [blur, tint, grey])
        #expect(rendition.beginning(without: 2, takesSize: true).transforms.map(\.identifier) == ["blur(1.0)"])
        #expect(rendition.ending(2).identifier == TransformerChain([tint, grey]).identifier)
        #expect(rendition.ending(1).identifier == grey.identifier)
    }

    @Test func aChainHasTheIdentifierOfItsTransformers() {
        let (tint, resize) = (TintTransformer(.black), ResizeTransformer(to: Self.size))
        let chain = TransformerChain([TransformerChain([resize]), TransformerChain([]), tint])
        var rendition = Rendition(transforms: [chain])
        #expect(rendition.identifier == Rendition(transforms: [resize, tint]).identifier)
        rendition.transforms.append(chain)
        #expect(rendition.identifier == Rendition(transforms: [resize, tint, resize, tint]).identifier)
        #expect(beginning(TransformerChain([resize])).decode.size == .fit(Self.size))
        #expect(Rendition(transforms: [TransformerChain([])]).identifier.isEmpty)
    }

    @Test func anImageOutsideTheScopeIsDecodedInFull() throws {
        var options = DecodeOptions(size: .fit(Self.size))
        options.sizeScope = []
        let still = ImageInfo(format: .png, size: PixelSize(width: 100, height: 100))
        var animated = still
        animated.frameCount = 2
        #expect(try options.resolved(for: still).size == .fit(Self.size))
        #expect(try options.resolved(for: animated).size == .full)
        #expect(try options.resolved(for: ImageInfo(format: .svg, size: still.size)).size == .full)
        options.sizeScope = .all
        #expect(try options.resolved(for: animated).size == .fit(Self.size))
        options.sizeScope = nil
        #expect(try options.resolved(for: animated).size == .fit(Self.size))
    }

    @Test func aSizeFromATransformHasItsOwnKey() {
        let decoded = beginning(ResizeTransformer(to: Self.size)).identifier
        #expect(decoded != Rendition(decode: DecodeOptions(size: .fit(Self.size))).identifier)
        #expect(decoded != beginning(ResizeTransformer(to: Self.size, mode: .fill)).identifier)
    }

    @Test(arguments: [
        (ResizeTransformer.Mode.fit, 20, 5), (.fill, 40, 10), (.stretch, 20, 10),
    ]) func aVectorImageIsDrawnAtTheSizeOfItsTransforms(
        _ mode: ResizeTransformer.Mode, _ width: Int, _ height: Int
    ) {
        let decoded = beginning(FlipTransformer(), ResizeTransformer(to: Self.size, mode: mode)).decode.size
        #expect(decoded.vectorTarget(for: DrawingSize(width: 8, height: 2)) == PixelSize(width: width, height: height))
    }
}
