import Testing
import TintypeSDWebImage
import TintypeTesting

@testable import TintypeCore

/// The key formats are exactly those of SDWebImage 5.
@Suite struct SDWebImageKeysTests {
    private static func size(_ width: Int, _ height: Int) -> PixelSize { PixelSize(width: width, height: height) }

    @Test func transformersHaveTheKeysOfSDWebImage() {
        let expected: [(any ImageTransformer, String)] = [
            (
                ResizeTransformer(to: Self.size(200, 100), mode: .stretch, isEnlarging: true),
                "SDImageResizingTransformer({200.000000,100.000000},0)"
            ),
            (
                TransformerChain.letterbox(Self.size(1, 2)), "SDImageResizingTransformer({1.000000,2.000000},1)"
            ),
            (
                TransformerChain([
                    FlipTransformer(horizontal: true), TransformerChain.letterbox(Self.size(1, 2)),
                    BlurTransformer(radius: 5),
                ]),
                "SDImageFlippingTransformer(1,0)-SDImageResizingTransformer({1.000000,2.000000},1)"
                    + "-SDImageBlurTransformer(5.000000)"
            ),
            (
                ResizeTransformer(to: Self.size(1, 2), mode: .fill, isEnlarging: true),
                "SDImageResizingTransformer({1.000000,2.000000},2)"
            ),
            (
                CropTransformer(to: PixelRect(x: 1, y: 2, size: Self.size(3, 4))),
                "SDImageCroppingTransformer({1.000000,2.000000,3.000000,4.000000})"
            ),
            (RotateTransformer(degrees: 45), "SDImageRotationTransformer(0.785398,1)"),
            (RotateTransformer(degrees: 90, isFitting: false), "SDImageRotationTransformer(1.570796,0)"),
            (
                RoundCornersTransformer(radius: 50, borderWidth: 1, borderColor: Color(red: 0, green: 0, blue: 0)),
                "SDImageRoundCornerTransformer(50.000000,18446744073709551615,1.000000,#ff000000)"
            ),
            (
                RoundCornersTransformer(radius: 50, corners: [.topLeft, .bottomRight]),
                "SDImageRoundCornerTransformer(50.000000,9,0.000000,(null))"
            ),
            (FlipTransformer(horizontal: true), "SDImageFlippingTransformer(1,0)"),
            (
                TintTransformer(Color(red: 255, green: 0, blue: 0, alpha: 128)),
                "SDImageTintTransformer(#80ff0000,18)"
            ),
            (BlurTransformer(radius: 5), "SDImageBlurTransformer(5.000000)"),
            (
                TransformerChain([FlipTransformer(vertical: true), BlurTransformer(radius: 5)]),
                "SDImageFlippingTransformer(0,1)-SDImageBlurTransformer(5.000000)"
            ),
        ]
        for (transformer, key) in expected { #expect(SDWebImageKeys.key(of: transformer) == key) }
    }

    @Test func aChainOfAllTransformersHasTheKeysOfItsPartsAndTheSizeOfItsCrop() throws {
        let size = Self.size(100, 100)
        let chain = TransformerChain([
            ResizeTransformer(to: size, mode: .fill, isEnlarging: true),
            RotateTransformer(degrees: 45, isFitting: false),
            RoundCornersTransformer(radius: 50, borderWidth: 1, borderColor: .black),
            FlipTransformer(horizontal: true, vertical: true),
            CropTransformer(to: PixelRect(x: 0, y: 0, size: Self.size(50, 50))), TintTransformer(.clear),
            BlurTransformer(radius: 5),
        ])
        let keys = [
            "SDImageResizingTransformer({100.000000,100.000000},2)", "SDImageRotationTransformer(0.785398,0)",
            "SDImageRoundCornerTransformer(50.000000,18446744073709551615,1.000000,#ff000000)",
            "SDImageFlippingTransformer(1,1)",
            "SDImageCroppingTransformer({0.000000,0.000000,50.000000,50.000000})",
            "SDImageTintTransformer(#00000000,18)", "SDImageBlurTransformer(5.000000)",
        ]
        #expect(SDWebImageKeys.key(of: chain) == keys.joined(separator: "-"))
        let image = try PixelBuffer.filled(Pixel(red: 255, green: 255, blue: 255), size: Self.size(300, 300))
        #expect(try chain.transform(image).size == Self.size(50, 50))
    }

    @Test func transformersUnknownToSDWebImageHaveNoKey() {
        #expect(SDWebImageKeys.key(of: TrimTransformer()) == nil)
        #expect(SDWebImageKeys.key(of: CropTransformer(to: Self.size(1, 1))) == nil)
        #expect(SDWebImageKeys.key(of: [FlipTransformer(), TrimTransformer()]) == nil)
        #expect(SDWebImageKeys.key(of: []) == nil && SDWebImageKeys.key(of: TransformerChain([])) == nil)
    }

    /// Otherwise two different images would share a key in SDWebImage.
    @Test func resizesUnknownToSDWebImageHaveNoKey() {
        let size = Self.size(1, 2)
        #expect(SDWebImageKeys.key(of: ResizeTransformer(to: size)) == nil)
        // SDWebImage's aspect fit has margins.
        #expect(SDWebImageKeys.key(of: ResizeTransformer(to: size, isEnlarging: true)) == nil)
        #expect(SDWebImageKeys.key(of: TransformerChain.letterbox(size, color: .black)) == nil)
        #expect(SDWebImageKeys.key(of: CanvasTransformer(size)) == nil)
        let focused = ResizeTransformer(to: size, mode: .fill, focalPoint: FocalPoint(x: 0, y: 0), isEnlarging: true)
        #expect(SDWebImageKeys.key(of: focused) == nil)
        #expect(SDWebImageKeys.key(of: ResizeTransformer(to: size, filter: .box, isEnlarging: true)) == nil)
        let top = ResizeTransformer(to: size, mode: .fill, gravity: .top, isEnlarging: true)
        #expect(SDWebImageKeys.key(of: top) == nil)
    }

    @Test func thumbnailKeysHaveTheFormatOfSDWebImage() {
        let key = SDWebImageKeys.thumbnailKey(Self.size(200, 200), preservesAspectRatio: true)
        #expect(key == "Thumbnail({200.000000,200.000000},1)")
    }

    @Test(arguments: [
        ("image.png", "image-T.png"), ("image", "image-T"), ("image.", "image.-T"), (".image", ".image-T"),
        ("a.b/image", "a.b/image-T"), ("archive.tar.gz", "archive.tar-T.gz"), ("/tmp/a.png", "/tmp/a-T.png"),
        ("file:///tmp/a.png", "file:///tmp/a-T.png"),
        ("http://example.org/a.png", "http://example.org/a-T.png"),
        ("http://example.org/a.png?x=1.jpg#f.gif", "http://example.org/a-T.png?x=1.jpg#f.gif"),
        ("ftp://root:secret@example.org/image.png", "ftp://root:secret@example.org/image-T.png"),
        ("http://example.org/a?x=1.jpg", "http://example.org/a?x=1.jpg-T"),
        ("http://example.org", "http://example.org-T"),
        ("", "-T"),
    ]) func aTransformerKeyIsInsertedBeforeTheExtension(_ key: String, _ expected: String) {
        #expect(SDWebImageKeys.joined(key, with: "T") == expected)
    }

    @Test func invalidPathCharactersAreEscapedOnlyInURLs() {
        let key = SDWebImageKeys.thumbnailKey(Self.size(1, 1), preservesAspectRatio: false)
        #expect(SDWebImageKeys.joined("a.png", with: key) == "a-Thumbnail({1.000000,1.000000},0).png")
        #expect(
            SDWebImageKeys.joined("http://example.org/a.png", with: key)
                == "http://example.org/a-Thumbnail(%7B1.000000,1.000000%7D,0).png")
    }
}
