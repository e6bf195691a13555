#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct ImageViewTests {
    private let images = TestImages()
    private let side = PixelSize(width: 100, height: 100)

    init() throws { try Screen.open() }

    private func color(_ name: String, _ pixel: Pixel, gate: Gate? = nil) throws -> URL {
        try images.add(name, try .filled(pixel, size: side), gate: gate)
    }

    @Test func oneLineShowsTheImageAtAURL() async throws {
        let view = ImageView(pipeline: images.pipeline)
        let window = try TestWindow(view.widget, width: 100, height: 100)
        defer { window.close() }
        view.load(try color("red", .solidRed))
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        await MainLoop.runFrames(2, of: window.widget)
        #expect(try window.pixels()[50, 50].isClose(to: .solidRed))
        #expect(gtk_widget_has_css_class(UnsafeMutablePointer(view.widget), "image") != 0)
    }

    @Test func theImageIsDecodedToTheSizeOfTheViewAndGrowsWithIt() async throws {
        let url = try images.add("large", try .filled(.solidRed, size: PixelSize(width: 900, height: 900)))
        let view = ImageView(pipeline: images.pipeline)
        let window = try TestWindow(view.widget, width: 100, height: 100)
        defer { window.close() }
        view.load(url)
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(view.binding().content.image?.size == side)
        gtk_window_set_default_size(window.window, 210, 210)
        await MainLoop.run { view.binding().content.image?.size == PixelSize(width: 239, height: 239) }
        let loads = images.counts.loads
        gtk_window_set_default_size(window.window, 120, 120)
        await MainLoop.run { gtk_widget_get_width(window.widget) == 120 }
        await MainLoop.runFrames(3, of: window.widget)
        #expect(images.counts.loads == loads)
    }

    @Test func aViewOnAHiddenPageLoadsNothing() async throws {
        let stack = gtk_stack_new()
        let view = ImageView(pipeline: images.pipeline)
        gtk_stack_add_named(OpaquePointer(stack), gtk_label_new("first"), "first")
        gtk_stack_add_named(OpaquePointer(stack), UnsafeMutablePointer(view.widget), "second")
        let window = try TestWindow(OpaquePointer(stack))
        defer { window.close() }
        view.load(try color("red", .solidRed))
        await window.present()
        #expect(images.counts.loads == 0)
        gtk_stack_set_visible_child_name(OpaquePointer(stack), "second")
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(images.counts.loads == 1)
    }

    @Test func viewsThatAreScrolledOutOfSightLoadWhenTheyAreScrolledIn() async throws {
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        let views = (0..<50).map { _ in ImageView(pipeline: images.pipeline) }
        for (index, view) in views.enumerated() {
            gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 100, 100)
            gtk_box_append(box?.as(GtkBox.self), UnsafeMutablePointer(view.widget))
            view.load(try color("\(index)", .solidRed))
        }
        let scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), box)
        let window = try TestWindow(OpaquePointer(scrolled), width: 200, height: 300)
        defer { window.close() }
        await window.present()
        await MainLoop.run { views[2].binding().content.kind == .image }
        // Three are seen, and one is near.
        #expect(images.counts.loads == 4)
        let adjustment = gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled))
        gtk_adjustment_set_value(adjustment, 2000)
        await MainLoop.run { views[22].binding().content.kind == .image }
        #expect(views[10].binding().activity == .deferred)
    }

    /// A scrolled window of 200×300 points around boxes of 100×100 points.
    private func makeColumn(_ count: Int) throws -> (
        window: TestWindow, box: UnsafeMutablePointer<GtkWidget>?, [ImageView]
    ) {
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        let views = (0..<count).map { _ in ImageView(pipeline: images.pipeline) }
        for (index, view) in views.enumerated() {
            gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 100, 100)
            gtk_box_append(box?.as(GtkBox.self), UnsafeMutablePointer(view.widget))
            view.load(try color("\(index)", .solidRed))
        }
        let scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), box)
        return (try TestWindow(OpaquePointer(scrolled), width: 200, height: 300), box, views)
    }

    @Test func viewsThatALargerWindowShowsLoad() async throws {
        let (window, _, views) = try makeColumn(20)
        defer { window.close() }
        await window.present()
        await MainLoop.run { views[2].binding().content.kind == .image }
        #expect(views[6].binding().activity == .deferred)
        gtk_window_set_default_size(window.window, 200, 700)
        await MainLoop.run { views[6].binding().content.kind == .image }
        #expect(views[15].binding().activity == .deferred)
    }

    @Test func viewsThatMoveIntoSightLoad() async throws {
        let (window, box, views) = try makeColumn(20)
        defer { window.close() }
        await window.present()
        await MainLoop.run { views[2].binding().content.kind == .image }
        for view in views[0..<6] {
            gtk_box_remove(box?.as(GtkBox.self), UnsafeMutablePointer(view.widget))
        }
        await MainLoop.run { views[8].binding().content.kind == .image }
        #expect(views[15].binding().activity == .deferred)
    }

    /// Shelves that are scrolled sideways, in a page that is scrolled down.
    @Test func aViewThatIsVisibleInItsShelfButNotInThePageLoadsNothing() async throws {
        let page = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        let views = (0..<20).map { _ in ImageView(pipeline: images.pipeline) }
        for (index, view) in views.enumerated() {
            let shelf = gtk_scrolled_window_new()
            gtk_widget_set_size_request(shelf, 200, 100)
            gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 100, 80)
            gtk_scrolled_window_set_child(OpaquePointer(shelf), UnsafeMutablePointer(view.widget))
            gtk_box_append(page?.as(GtkBox.self), shelf)
            view.load(try color("\(index)", .solidRed))
        }
        let scrolled = gtk_scrolled_window_new()
        gtk_scrolled_window_set_child(OpaquePointer(scrolled), page)
        let window = try TestWindow(OpaquePointer(scrolled), width: 220, height: 300)
        defer { window.close() }
        await window.present()
        await MainLoop.run { views[2].binding().content.kind == .image }
        #expect(views[8].binding().activity == .deferred)
        // Scrolling the page, not the shelf, brings it into sight.
        gtk_adjustment_set_value(gtk_scrolled_window_get_vadjustment(OpaquePointer(scrolled)), 800)
        await MainLoop.run { views[8].binding().content.kind == .image }
        #expect(views[15].binding().activity == .deferred)
    }

    @Test func aFailureIsRetriedByActivation() async throws {
        let view = ImageView(pipeline: images.pipeline, accessibleName: "A cover")
        let url = TestImages.url("missing")
        images.loader.setAnswer(.failure(TintypeError(.unreachable, stage: .load, "down")), for: url.absoluteString)
        let window = try TestWindow(view.widget)
        defer { window.close() }
        view.load(url)
        await window.present()
        await MainLoop.run { view.binding().failure != nil }
        let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
        #expect(gtk_widget_has_css_class(widget, "failure") != 0 && gtk_widget_get_focusable(widget) != 0)
        view.retriesOnActivation = false
        #expect(gtk_widget_get_focusable(widget) == 0)
        view.retriesOnActivation = true
        #expect(gtk_widget_get_focusable(widget) != 0)
        _ = try color("missing", .solidRed)
        // A click and Enter activate the widget.
        #expect(gtk_widget_activate(widget) != 0)
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(gtk_widget_has_css_class(widget, "failure") == 0 && gtk_widget_get_focusable(widget) == 0)
    }

    @Test func eachStateOfAButtonHasItsImage() async throws {
        let button = gtk_button_new()
        let view = ImageView(pipeline: images.pipeline)
        gtk_button_set_child(
            button?.as(GtkButton.self), UnsafeMutablePointer(view.widget))
        gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 50, 50)
        let window = try TestWindow(OpaquePointer(button))
        defer { window.close() }
        view.contentFit = .fill
        view.load(try color("red", .solidRed))
        view.load(try color("green", .solidGreen), in: .highlighted)
        view.load(try color("blue", .solidBlue), in: ImageSlot(.image, state: .disabled))
        await window.present()
        await MainLoop.run {
            [ImageSlot.image, .highlighted, ImageSlot(.image, state: .disabled)].allSatisfy {
                view.binding($0).content.kind == .image
            }
        }
        func middle() async throws -> Pixel {
            await MainLoop.runFrames(2, of: window.widget)
            return try window.pixels()[100, 100]
        }
        #expect(try await middle().isClose(to: .solidRed))
        gtk_widget_set_state_flags(button, GTK_STATE_FLAG_ACTIVE, 0)
        #expect(try await middle().isClose(to: .solidGreen))
        gtk_widget_unset_state_flags(button, GTK_STATE_FLAG_ACTIVE)
        #expect(try await middle().isClose(to: .solidRed))
        gtk_widget_set_sensitive(button, 0)
        #expect(try await middle().isClose(to: .solidBlue))
        gtk_widget_set_sensitive(button, 1)
        #expect(try await middle().isClose(to: .solidRed))
    }

    @Test func aStateOfWhichTheImageIsRequestedLaterGetsIt() async throws {
        let button = gtk_toggle_button_new()
        let view = ImageView(pipeline: images.pipeline)
        gtk_button_set_child(button?.as(GtkButton.self), UnsafeMutablePointer(view.widget))
        gtk_widget_set_size_request(UnsafeMutablePointer(view.widget), 50, 50)
        let window = try TestWindow(OpaquePointer(button))
        defer { window.close() }
        view.contentFit = .fill
        view.load(try color("red", .solidRed))
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        let selected = ImageSlot(.image, state: .selected)
        for (name, pixel) in [("green", Pixel.solidGreen), ("blue", .solidBlue)] {
            view.load(try color(name, pixel), in: selected)
            // Nothing draws it before it is there.
            await MainLoop.run { view.binding(selected).content.kind == .image }
            gtk_toggle_button_set_active(button?.as(GtkToggleButton.self), 1)
            await MainLoop.runFrames(2, of: window.widget)
            #expect(try window.pixels()[100, 100].isClose(to: pixel))
            gtk_toggle_button_set_active(button?.as(GtkToggleButton.self), 0)
        }
    }

    @Test func theImageIsDrawnOverTheBackground() async throws {
        let view = ImageView(pipeline: images.pipeline)
        let window = try TestWindow(view.widget, width: 200, height: 100)
        defer { window.close() }
        view.load(try color("red", .solidRed))
        view.load(
            try images.add("wide", try .filled(.solidBlue, size: PixelSize(width: 200, height: 100))), in: .background)
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image && view.binding(.background).content.kind == .image }
        await MainLoop.runFrames(2, of: window.widget)
        let drawn = try window.pixels()
        #expect(drawn[100, 50].isClose(to: .solidRed) && drawn[10, 50].isClose(to: .solidBlue))
    }

    @Test(arguments: [ViewIndicator.spinner, .progressBar])
    func anIndicatorAppearsOnlyForALoadThatTakesLong(_ indicator: ViewIndicator) async throws {
        let gate = Gate()
        let view = ImageView(pipeline: images.pipeline)
        view.indicator = indicator
        let window = try TestWindow(view.widget)
        defer { window.close() }
        view.load(try color("red", .solidRed, gate: gate))
        await window.present()
        let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
        let child = gtk_widget_get_first_child(widget)
        await MainLoop.run { gtk_widget_has_css_class(widget, "loading") != 0 }
        #expect(gtk_widget_get_visible(child) == 0)
        await MainLoop.run { gtk_widget_get_visible(child) != 0 }
        gate.open()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(gtk_widget_has_css_class(widget, "loading") == 0)
        await MainLoop.run { gtk_widget_get_visible(child) == 0 }
    }

    @Test func anIndicatorOfTheProgramRunsBesideThatOfTheView() async throws {
        final class Own: LoadIndicator {
            var calls: [String] = []
            func start() { calls.append("start") }
            func update(_ progress: LoadProgress) {}
            func stop() { calls.append("stop") }
        }
        let (gate, own) = (Gate(), Own())
        let view = ImageView(pipeline: images.pipeline)
        view.indicator = .spinner
        view.binding().indicator = own
        let window = try TestWindow(view.widget)
        defer { window.close() }
        view.load(try color("red", .solidRed, gate: gate))
        await window.present()
        let widget = UnsafeMutablePointer<GtkWidget>(view.widget)
        await MainLoop.run { gtk_widget_has_css_class(widget, "loading") != 0 }
        let child = gtk_widget_get_first_child(widget)
        await MainLoop.run { gtk_widget_get_visible(child) != 0 }
        #expect(own.calls == ["start"])
        gate.open()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(own.calls == ["start", "stop"] && gtk_widget_has_css_class(widget, "loading") == 0)
    }

    @Test func aNameMakesAViewAnImageForScreenReaders() throws {
        let decoration = ImageView(pipeline: images.pipeline)
        let view = ImageView(pipeline: images.pipeline, accessibleName: "A lake")
        view.accessibleDescription = "At dawn"
        let (plain, named) = (decoration.widget, view.widget)
        #expect(gtk_test_accessible_has_role(plain, GTK_ACCESSIBLE_ROLE_PRESENTATION) != 0)
        #expect(gtk_test_accessible_has_property(plain, GTK_ACCESSIBLE_PROPERTY_LABEL) == 0)
        #expect(gtk_test_accessible_has_role(named, GTK_ACCESSIBLE_ROLE_IMG) != 0)
        #expect(gtk_test_accessible_has_property(named, GTK_ACCESSIBLE_PROPERTY_LABEL) != 0)
        #expect(gtk_test_accessible_has_property(named, GTK_ACCESSIBLE_PROPERTY_DESCRIPTION) != 0)
    }

    @Test func theViewOfAWidgetIsFoundAgain() throws {
        let view = ImageView(pipeline: images.pipeline, accessibleName: "A lake")
        #expect(ImageView(existing: view.widget)?.accessibleName == "A lake")
        let label = try #require(gtk_label_new(nil))
        defer { g_object_unref(g_object_ref_sink(label)) }
        #expect(ImageView(existing: OpaquePointer(label)) == nil)
    }

    @Test func aThousandViewsLeaveNothingBehind() async throws {
        let url = try color("red", .solidRed)
        let counter = InstanceCount()
        let box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 0)
        let window = try TestWindow(OpaquePointer(box))
        defer { window.close() }
        await window.present()
        for _ in 0..<20 {
            for _ in 0..<50 {
                let view = ImageView(pipeline: images.pipeline)
                view.indicator = .spinner
                counter.add(view)
                gtk_box_append(box?.as(GtkBox.self), UnsafeMutablePointer(view.widget))
                view.load(url)
            }
            await MainLoop.runFrames(1, of: window.widget)
            while let child = gtk_widget_get_first_child(box) { gtk_box_remove(box?.as(GtkBox.self), child) }
        }
        await MainLoop.run { counter.living == 0 && counter.bindingCount == 0 }
    }
}

/// The number of objects that exist, of those added.
@MainActor final class InstanceCount {
    private(set) var living = 0

    /// Counts a view's widget and the binding of its image.
    func add(_ view: ImageView) {
        living += 1
        let count = Unmanaged.passRetained(self).toOpaque()
        g_object_weak_ref(
            UnsafeMutableRawPointer(view.widget).assumingMemoryBound(to: GObject.self),
            { count, _ in
                guard let count else { return }
                let counter = Unmanaged<InstanceCount>.fromOpaque(count).takeRetainedValue()
                MainActor.assumeIsolated { counter.living -= 1 }
            }, count)
        bindings.append(Weak(binding: view.binding()))
    }

    /// The number of bindings that exist.
    var bindingCount: Int { bindings.count { $0.binding != nil } }

    private struct Weak {
        weak let binding: ImageBinding?
    }
    private var bindings: [Weak] = []
}
#endif
