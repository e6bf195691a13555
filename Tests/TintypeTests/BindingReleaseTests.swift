import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Bindings that are released while their loads, transitions and receivers are under way.
@Suite(.timeLimited) @MainActor struct BindingReleaseTests {
    /// A display that shows nothing, and may keep the newest transition.
    @MainActor private final class EmptyDisplay: ImageDisplay {
        let keepsTransitions: Bool
        var transition: RunningTransition?

        init(keepsTransitions: Bool) { self.keepsTransitions = keepsTransitions }

        func show(_ content: ImageContent) {}
        func show(with transition: RunningTransition) {
            _ = transition.frame(at: .zero)
            if keepsTransitions { self.transition = transition }
        }
    }

    /// Releases what it holds on a thread of its own.
    private final class Holder: Sendable {
        private let binding: ImageBinding
        init(_ binding: ImageBinding) { self.binding = binding }
    }

    /// How a round ends.
    enum Release: CaseIterable {
        case bindingFirst, displayFirst, onAnotherThread, afterOtherLoads
    }

    private static let transition = ImageTransition(
        .custom(
            CustomTransition(name: "release") { _, progress in
                TransitionFrame(old: .init(opacity: 1 - progress), new: .init(opacity: progress))
            }), when: .always)

    /// Each receiver hears of the end once, whatever is released when, and on whatever thread.
    @Test(arguments: Release.allCases) func aBindingMayBeReleasedAtAnyMoment(_ release: Release) async throws {
        let pipeline = ImagePipeline(.standard(disk: nil))
        let png = try PNGEncoder().encode(
            try PixelBuffer.filled(Pixel(red: 9, green: 9, blue: 9), size: PixelSize(width: 8, height: 8)), as: .png,
            options: EncodeOptions())
        let presentation = Presentation(transition: Self.transition, completion: .afterTransition)
        var started = 0
        let ended = Shared(0)
        for round in 0..<120 {
            var display: EmptyDisplay? = EmptyDisplay(keepsTransitions: round % 2 == 0)
            var binding: ImageBinding? = display.map { ImageBinding($0, pipeline: pipeline) }
            for number in 0...(release == .afterOtherLoads ? 2 : 0) {
                started += 1
                let request = ImageRequest(source: .bytes(png, id: "release-\(release)-\(round)-\(number)"))
                binding?.load(request, presentation: presentation) {
                    if case .finished = $0 { ended.withLock { $0 += 1 } }
                }
            }
            for _ in 0..<round % 12 { await Task.yield() }
            if release == .displayFirst { display = nil }
            if release == .onAnotherThread, let held = binding {
                let holder = Holder(held)
                binding = nil
                await Task.detached { _ = holder }.value
            }
            binding = nil
            for _ in 0..<round % 3 { await Task.yield() }
            display = nil
        }
        await ended.wait { [started] in $0 >= started }
        #expect(ended.now == started)
    }
}
