#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

/// What a window shows before, during and after the loads of a view.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct ViewPresentationTests {
    private let images = TestImages()
    private let side = PixelSize(width: 100, height: 100)
    private let view: ImageView
    private let window: TestWindow

    init() throws {
        try Screen.open()
        view = ImageView(pipeline: images.pipeline)
        window = try TestWindow(view.widget, width: 100, height: 100)
    }

    private func color(_ name: String, _ pixel: Pixel, gate: Gate? = nil) throws -> URL {
        try images.add(name, try .filled(pixel, size: side), gate: gate)
    }

    private func image(_ pixel: Pixel) throws -> Image {
        Image(pixels: try .filled(pixel, size: side), info: ImageInfo(format: .png, size: side))
    }

    /// The pixel in the middle of the window, once it has been drawn again.
    private func middle() async throws -> Pixel {
        await MainLoop.runFrames(2, of: window.widget)
        return try window.pixels()[50, 50]
    }

    /// The style classes that tell the content of the view.
    private var classes: [ImageContent.Kind] {
        ImageContent.Kind.allCases.filter {
            gtk_widget_has_css_class(UnsafeMutablePointer(view.widget), $0.rawValue) != 0
        }
    }

    private var isBusy: Bool { gtk_widget_has_css_class(UnsafeMutablePointer(view.widget), "loading") != 0 }

    @Test func thePlaceholderStaysUntilTheImageIsThere() async throws {
        defer { window.close() }
        let gate = Gate()
        view.presentation.whileLoading = .placeholder(try image(.solidBlue))
        view.load(try color("red", .solidRed, gate: gate))
        await window.present()
        await MainLoop.run { view.binding().activity == .loading }
        #expect(try await middle().isClose(to: .solidBlue))
        #expect(classes == [.placeholder] && isBusy)
        gate.open()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(try await middle().isClose(to: .solidRed))
        #expect(classes == [.image] && !isBusy)
    }

    @Test func theFailureImageIsShownAfterTheFailureOnly() async throws {
        defer { window.close() }
        let gate = Gate()
        let url = TestImages.url("missing")
        let error = TintypeError(.unreachable, stage: .load, "down")
        images.loader.setAnswer(.gated(gate, .failure(error)), for: url.absoluteString)
        view.presentation.failureImage = try image(.solidGreen)
        view.load(url)
        await window.present()
        await MainLoop.run { view.binding().activity == .loading }
        #expect(view.texture == nil && classes == [])
        gate.open()
        await MainLoop.run { view.binding().failure != nil }
        #expect(try await middle().isClose(to: .solidGreen))
        #expect(classes == [.failure] && !isBusy)
    }

    @Test func theReceiverMayShowTheImageItself() async throws {
        defer { window.close() }
        let received = Shared<Image?>(nil)
        view.presentation.delivery = .manual
        view.load(ImageRequest(url: try color("red", .solidRed))) { event in
            guard case .finished(.success(let response)) = event else { return }
            received.withLock { $0 = response.image }
        }
        await window.present()
        await MainLoop.run { received.now != nil }
        #expect(received.now?.size == side && view.texture == nil && classes == [])
    }

    @Test func aFormerLoadMayGoOnBesideTheNewOne() async throws {
        defer { window.close() }
        let gates = (red: Gate(), blue: Gate())
        let red = try color("red", .solidRed, gate: gates.red)
        let blue = try color("blue", .solidBlue, gate: gates.blue)
        view.load(red)
        await window.present()
        await MainLoop.run { images.loader.count(red.absoluteString) == 1 }
        view.presentation.replacement = .besideFormer
        view.load(blue)
        await MainLoop.run { images.loader.count(blue.absoluteString) == 1 }
        gates.red.open()
        await MainLoop.run { view.binding().content.kind == .image }
        #expect(try await middle().isClose(to: .solidRed))
        #expect(isBusy)
        let first = view.binding().content.image
        gates.blue.open()
        await MainLoop.run { view.binding().content.image !== first }
        #expect(try await middle().isClose(to: .solidBlue))
        #expect(!isBusy)
        #expect(images.loader.cancelledCount(red.absoluteString) == 0)
    }

    @Test func anImageInMemoryIsShownAtOnceWithoutATransition() async throws {
        defer { window.close() }
        view.motion = .always
        let url = try color("red", .solidRed)
        view.load(url)
        await window.present()
        await MainLoop.run { view.binding().content.kind == .image }
        view.clear()
        #expect(view.texture == nil)
        view.presentation.transition = ImageTransition(.fade, duration: .seconds(1000))
        view.load(url)
        #expect(view.texture != nil && classes == [.image])
        #expect(try await middle().isClose(to: .solidRed))
        #expect(images.counts.loads == 1)
    }
}
#endif
