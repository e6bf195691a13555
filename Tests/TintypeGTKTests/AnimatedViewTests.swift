#if GTK
import CGTK
import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimit(.minutes(5))) @MainActor struct AnimatedViewTests {
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

    /// The texture that a view shows.
    private func texture(_ view: ImageView) -> OpaquePointer? {
        let image = gdk_paintable_get_current_image(view.paintable())
        let object = image.map { UnsafeMutableRawPointer($0) }
        // The view retains it.
        defer { g_object_unref(object) }
        let isTexture = g_type_check_instance_is_a(
            object?.assumingMemoryBound(to: GTypeInstance.self), gdk_texture_get_type())
        return isTexture != 0 ? image : nil
    }

    @Test func aHundredViewsOfOneAnimationMakeEachFrameOnce() async throws {
        let url = try images.add("animation", frames: colors, size: side, duration: 0.02)
        let count = Shared(0)
        let request = ImageRequest(url: url).transformed(by: CountingTransformer(count: count), scope: .animated)
        let (window, views) = try makeViews(100)
        defer { window.close() }
        for view in views { view.load(request) }
        await window.present()
        var seen: Set<OpaquePointer> = []
        await MainLoop.run {
            for view in views { if let texture = texture(view) { seen.insert(texture) } }
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
        let (window, views) = try makeViews(3)
        defer { window.close() }
        for view in views { view.load(url) }
        await window.present()
        let first = texture(views[0])
        await MainLoop.run { texture(views[0]) != nil && texture(views[0]) != first }
        gtk_widget_set_visible(window.widget, 0)
        await MainLoop.run { gtk_widget_get_mapped(UnsafeMutablePointer(views[0].widget)) == 0 }
        let shown = views.map { texture($0) }
        await wait(.milliseconds(100))
        #expect(views.map { texture($0) } == shown)
        gtk_window_present(window.window)
        await MainLoop.run { texture(views[0]) != shown[0] }
    }

    @Test func theAnimationOfAStateThatIsNotShownMakesNoFrames() async throws {
        let url = try images.add("animation", frames: colors, size: side, duration: 0.02)
        let counts = (normal: Shared(0), highlighted: Shared(0))
        func request(_ count: Shared<Int>, _ name: String) -> ImageRequest {
            ImageRequest(url: url).transformed(by: CountingTransformer(count: count, name: name), scope: .animated)
        }
        let (window, views) = try makeViews(1)
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
        let (window, views) = try makeViews(1)
        defer { window.close() }
        let settings = gtk_settings_get_default()
        func setAnimations(_ isEnabled: gboolean) {
            var value = GValue()
            g_value_init(&value, g_type_from_name("gboolean"))
            g_value_set_boolean(&value, isEnabled)
            g_object_set_property(
                settings.map { UnsafeMutableRawPointer($0).assumingMemoryBound(to: GObject.self) },
                "gtk-enable-animations", &value)
        }
        setAnimations(0)
        defer { setAnimations(1) }
        views[0].load(url)
        await window.present()
        await MainLoop.run { views[0].binding().content.kind == .image }
        let first = texture(views[0])
        await wait(.milliseconds(100))
        #expect(texture(views[0]) == first)
        setAnimations(1)
        await MainLoop.run { texture(views[0]) != first }
    }

    private func makeViews(_ count: Int) throws -> (TestWindow, [ImageView]) {
        let grid = gtk_grid_new()
        let views = (0..<count).map { _ in ImageView(pipeline: images.pipeline) }
        for (index, view) in views.enumerated() {
            let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
            gtk_widget_set_size_request(widget, 20, 20)
            gtk_grid_attach(
                grid?.as(GtkGrid.self), widget, Int32(index % 10),
                Int32(index / 10), 1, 1)
        }
        return (try TestWindow(OpaquePointer(grid)), views)
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
