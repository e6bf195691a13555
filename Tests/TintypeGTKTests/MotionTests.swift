#if GTK
import CGTK
import Foundation
import Testing
import TestSupport
import Tintype
import TintypeTesting

@testable import GTKTest
@testable import TintypeGTK

/// Views while the user turns animations off and on, and while the system saves power.
@Suite(.serialized, .needsScreen, .timeLimited) @MainActor struct MotionTests {
    private let images = TestImages()
    private let square = PixelSize(width: 20, height: 20)

    init() throws { try Screen.open() }

    /// The reasons why nothing moves.
    enum Reason: CaseIterable, Sendable {
        case animationsAreOff
        case powerIsSaved

        @MainActor func set(_ applies: Bool) {
            switch self {
            case .animationsAreOff: DesktopSettings.setAnimations(!applies)
            case .powerIsSaved: DesktopSettings.setSavingPower(applies)
            }
        }
    }

    private func makeAnimation() throws -> URL {
        try images.add(
            "animation", frames: [.solidRed, .solidGreen, .solidBlue, .solidWhite], size: square, duration: 0.02)
    }

    /// Returns the textures that views show until another one has played an animation of four frames to its end.
    private func textures(of views: [ImageView], while playing: ImageView) async -> [Set<OpaquePointer>] {
        var played: Set<OpaquePointer> = []
        var shown = views.map { _ in Set<OpaquePointer>() }
        await MainLoop.run {
            if let texture = playing.texture { played.insert(texture) }
            for (index, view) in views.enumerated() {
                if let texture = view.texture { shown[index].insert(texture) }
            }
            return played.count >= 4
        }
        return shown
    }

    @Test(arguments: [(true, false, true), (true, true, false), (false, false, false), (false, true, false)])
    func imagesMoveWithAnimationsAndWithoutSavingPower(_ animates: Bool, _ savesPower: Bool, _ moves: Bool) {
        DesktopSettings.setAnimations(animates)
        DesktopSettings.setSavingPower(savesPower)
        defer { for reason in Reason.allCases { reason.set(false) } }
        #expect(Desktop.shared.allowsMotion == moves)
    }

    @Test(arguments: Reason.allCases)
    func anAnimationHoldsItsFrameAndGoesOn(_ reason: Reason) async throws {
        let url = try makeAnimation()
        let (window, views) = try images.makeViews(2)
        defer { window.close() }
        let (view, playing) = (views[0], views[1])
        playing.motion = .always
        for view in views { view.load(url) }
        await window.present()
        // From now on, every frame has been made, so none arrives late.
        _ = await textures(of: [], while: playing)
        reason.set(true)
        defer { reason.set(false) }
        let held = try #require(view.texture)
        let shown = await textures(of: [view], while: playing)
        #expect(shown == [[held]])
        reason.set(false)
        await MainLoop.run { view.texture != held }
    }

    @Test func theSettingOfAViewOverridesThatOfTheDesktop() async throws {
        DesktopSettings.setAnimations(false)
        defer { DesktopSettings.setAnimations(true) }
        let url = try makeAnimation()
        let (window, views) = try images.makeViews(3)
        defer { window.close() }
        let (playing, automatic, still) = (views[0], views[1], views[2])
        (playing.motion, still.motion) = (.always, .never)
        for view in views { view.load(url) }
        await window.present()
        await MainLoop.run { views.allSatisfy { $0.binding().content.kind == .image } }
        let first = try #require(still.texture)
        let shown = await textures(of: [automatic, still], while: playing)
        #expect(shown == [[first], [first]])
        DesktopSettings.setAnimations(true)
        await MainLoop.run { automatic.texture != first }
        let later = await textures(of: [still], while: playing)
        #expect(later == [[first]])
        still.motion = .automatic
        await MainLoop.run { still.texture != first }
    }

    /// Shows an image with a fade of 1000 seconds.
    ///
    /// - Parameter end: Called when the transition has ended.
    private func fade(
        to name: String, _ color: Pixel, in paintable: ImagePaintable, end: @escaping @MainActor @Sendable () -> Void
    ) async throws {
        paintable.presentation.whileLoading = .current
        paintable.presentation.transition = ImageTransition(.fade, duration: .seconds(1000))
        paintable.presentation.completion = .afterTransition
        let former = paintable.binding.content.image
        paintable.load(ImageRequest(url: try images.add(name, try .filled(color, size: square)))) {
            if case .finished(.success) = $0 { end() }
        }
        _ = try render(paintable.pointer, square)
        await MainLoop.run { paintable.binding.content.kind == .image && paintable.binding.content.image !== former }
    }

    @Test(arguments: Reason.allCases)
    func aTransitionEndsAtOnceAndOnce(_ reason: Reason) async throws {
        let paintable = ImagePaintable(pipeline: images.pipeline)
        let ends = Shared(0)
        let count: @MainActor @Sendable () -> Void = { ends.withLock { $0 += 1 } }
        paintable.load(try images.add("red", try .filled(.solidRed, size: square)))
        _ = try render(paintable.pointer, square)
        await MainLoop.run { paintable.binding.content.kind == .image }
        try await fade(to: "blue", .solidBlue, in: paintable, end: count)
        #expect(ends.now == 0)
        reason.set(true)
        defer { reason.set(false) }
        #expect(ends.now == 1)
        #expect(try render(paintable.pointer, square)[10, 10].isClose(to: .solidBlue))
        // Without motion, the next image has no transition.
        try await fade(to: "green", .solidGreen, in: paintable, end: count)
        MainLoop.runPending()
        #expect(ends.now == 2)
        #expect(try render(paintable.pointer, square)[10, 10].isClose(to: .solidGreen))
        reason.set(false)
        MainLoop.runPending()
        #expect(ends.now == 2)
    }
}
#endif
