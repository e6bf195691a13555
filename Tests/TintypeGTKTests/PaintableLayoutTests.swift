#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

/// The rectangle that images take in a layout, and in the area that they are drawn in.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct PaintableLayoutTests {
    private let images = TestImages()
    private let square = PixelSize(width: 40, height: 40)

    init() throws { try Screen.open() }

    private func add(_ name: String, _ width: Int, _ height: Int) throws -> URL {
        try images.add(name, try .filled(.solidRed, size: PixelSize(width: width, height: height)))
    }

    private func show(_ url: URL, in paintable: ImagePaintable) async throws {
        paintable.load(url)
        _ = try render(paintable.pointer, square)
        await MainLoop.run { paintable.binding.content.kind == .image }
    }

    /// Counts how often a paintable makes the widgets around it compute their layout again.
    private func countLayouts(of paintable: ImagePaintable) -> Shared<Int> {
        let count = Shared(0)
        let callback: @convention(c) (OpaquePointer?, UnsafeMutableRawPointer?) -> Void = { _, data in
            guard let data else { return }
            Unmanaged<Shared<Int>>.fromOpaque(data).takeUnretainedValue().withLock { $0 += 1 }
        }
        g_signal_connect_data(
            UnsafeMutableRawPointer(paintable.pointer), "invalidate-size", unsafeBitCast(callback, to: GCallback.self),
            Unmanaged.passRetained(count).toOpaque(),
            { data, _ in if let data { Unmanaged<Shared<Int>>.fromOpaque(data).release() } }, GConnectFlags(0))
        return count
    }

    /// Otherwise, every image that arrives in a list would lay out the whole list.
    @Test(arguments: [nil, PixelSize(width: 400, height: 200)])
    func anImageOfTheExpectedSizeCausesNoLayout(_ hint: PixelSize?) async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        let layouts = countLayouts(of: paintable)
        paintable.presentation.expectedSize = hint
        paintable.load(try add("first", 400, 200))
        #expect(layouts.now == (hint == nil ? 0 : 1))
        _ = try render(paintable.pointer, square)
        await MainLoop.run { paintable.binding.content.kind == .image }
        #expect(layouts.now == 1)
        try await show(try add("second", 400, 200), in: paintable)
        #expect(layouts.now == 1)
        try await show(try add("third", 100, 100), in: paintable)
        #expect(layouts.now > 1)
    }

    @Test func aViewHasTheSizeOfItsImageOrItsShape() async throws {
        let view = ImageView(pipeline: images.pipeline)
        let window = try TestWindow(view.widget, width: 100, height: 100)
        defer { window.close() }
        view.load(try add("wide", 400, 200))
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
        var (minimum, natural) = (Int32(-1), Int32(-1))
        gtk_widget_measure(widget, GTK_ORIENTATION_HORIZONTAL, -1, &minimum, &natural, nil, nil)
        // It may become smaller, as here.
        #expect(minimum == 0 && natural == 400)
        gtk_widget_measure(widget, GTK_ORIENTATION_VERTICAL, 50, &minimum, &natural, nil, nil)
        #expect(minimum == 0 && natural == 25)
    }

    @Test func anImageIsScaledDownButNotUp() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.contentFit = .scaleDown
        try await show(try add("small", 20, 10), in: paintable)
        let small = try render(paintable.pointer, square)
        #expect(small[20, 20].isClose(to: .solidRed) && small[11, 16].isClose(to: .solidRed))
        #expect(small[8, 20].alpha == 0 && small[20, 13].alpha == 0)
        try await show(try add("large", 80, 40), in: paintable)
        let large = try render(paintable.pointer, square)
        #expect(large[1, 20].isClose(to: .solidRed) && large[20, 8].alpha == 0)
    }

    @Test(arguments: [ContentFit.cover, .fill])
    func anImageThatIsToCoverItsAreaGetsMorePixels(_ fit: ContentFit) async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        try await show(try add("wide", 160, 80), in: paintable)
        #expect(paintable.binding.content.image?.size == PixelSize(width: 40, height: 20))
        paintable.contentFit = fit
        await MainLoop.run { paintable.binding.content.image?.size == PixelSize(width: 80, height: 40) }
        #expect(try render(paintable.pointer, square)[20, 2].isClose(to: .solidRed))
    }

    @Test func aThumbHashHasTheShapeAndColorOfTheImage() throws {
        let blue = try PixelBuffer.filled(.solidBlue, size: PixelSize(width: 80, height: 40))
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.presentation.whileLoading = .thumbHash(try ThumbHash(blue).bytes)
        paintable.load(try add("wide", 80, 40))
        #expect(abs(gdk_paintable_get_intrinsic_aspect_ratio(paintable.pointer) - 2) < 0.5)
        let middle = try render(paintable.pointer, square)[20, 20]
        #expect(middle.blue > 200 && middle.red < 60 && paintable.binding.content.kind == .placeholder)
    }

    /// As the icon of a drag, which outlives the image of the view.
    @Test func theCurrentImageOfAPaintableDoesNotChange() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        try await show(try add("red", 40, 40), in: paintable)
        let icon = try #require(gdk_paintable_get_current_image(paintable.pointer))
        defer { g_object_unref(UnsafeMutableRawPointer(icon)) }
        paintable.clear()
        #expect(try render(paintable.pointer, square)[20, 20].alpha == 0)
        #expect(try render(icon, square)[20, 20].isClose(to: .solidRed))
    }
}
#endif
