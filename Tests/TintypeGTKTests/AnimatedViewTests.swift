#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct AnimatedViewTests {
    private let images = TestImages()
    private let side = PixelSize(width: 20, height: 20)
    private let colors = [Pixel.solidRed, .solidGreen, .solidBlue, .solidWhite]

    init() throws { try Screen.open() }

    /// Counts the frames that are made.
    private struct CountingTransformer: ImageTransformer {
        let count: Shared<Int>
        var name = "all"
        var identifier: String { "counting \(name)" }

        func transform(_ pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
            count.withLock { $0 += 1 }
            return pixels
        }
    }

    @Test func aHundredViewsOfOneAnimationMakeEachFrameOnce() async throws {
        let url = try images.add("animation", frames: colors, size: side, duration: 0.02)
        let count = Shared(0)
        let request = ImageRequest(url: url).transformed(by: CountingTransformer(count: count), scope: [.animated])
        let (window, views) = try images.makeViews(100)
        defer { window.close() }
        for view in views { view.load(request) }
        await window.present()
        var seen: Set<OpaquePointer> = []
        await MainLoop.run {
            for view in views { if let texture = view.texture { seen.insert(texture) } }
            return seen.count >= 4
        }
        let made = count.now
        // The poster and the frames: not one for each view.
        #expect(made <= 5)
        // All views show one of the same four textures.
        #expect(seen.count == 4)
    }

    @Test func hiddenViewsShowNoFrames() async throws {
        let url = try images.add("animation", frames: colors, size: side, duration: 0.02)
        let (window, views) = try images.makeViews(3)
        defer { window.close() }
        for view in views { view.load(url) }
        await window.present()
        let first = views[0].texture
        await MainLoop.run { views[0].texture != nil && views[0].texture != first }
        gtk_widget_set_visible(window.widget, 0)
        await MainLoop.run { gtk_widget_get_mapped(UnsafeMutablePointer(views[0].widget)) == 0 }
        let shown = views.map { $0.texture }
        await wait(.milliseconds(100))
        #expect(views.map { $0.texture } == shown)
        gtk_window_present(window.window)
        await MainLoop.run { views[0].texture != shown[0] }
    }

    @Test func theAnimationOfAStateThatIsNotShownMakesNoFrames() async throws {
        let url = try images.add("animation", frames: colors, size: side, duration: 0.02)
        let counts = (normal: Shared(0), highlighted: Shared(0))
        func request(_ count: Shared<Int>, _ name: String) -> ImageRequest {
            ImageRequest(url: url).transformed(by: CountingTransformer(count: count, name: name), scope: [.animated])
        }
        let (window, views) = try images.makeViews(1)
        defer { window.close() }
        let view = views[0]
        view.load(request(counts.normal, "normal"))
        view.load(request(counts.highlighted, "highlighted"), in: .highlighted)
        await window.present()
        await MainLoop.run {
            view.binding().content.kind == .image && view.binding(.highlighted).content.kind == .image
                && counts.normal.now >= 4
        }
        // The poster, and perhaps the first frame.
        #expect(counts.highlighted.now <= 2)
        let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
        gtk_widget_set_state_flags(widget, GTK_STATE_FLAG_ACTIVE, 0)
        await MainLoop.run { counts.highlighted.now >= 4 }
    }

    @Test func withoutMotionAnAnimationStandsOnItsFirstFrame() async throws {
        let url = try images.add("animation", frames: colors, size: side, duration: 0.02)
        let (window, views) = try images.makeViews(1)
        defer { window.close() }
        DesktopSettings.setAnimations(false)
        defer { DesktopSettings.setAnimations(true) }
        views[0].load(url)
        await window.present()
        await MainLoop.run { views[0].binding().content.kind == .image }
        let first = views[0].texture
        await wait(.milliseconds(100))
        #expect(views[0].texture == first)
        DesktopSettings.setAnimations(true)
        await MainLoop.run { views[0].texture != first }
    }

    /// Runs the main loop for a time, to see that nothing happens.
    private func wait(_ time: Duration) async {
        let timer = MainLoopTimer()
        var isOver = false
        timer.set(for: timer.now + time) { isOver = true }
        await MainLoop.run { isOver }
    }
}
#endif
