#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import TintypeGTK

/// Views on a display with another number of pixels per point than 1.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct ScaleTests {
    private let images = TestImages()

    init() throws { try Screen.open() }

    private func square(_ side: Int) -> PixelSize { PixelSize(width: side, height: side) }

    private func large() throws -> URL { try images.add("large", try .filled(.solidRed, size: square(900))) }

    /// A view of 100×100 points in a window.
    private func makeView() throws -> (ImageView, TestWindow) {
        let view = ImageView(pipeline: images.pipeline)
        return (view, try TestWindow(view.widget, width: 100, height: 100))
    }

    /// The size of a slot's image in the layout, in points.
    private func naturalWidth(_ view: ImageView) -> Int32 { gdk_paintable_get_intrinsic_width(view.paintable()) }

    @Test(arguments: [1, 2, 3])
    func anImageIsDecodedToThePixelsOfItsView(_ scale: Int) async throws {
        let (view, window) = try makeView()
        defer { window.close() }
        try DesktopSettings.setScale(Int32(scale))
        defer { try? DesktopSettings.setScale(1) }
        view.load(try large())
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        let image = try #require(view.binding().content.image)
        #expect(image.size == square(100 * scale) && image.scale == Double(scale))
        // Without a size of its own, the view has one point for each `scale` pixels of the whole image.
        #expect(naturalWidth(view) == Int32(900 / scale))
        await MainLoop.runFrames(2, of: window.widget)
        #expect(try window.pixels()[50, 50].isClose(to: .solidRed))
    }

    @Test func aWindowThatGetsMorePixelsLoadsALargerImageAndKeepsIt() async throws {
        let (view, window) = try makeView()
        defer { window.close() }
        view.load(try large())
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(view.binding().content.image?.size == square(100) && naturalWidth(view) == 900)
        try DesktopSettings.setScale(2)
        defer { try? DesktopSettings.setScale(1) }
        #expect(naturalWidth(view) == 450)
        // The image stays until the larger one is there.
        #expect(view.binding().content.image?.size == square(100))
        await MainLoop.run { view.binding().content.image?.size == square(239) }
        let loads = images.counts.loads
        try DesktopSettings.setScale(1)
        #expect(naturalWidth(view) == 900)
        await MainLoop.runFrames(3, of: window.widget)
        #expect(view.binding().content.image?.size == square(239) && view.binding().activity == .idle)
        try DesktopSettings.setScale(3)
        await MainLoop.run { view.binding().content.image?.size == square(373) }
        // One load for the larger image, and none for the smaller one before.
        #expect(images.counts.loads == loads + 1)
    }

    @Test func anotherImageIsDecodedToTheScaleOfNow() async throws {
        let (view, window) = try makeView()
        defer { window.close() }
        try DesktopSettings.setScale(2)
        defer { try? DesktopSettings.setScale(1) }
        view.load(try large())
        await window.present()
        await MainLoop.run { view.binding().content.image?.size == square(200) }
        try DesktopSettings.setScale(1)
        view.load(try images.add("other", try .filled(.solidBlue, size: square(900))))
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(view.binding().content.image?.size == square(100) && view.binding().content.image?.scale == 1)
    }

    /// Before its first layout, a view has the size that the program requested, in points.
    @Test func theRequestedSizeOfAViewIsInPoints() throws {
        try DesktopSettings.setScale(2)
        defer { try? DesktopSettings.setScale(1) }
        let view = ImageView(pipeline: images.pipeline)
        gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 50, 40)
        view.load(try large())
        let size = view.binding().request?.rendition.decode.size
        #expect(size == .fit(PixelSize(width: 100, height: 80)))
    }

    /// The size that the program requested is a guess, and no size that an image was decoded to.
    @Test func aLoadThatHasNotBegunTakesTheExactSizeOfItsView() async throws {
        let (view, window) = try makeView()
        defer { window.close() }
        gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 50, 50)
        view.load(try large())
        #expect(view.binding().activity == .deferred)
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(view.binding().content.image?.size == square(100))
    }

    @Test func aPaintableTakesTheScaleOfTheWidgetThatItFollows() async throws {
        try DesktopSettings.setScale(2)
        defer { try? DesktopSettings.setScale(1) }
        let paintable = ImagePaintable(pipeline: images.pipeline)
        let picture = try #require(gtk_picture_new_for_paintable(paintable.pointer))
        let window = try TestWindow(OpaquePointer(picture), width: 100, height: 100)
        defer { window.close() }
        paintable.load(try large())
        await window.present()
        await MainLoop.run { paintable.binding.content.kind == .image }
        // A paintable does not know the widgets that draw it.
        #expect(paintable.binding.content.image?.size == square(100))
        paintable.follow(OpaquePointer(picture))
        #expect(gdk_paintable_get_intrinsic_width(paintable.pointer) == 450)
        await MainLoop.run { paintable.binding.content.image?.size == square(239) }
        #expect(paintable.binding.content.image?.scale == 2)
    }
}
#endif
