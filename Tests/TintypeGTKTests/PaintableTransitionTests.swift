#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

/// How transitions are drawn, and how they end.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct PaintableTransitionTests {
    private let images = TestImages()
    private let square = PixelSize(width: 40, height: 40)

    init() throws { try Screen.open() }

    /// Draws a paintable until its image is there.
    private func load(_ url: URL, in paintable: ImagePaintable) async throws {
        paintable.load(url)
        _ = try render(paintable.pointer, square)
        await MainLoop.run { paintable.binding.content.kind == .image }
    }

    /// The pixels of a transition from red to blue over its whole length.
    private func pixels(_ transition: ImageTransition, at progress: Double) async throws -> PixelBuffer {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        try await begin(transition, in: paintable)
        // A transition of 1000 seconds stands still meanwhile.
        paintable.display.tick(MainLoopTimer().now + .seconds(1000 * progress))
        return try render(paintable.pointer, square)
    }

    /// Shows red, and begins a transition of 1000 seconds to blue.
    private func begin(_ transition: ImageTransition, in paintable: ImagePaintable) async throws {
        var transition = transition
        (transition.duration, transition.easing, transition.when) = (.seconds(1000), .linear, .always)
        paintable.motion = .always
        try await load(try images.add("red", try .filled(.solidRed, size: square)), in: paintable)
        paintable.presentation.whileLoading = .current
        paintable.presentation.transition = transition
        let red = try #require(paintable.binding.content.image)
        paintable.load(try images.add("blue", try .filled(.solidBlue, size: square)))
        _ = try render(paintable.pointer, square)
        await MainLoop.run { paintable.binding.content.image !== red && paintable.binding.content.kind == .image }
    }

    @Test func halfOfAFadeIsTheMeanOfBothImages() async throws {
        let middle = try await pixels(.fade, at: 0.5)[20, 20]
        #expect(abs(Int(middle.red) - 127) <= 3 && abs(Int(middle.blue) - 128) <= 3 && middle.alpha == 255)
    }

    /// The new image covers that half from which it comes.
    @Test(arguments: [
        (ImageTransition.Kind.slideFromLeft, (x: 5, y: 20), (x: 35, y: 20)),
        (.slideFromRight, (x: 35, y: 20), (x: 5, y: 20)), (.slideFromTop, (x: 20, y: 5), (x: 20, y: 35)),
        (.slideFromBottom, (x: 20, y: 35), (x: 20, y: 5)),
    ])
    func halfOfASlideCoversHalf(_ kind: ImageTransition.Kind, _ new: (x: Int, y: Int), _ old: (x: Int, y: Int))
        async throws
    {
        let drawn = try await pixels(ImageTransition(kind), at: 0.5)
        #expect(drawn[new.x, new.y].isClose(to: .solidBlue) && drawn[old.x, old.y].isClose(to: .solidRed))
    }

    /// After a quarter, the old image is narrower by the cosine of 45 degrees; after three quarters, the new one.
    @Test(arguments: [
        (ImageTransition.Kind.flipFromLeft, (x: 2, y: 20)), (.flipFromRight, (x: 37, y: 20)),
        (.flipFromTop, (x: 20, y: 2)), (.flipFromBottom, (x: 20, y: 37)),
    ])
    func aFlipTurnsTheOldImageAwayAndTheNewOneToTheFront(_ kind: ImageTransition.Kind, _ edge: (x: Int, y: Int))
        async throws
    {
        let transition = ImageTransition(kind)
        for (progress, color) in [(0.25, Pixel.solidRed), (0.75, .solidBlue)] {
            let drawn = try await pixels(transition, at: progress)
            #expect(drawn[20, 20].isClose(to: color) && drawn[edge.x, edge.y].alpha == 0)
        }
    }

    @Test func aTransitionOfAProgramIsDrawn() async throws {
        let shrinking = CustomTransition(name: "shrink") { _, progress in
            TransitionFrame(old: .init(scale: 1 - progress), new: .hidden)
        }
        let drawn = try await pixels(ImageTransition(.custom(shrinking)), at: 0.5)
        #expect(drawn[20, 20].isClose(to: .solidRed) && drawn[12, 12].isClose(to: .solidRed))
        #expect(drawn[7, 7].alpha == 0)
    }

    @Test func anotherImageInterruptsATransition() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        try await begin(.fade, in: paintable)
        paintable.clear()
        #expect(try render(paintable.pointer, square)[20, 20].alpha == 0)
    }

    @Test func aTransitionGoesOnInTheWidgetThatIsFollowed() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.motion = .always
        let picture = try #require(gtk_picture_new_for_paintable(paintable.pointer))
        let window = try TestWindow(OpaquePointer(picture))
        defer { window.close() }
        await window.present()
        try await load(try images.add("red", try .filled(.solidRed, size: square)), in: paintable)
        let red = try #require(paintable.binding.content.image)
        paintable.presentation.whileLoading = .current
        paintable.presentation.transition = ImageTransition(.fade, duration: .seconds(1))
        paintable.presentation.completion = .afterTransition
        var isOver = false
        paintable.load(ImageRequest(url: try images.add("blue", try .filled(.solidBlue, size: square)))) {
            if case .finished = $0 { isOver = true }
        }
        await MainLoop.run { paintable.binding.content.image !== red }
        // It has begun on a timer.
        paintable.follow(OpaquePointer(picture))
        await MainLoop.run { isOver }
        #expect(try render(paintable.pointer, square)[20, 20].isClose(to: .solidBlue))
    }

    /// As in a slide show whose images are in memory.
    @Test func theReceiverAtTheEndOfATransitionMayBeginTheNext() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.motion = .always
        let colors = [Pixel.solidRed, .solidGreen, .solidBlue, .solidWhite]
        let urls = try colors.enumerated().map { try images.add("\($0)", try .filled($1, size: square)) }
        for url in urls { try await load(url, in: paintable) }
        paintable.presentation.transition = ImageTransition(.fade, duration: .milliseconds(20), when: .always)
        paintable.presentation.completion = .afterTransition
        var shown = 0
        func showNext() {
            paintable.load(ImageRequest(url: urls[shown % urls.count])) { event in
                guard case .finished(.success) = event else { return }
                shown += 1
                if shown < 6 { showNext() }
            }
        }
        showNext()
        await MainLoop.run { shown == 6 }
        #expect(try render(paintable.pointer, square)[20, 20].isClose(to: .solidGreen))
    }

    @Test func aTransitionToThePixelsThatAreShownKeepsThem() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        let url = try images.add("red", try .filled(.solidRed, size: square))
        try await load(url, in: paintable)
        let image = try #require(paintable.binding.content.image)
        paintable.motion = .always
        paintable.presentation.transition = ImageTransition(.fade, duration: .milliseconds(20), when: .always)
        paintable.presentation.completion = .afterTransition
        paintable.presentation.whileLoading = .current
        // A revalidation that finds the image unchanged answers with the same object.
        images.loader.setAnswer(.image(image), for: url.absoluteString)
        var isOver = false
        paintable.load(ImageRequest(url: url).freshness(.reload)) { if case .finished = $0 { isOver = true } }
        _ = try render(paintable.pointer, square)
        await MainLoop.run { isOver }
        #expect(try render(paintable.pointer, square)[20, 20].isClose(to: .solidRed))
    }

    @Test(arguments: ImageTransition.Kind.standard)
    func aTransitionEndsWithTheNewImageAlone(_ kind: ImageTransition.Kind) async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.motion = .always
        try await load(try images.add("red", try .filled(.solidRed, size: square)), in: paintable)
        paintable.presentation.whileLoading = .current
        paintable.presentation.transition = ImageTransition(kind, duration: .milliseconds(50))
        paintable.presentation.completion = .afterTransition
        var isOver = false
        var seen: Set<UInt8> = []
        paintable.load(ImageRequest(url: try images.add("blue", try .filled(.solidBlue, size: square)))) {
            if case .finished = $0 { isOver = true }
        }
        var failure: (any Error)?
        await MainLoop.run {
            do { seen.insert(try render(paintable.pointer, square)[20, 20].blue) } catch { failure = error }
            return isOver
        }
        #expect(failure == nil)
        let drawn = try render(paintable.pointer, square)
        #expect(
            drawn[1, 1].isClose(to: .solidBlue) && drawn[20, 20].isClose(to: .solidBlue)
                && drawn[38, 38].isClose(to: .solidBlue))
        // The old image is drawn while the new one loads.
        #expect(seen.contains(0) && seen.contains(255))
    }

    @Test func withoutMotionAnImageReplacesTheOldOneAtOnce() async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        paintable.motion = .never
        try await load(try images.add("red", try .filled(.solidRed, size: square)), in: paintable)
        paintable.presentation.transition = ImageTransition(.fade, duration: .seconds(1000))
        paintable.presentation.completion = .afterTransition
        var isOver = false
        paintable.load(ImageRequest(url: try images.add("blue", try .filled(.solidBlue, size: square)))) {
            if case .finished = $0 { isOver = true }
        }
        _ = try render(paintable.pointer, square)
        await MainLoop.run { isOver }
        #expect(try render(paintable.pointer, square)[20, 20].isClose(to: .solidBlue))
    }
}
#endif
