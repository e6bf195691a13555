#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct ImagePaintableTests {
    private let images = TestImages()
    private let square = PixelSize(width: 40, height: 40)

    init() throws { try Screen.open() }

    /// Draws a paintable until its image is there, and returns the pixels.
    private func load(_ url: URL, in paintable: ImagePaintable, _ size: PixelSize) async throws -> PixelBuffer {
        paintable.load(url)
        _ = try render(paintable.pointer, size)
        await MainLoop.run { paintable.binding.content.kind == .image }
        return try render(paintable.pointer, size)
    }

    @Test func theImageIsDrawnPixelForPixel() async throws {
        let pattern = try PixelBuffer.drawn(square) { x, y in
            Pixel(red: UInt8(x * 6), green: UInt8(y * 6), blue: UInt8((x ^ y) * 4))
        }
        let url = try images.add("pattern", pattern)
        let drawn = try await load(url, in: ImagePaintable(pipeline: images.pipeline), square)
        #expect(try #require(PixelDifference(between: drawn, and: pattern)).maximum <= 2)
    }

    @Test func translucentPixelsAreNotDarkened() async throws {
        let half = Pixel(red: 128, green: 0, blue: 0, alpha: 128)
        let url = try images.add("half", try .filled(half, size: square))
        let drawn = try await load(url, in: ImagePaintable(pipeline: images.pipeline), square)
        #expect(drawn[20, 20].isClose(to: half))
    }

    @Test func theImageIsDecodedToTheSizeThatIsDrawn() async throws {
        let url = try images.add("large", try .filled(.solidRed, size: PixelSize(width: 400, height: 200)))
        let paintable = ImagePaintable(pipeline: images.pipeline)
        _ = try await load(url, in: paintable, square)
        #expect(paintable.binding.content.image?.size == PixelSize(width: 40, height: 20))
        // The size in the layout is that of the whole image, whatever was decoded.
        #expect(gdk_paintable_get_intrinsic_width(paintable.pointer) == 400)
        #expect(gdk_paintable_get_intrinsic_height(paintable.pointer) == 200)
    }

    @Test(arguments: [
        (ContentFit.contain, Pixel.solidRed, Pixel(red: 0, green: 0, blue: 0, alpha: 0)),
        (.cover, .solidRed, .solidRed),
        (.fill, .solidRed, .solidRed),
    ])
    func aFitDecidesWhatIsCovered(_ fit: ContentFit, _ middle: Pixel, _ edge: Pixel) async throws {
        let url = try images.add("wide", try .filled(.solidRed, size: PixelSize(width: 80, height: 40)))
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.contentFit = fit
        let drawn = try await load(url, in: paintable, square)
        #expect(drawn[20, 20].isClose(to: middle) && drawn[20, 2].isClose(to: edge))
        // As many pixels as are drawn: cover cuts off the sides of an image of full height, and fill compresses its
        // width.
        #expect(paintable.binding.content.image?.size.height == (fit == .contain ? 20 : 40))
    }

    @Test func aLoadBeginsWhenThePaintableIsFirstDrawn() async throws {
        let url = try images.add("red", try .filled(.solidRed, size: square))
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.load(url)
        MainLoop.runPending()
        #expect(images.counts.loads == 0 && paintable.binding.activity == .deferred)
        _ = try render(paintable.pointer, square)
        // Not while it is drawn.
        #expect(images.counts.loads == 0)
        await MainLoop.run { paintable.binding.content.kind == .image }
        #expect(images.counts.loads == 1)
    }

    @Test func anImageInMemoryIsShownAtOnce() async throws {
        let url = try images.add("red", try .filled(.solidRed, size: square))
        let first = ImagePaintable(pipeline: images.pipeline)
        _ = try await load(url, in: first, square)
        let second = ImagePaintable(pipeline: images.pipeline)
        _ = try render(second.pointer, square)
        MainLoop.runPending()
        second.load(url)
        #expect(second.binding.content.kind == .image)
        #expect(try render(second.pointer, square)[20, 20].isClose(to: .solidRed))
        #expect(images.counts.loads == 1)
    }

    @Test func thePaintableKeepsItsLoadWithoutTheSwiftObject() async throws {
        let url = try images.add("red", try .filled(.solidRed, size: square))
        let picture = UnsafeMutableRawPointer(gtk_picture_new()).map { g_object_ref_sink($0) } ?? nil
        defer { g_object_unref(picture) }
        let pointer: OpaquePointer
        do {
            let paintable = ImagePaintable(pipeline: images.pipeline)
            paintable.load(url)
            pointer = paintable.pointer
            gtk_picture_set_paintable(OpaquePointer(picture), pointer)
        }
        _ = try render(pointer, square)
        await MainLoop.run { gdk_paintable_get_intrinsic_width(pointer) == 40 }
        #expect(try render(pointer, square)[20, 20].isClose(to: .solidRed))
    }

    @Test func viewsOfOneImageShareATexture() async throws {
        let url = try images.add("red", try .filled(.solidRed, size: square))
        let paintables = (0..<3).map { _ in ImagePaintable(pipeline: images.pipeline) }
        for paintable in paintables { _ = try await load(url, in: paintable, square) }
        let textures = Set(paintables.map { gdk_paintable_get_current_image($0.pointer) })
        #expect(textures.count == 1)
        for paintable in paintables {
            g_object_unref(gdk_paintable_get_current_image(paintable.pointer).map { UnsafeMutableRawPointer($0) })
        }
        for texture in textures { for _ in paintables { g_object_unref(texture.map { UnsafeMutableRawPointer($0) }) } }
    }

    @Test func aPlaceholderGivesTheShapeBeforeTheImage() async throws {
        let gate = Gate()
        let url = try images.add("wide", try .filled(.solidRed, size: PixelSize(width: 80, height: 40)), gate: gate)
        let paintable = ImagePaintable(pipeline: images.pipeline)
        let hash = try BlurHash(try .filled(.solidBlue, size: square))
        paintable.presentation.whileLoading = .blurHash(hash.text, aspectRatio: 2)
        paintable.load(url)
        #expect(gdk_paintable_get_intrinsic_aspect_ratio(paintable.pointer) == 2)
        let drawn = try render(paintable.pointer, square)
        #expect(drawn[20, 20].blue > 200 && drawn[20, 20].red < 60)
        gate.open()
        await MainLoop.run { paintable.binding.content.kind == .image }
        #expect(try render(paintable.pointer, square)[20, 20].isClose(to: .solidRed))
    }

    @Test func aPaintableThatWasDrawnLivesUntilItsLoadHasBegun() throws {
        var activity: ImageBinding.Activity?
        let binding: ImageBinding
        do {
            let paintable = ImagePaintable(pipeline: images.pipeline)
            // Held, so that it is still loading then.
            paintable.load(try images.add("red", try .filled(.solidRed, size: square), gate: Gate()))
            binding = paintable.binding
            notifyOfEnd(of: paintable.pointer) { activity = binding.activity }
            _ = try render(paintable.pointer, square)
        }
        MainLoop.runPending()
        #expect(activity == .loading)
        binding.cancel()
    }

    @Test func anImageThatIsRemovedLeavesNoSpace() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        _ = try await load(try images.add("red", try .filled(.solidRed, size: square)), in: paintable, square)
        #expect(gdk_paintable_get_intrinsic_width(paintable.pointer) == 40)
        paintable.clear()
        #expect(gdk_paintable_get_intrinsic_width(paintable.pointer) == 0)
        #expect(gdk_paintable_get_intrinsic_aspect_ratio(paintable.pointer) == 0)
    }

    /// The size in the layout is that of the source, before and after the pixels have arrived, whatever is decoded.
    @Test func theHeaderReservesTheSizeOfTheImage() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.load(
            try images.add("large", try .filled(.solidRed, size: PixelSize(width: 400, height: 200))))
        var widths: Set<Int32> = []
        _ = try render(paintable.pointer, square)
        await MainLoop.run {
            widths.insert(gdk_paintable_get_intrinsic_width(paintable.pointer))
            return paintable.binding.content.kind == .image
        }
        #expect(paintable.binding.content.image?.size == PixelSize(width: 40, height: 20))
        #expect(widths.subtracting([0]) == [400])
        paintable.display.expect(
            ExpectedSize(PixelSize(width: 30, height: 20), basis: .header, unscaled: PixelSize(width: 300, height: 200))
        )
        #expect(gdk_paintable_get_intrinsic_width(paintable.pointer) == 300)
    }
}
#endif
