#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

/// Views that are hidden, recycled and destroyed.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct ViewLifeTests {
    private let images = TestImages()
    private let side = PixelSize(width: 100, height: 100)
    /// The ends of the loads, `nil` for a success.
    private let ends = Shared<[TintypeError.Code?]>([])

    init() throws { try Screen.open() }

    private func color(_ name: String, _ pixel: Pixel, gate: Gate? = nil) throws -> URL {
        try images.add(name, try .filled(pixel, size: side), gate: gate)
    }

    private func makeView() throws -> (ImageView, TestWindow) {
        let view = ImageView(pipeline: images.pipeline)
        return (view, try TestWindow(view.widget, width: 100, height: 100))
    }

    private func load(_ url: URL, in view: ImageView) {
        view.load(ImageRequest(url: url)) { [ends] event in
            guard case .finished(let result) = event else { return }
            let code: TintypeError.Code? = if case .failure(let error) = result { error.code } else { nil }
            ends.withLock { $0.append(code) }
        }
    }

    private func hide(_ window: TestWindow) { gtk_widget_set_visible(window.widget, 0) }

    /// Shows red in a new view, and begins a transition of 1000 seconds to blue.
    private func makeViewInTransition() async throws -> (ImageView, TestWindow) {
        let (view, window) = try makeView()
        view.motion = .always
        view.load(try color("red", .solidRed))
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        let red = view.binding().content.image
        view.presentation.whileLoading = .current
        view.presentation.transition = ImageTransition(.fade, duration: .seconds(1000))
        view.presentation.completion = .afterTransition
        load(try color("blue", .solidBlue), in: view)
        await MainLoop.run { view.binding().content.kind == .image && view.binding().content.image !== red }
        #expect(ends.now == [])
        return (view, window)
    }

    // MARK: Hidden

    /// The window is unmapped and mapped by the X server. Five seconds later, the cache keeps its smaller share.
    @Test func aHiddenWindowKeepsASmallerShareOfTheMemory() async throws {
        var limits = CacheLimits(cost: 8 * 200_000)
        limits.hiddenShare = 0.25
        let memory = MemoryCache(limits: limits)
        let pipeline = ImagePipeline(.standard(memory: memory, disk: nil))
        let timer = ManualPlaybackTimer()
        // Before the view asks for it.
        let views = Desktop.shared.views(of: pipeline, timer: timer)
        let view = ImageView(pipeline: pipeline)
        let window = try TestWindow(view.widget, width: 100, height: 100)
        defer { window.close() }
        for name in 0..<8 {
            let pixels = try PixelBuffer.filled(.solidRed, size: PixelSize(width: 200, height: 200))
            memory.store(
                Image(pixels: pixels, info: ImageInfo(format: .png, size: pixels.size)),
                for: CacheKey(source: "\(name)"))
        }
        #expect(memory.totalCount == 8)
        await window.present()
        await MainLoop.run { gtk_widget_get_mapped(window.widget) != 0 }
        timer.advance(by: views.delay)
        #expect(!memory.isHidden && memory.totalCount == 8)
        hide(window)
        await MainLoop.run { timer.ringTime != nil }
        #expect(gtk_widget_get_mapped(window.widget) == 0)
        timer.advance(by: views.delay - .milliseconds(1))
        #expect(!memory.isHidden && memory.totalCount == 8)
        timer.advance(by: .milliseconds(1))
        #expect(memory.isHidden && memory.totalCount == 2)
        gtk_window_present(window.window)
        await MainLoop.run { !memory.isHidden }
    }

    @Test func hidingAViewLowersThePriorityOfItsLoadAndShowingItRaisesIt() async throws {
        let gate = Gate()
        let (view, window) = try makeView()
        defer { window.close() }
        view.presentation.whenHidden = .yields
        view.load(try color("red", .solidRed, gate: gate))
        await window.present()
        await MainLoop.run { view.binding().task?.priority == .normal }
        hide(window)
        await MainLoop.run { view.binding().task?.priority == .veryLow }
        gtk_window_present(window.window)
        await MainLoop.run { view.binding().task?.priority == .normal }
        gate.open()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(images.counts.loads == 1)
    }

    @Test func theLoadOfAHiddenViewStopsAndGoesOnWhenTheViewIsShown() async throws {
        let gate = Gate()
        let (view, window) = try makeView()
        defer { window.close() }
        let url = try color("red", .solidRed, gate: gate)
        view.presentation.whenHidden = .pauses(after: .milliseconds(1))
        load(url, in: view)
        await window.present()
        await MainLoop.run { images.loader.count(url.absoluteString) == 1 }
        hide(window)
        await MainLoop.run { images.loader.cancelledCount(url.absoluteString) == 1 }
        #expect(view.binding().activity == .paused && ends.now == [])
        gate.open()
        gtk_window_present(window.window)
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(images.loader.count(url.absoluteString) == 2 && ends.now == [nil])
    }

    @Test func hiddenViewsReleaseTheFramesOfTheirAnimationAndMakeThemAgain() async throws {
        let url = try images.add(
            "animation", frames: [.solidRed, .solidGreen, .solidBlue, .solidWhite],
            size: PixelSize(width: 20, height: 20), duration: 0.02)
        let (window, views) = try images.makeViews(2)
        defer { window.close() }
        for view in views { view.load(url) }
        await window.present()
        await MainLoop.run { views.allSatisfy { $0.binding().content.kind == .image } }
        let pool = try #require(views[0].binding().content.image?.animation?.pool)
        await MainLoop.run { pool.playerCount == 2 && pool.heldFrameCount > 0 }
        let loads = images.counts.loads
        hide(window)
        await MainLoop.run { pool.playerCount == 0 && pool.heldFrameCount == 0 }
        // The frame that is shown stays.
        let shown = try #require(views[0].texture)
        gtk_window_present(window.window)
        await MainLoop.run { pool.playerCount == 2 && pool.heldFrameCount > 0 && views[0].texture != shown }
        #expect(images.counts.loads == loads)
    }

    @Test func hidingAViewEndsItsTransition() async throws {
        let (view, window) = try await makeViewInTransition()
        defer { window.close() }
        hide(window)
        await MainLoop.run { ends.now == [nil] }
        gtk_window_present(window.window)
        await MainLoop.run { gtk_widget_get_mapped(UnsafeMutablePointer(view.widget)) != 0 }
        await MainLoop.runFrames(2, of: window.widget)
        #expect(try window.pixels()[50, 50].isClose(to: .solidBlue))
        #expect(ends.now == [nil])
    }

    // MARK: Destroyed

    /// Destroys a window whose view no Swift object holds any longer.
    private func destroy(_ window: TestWindow) async {
        window.close()
        await MainLoop.run { !ends.now.isEmpty }
        MainLoop.runPending()
    }

    @Test func destroyingTheWindowEndsALoadOnce() async throws {
        let gate = Gate()
        let url = try color("red", .solidRed, gate: gate)
        let (binding, window): (ImageBinding, TestWindow)
        do {
            let (view, itsWindow) = try makeView()
            load(url, in: view)
            (binding, window) = (view.binding(), itsWindow)
        }
        await window.present()
        await MainLoop.run { images.loader.count(url.absoluteString) == 1 }
        await destroy(window)
        #expect(ends.now == [.cancelled] && binding.activity == .idle)
        await MainLoop.run { images.loader.cancelledCount(url.absoluteString) == 1 }
        gate.open()
        MainLoop.runPending()
        #expect(ends.now == [.cancelled])
    }

    @Test func destroyingTheWindowEndsATransitionOnce() async throws {
        let (binding, window): (ImageBinding, TestWindow)
        do {
            let (view, itsWindow) = try await makeViewInTransition()
            (binding, window) = (view.binding(), itsWindow)
        }
        await destroy(window)
        #expect(ends.now == [nil] && binding.activity == .idle)
    }

    // MARK: Recycled

    @Test func aRecycledViewThatGetsTheSameItemAtOnceKeepsItsImage() async throws {
        let (view, window) = try makeView()
        defer { window.close() }
        let url = try color("red", .solidRed)
        view.load(url)
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        let texture = try #require(view.texture)
        view.recycle()
        #expect(view.texture == texture)
        view.load(url)
        await MainLoop.runFrames(2, of: window.widget)
        #expect(view.texture == texture && view.binding().content.kind == .image && images.counts.loads == 1)
    }

    @Test func aRecycledViewNeverShowsTheImageOfItsFormerItem() async throws {
        let gate = Gate()
        let (view, window) = try makeView()
        defer { window.close() }
        view.load(try color("red", .solidRed))
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        view.recycle()
        view.load(try color("blue", .solidBlue, gate: gate))
        #expect(view.texture == nil && view.binding().content.kind == .nothing)
        gate.open()
        await MainLoop.run { view.binding().content.kind == .image }
        await MainLoop.runFrames(2, of: window.widget)
        #expect(try window.pixels()[50, 50].isClose(to: .solidBlue))
        // Without another item, the image is removed when control has returned to the main loop.
        view.recycle()
        #expect(view.texture != nil)
        await MainLoop.run { view.texture == nil }
        #expect(view.binding().content.kind == .nothing)
    }
}
#endif
