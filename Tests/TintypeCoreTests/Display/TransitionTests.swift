import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeViews

@Suite(.timeLimited) @MainActor struct TransitionTests {
    private let display = FakeDisplay()

    private func running(
        _ transition: ImageTransition, report: (@MainActor () -> Void)? = nil
    ) throws -> RunningTransition {
        let context = TransitionContext(
            transition, from: .placeholder(try .pixel()), to: .image(try .pixel()), on: display)
        return RunningTransition(context, report: report)
    }

    // MARK: Time

    @Test func theFirstFrameIsTheStart() throws {
        let running = try running(ImageTransition(.fade, duration: .seconds(1), easing: .linear))
        #expect(running.progress(at: .seconds(100)) == 0)
        #expect(running.progress(at: .milliseconds(100_250)) == 0.25)
        #expect(!running.isOver)
        #expect(running.progress(at: .seconds(101)) == 1 && running.isOver)
    }

    @Test func aTransitionWithoutDurationEndsAtItsFirstFrame() throws {
        let running = try running(ImageTransition(.fade, duration: .zero))
        #expect(running.frame(at: .zero) == .end && running.isOver)
    }

    @Test(arguments: ImageTransition.Easing.allCases)
    func easingsLeadFromStartToEndWithoutTurningBack(_ easing: ImageTransition.Easing) {
        let steps = (0...100).map { easing.progress(Double($0) / 100) }
        #expect(steps.first == 0 && steps.last == 1 && steps == steps.sorted())
        #expect(easing.progress(-1) == 0 && easing.progress(2) == 1)
    }

    // MARK: The end

    @Test func everyWayToEndReportsItOnce() throws {
        for end in [RunningTransition.finish, RunningTransition.interrupt] {
            let (ends, reports) = (Shared(0), Shared(0))
            let running = try running(.fade) { reports.withLock { $0 += 1 } }
            running.onEnd = { ends.withLock { $0 += 1 } }
            _ = running.frame(at: .zero)
            end(running)()
            running.finish()
            running.interrupt()
            _ = running.frame(at: .seconds(10))
            #expect(ends.now == 1 && reports.now == 1 && running.isOver)
        }
    }

    @Test func releasingATransitionEndsIt() throws {
        let reports = Shared(0)
        var running: RunningTransition? = try running(.fade) { reports.withLock { $0 += 1 } }
        _ = running?.frame(at: .zero)
        running = nil
        #expect(reports.now == 1)
    }

    // MARK: Standard frames

    @Test func everyStandardTransitionLeadsFromTheOldImageToTheNew() {
        for kind in ImageTransition.Kind.standard {
            let start = kind.frame(at: 0)
            #expect(start.old.isInPlace && !start.new.isInPlace, "\(kind)")
            #expect(kind.frame(at: 1).new.isInPlace, "\(kind)")
        }
    }

    @Test(arguments: [
        (ImageTransition.Kind.slideFromLeft, -0.75, 0.0), (.slideFromRight, 0.75, 0), (.slideFromTop, 0, -0.75),
        (.slideFromBottom, 0, 0.75),
    ])
    func slidesComeFromTheirSide(_ kind: ImageTransition.Kind, _ x: Double, _ y: Double) {
        let frame = kind.frame(at: 0.25)
        #expect(frame == TransitionFrame(old: .shown, new: .init(x: x, y: y)))
    }

    @Test(arguments: [
        (ImageTransition.Kind.flipFromLeft, TransitionFrame.Turn.Axis.vertical, 1.0), (.flipFromRight, .vertical, -1),
        (.flipFromTop, .horizontal, 1), (.flipFromBottom, .horizontal, -1),
    ])
    func flipsShowTheNewImageInTheirSecondHalf(
        _ kind: ImageTransition.Kind, _ axis: TransitionFrame.Turn.Axis, _ sign: Double
    ) {
        let first = kind.frame(at: 0.25)
        #expect(first.old.turn == .init(axis, degrees: 45 * sign) && first.new == .hidden)
        let second = kind.frame(at: 0.75)
        #expect(second.new.turn == .init(axis, degrees: -45 * sign) && second.old == .hidden)
    }

    @Test func theOldImageFadesOutOnlyIfTheNewOneDoesNotHideIt() {
        let over = ImageTransition.Kind.fade.frame(at: 0.25)
        #expect(over.old.opacity == 1 && over.new.opacity == 0.25)
        let cross = ImageTransition.Kind.fade.frame(at: 0.25, oldFadesFrom: 0)
        #expect(cross.old.opacity == 0.75 && cross.new.opacity == 0.25)
    }

    @Test(arguments: [0, 0.25, 0.5, 1]) func theOldImageFadesOutFromWhereItBegins(_ start: Double) {
        let steps = (0...100).map { Double($0) / 100 }.filter { $0 >= start }
        let opacities = steps.map { ImageTransition.Kind.fade.frame(at: $0, oldFadesFrom: start).old.opacity }
        #expect(opacities == opacities.sorted(by: >) && opacities.last == 0)
        #expect(start == 1 || opacities.first == 1)
    }

    @Test(arguments: [(4, 3, false, true), (4, 3, true, false), (3, 4, false, false), (400, 301, false, true)])
    func anOpaqueFileOfTheSameShapeMayHideTheOldImage(_ width: Int, _ height: Int, _ hasAlpha: Bool, _ isHidden: Bool)
        async throws
    {
        let old = try Image.white(PixelSize(width: 40, height: 30))
        let new = try Image.white(PixelSize(width: width, height: height), hasAlpha: hasAlpha)
        let fade = ImageTransition(.fade, duration: .seconds(1), easing: .linear)
        let context = TransitionContext(fade, from: .placeholder(old), to: .image(new), on: display)
        #expect(context.mayHideOld == isHidden)
        let running = RunningTransition(context)
        _ = running.frame(at: .zero)
        // The pixels have been looked at, and the main actor has had a turn.
        await withCheckedContinuation { done in WorkQueue.pixels.enqueue(at: .veryLow) { done.resume() } }
        for _ in 0..<10 { await Task.yield() }
        #expect(running.frame(at: .milliseconds(500)).old.opacity == (isHidden ? 1 : 0.5))
    }

    /// All pixels are looked at on another thread, while the transition runs.
    @Test(.timeLimited) func anImageWhoseCornersAreCutOffDoesNotHideTheOldOne() async throws {
        let old = try Image.white(PixelSize(width: 30, height: 30))
        // The header is that of an opaque file.
        let new = try old.transformed(by: CircleTransformer())
        let fade = ImageTransition(.fade, duration: .seconds(100_000_000), easing: .linear)
        let running = RunningTransition(TransitionContext(fade, from: .image(old), to: .image(new), on: display))
        var time = Duration.zero
        while running.frame(at: time).old.opacity == 1 {
            await Task.yield()
            time += .milliseconds(1)
        }
        #expect(!running.isOver && running.frame(at: .seconds(99_999_999)).old.opacity < 0.1)
    }

    // MARK: A program's own

    @Test func aCustomTransitionIsPreparedAnimatedAndCompleted() throws {
        let log = Shared<[String]>([])
        let custom = CustomTransition(
            name: "grow", prepare: { context in log.withLock { $0.append("prepare \(context.new.kind)") } },
            animate: { _, progress in TransitionFrame(old: .hidden, new: .init(scale: progress)) },
            complete: { _, isFinished in log.withLock { $0.append("complete \(isFinished)") } })
        let transition = ImageTransition(.custom(custom), duration: .seconds(1), easing: .linear)
        let running = try running(transition)
        #expect(log.now == [])
        _ = running.frame(at: .zero)
        #expect(running.frame(at: .milliseconds(500)).new.scale == 0.5)
        _ = running.frame(at: .seconds(1))
        #expect(log.now == ["prepare image", "complete true"])
        let interrupted = try self.running(transition)
        _ = interrupted.frame(at: .zero)
        interrupted.interrupt()
        #expect(log.now.suffix(2) == ["prepare image", "complete false"])
        // Never drawn, never prepared.
        try self.running(transition).finish()
        #expect(log.now.count == 4)
    }

    @Test func aReleasedCustomTransitionIsCompletedAsUnfinished() throws {
        let finished = Shared<[Bool]>([])
        let custom = CustomTransition(
            name: "a", animate: { _, _ in .end },
            complete: { _, isFinished in finished.withLock { $0.append(isFinished) } })
        var running: RunningTransition? = try running(ImageTransition(.custom(custom)))
        _ = running?.frame(at: .zero)
        running = nil
        #expect(finished.now == [false])
    }

    @Test func customTransitionsAreEqualIfTheirNamesAre() {
        let (a, b) = (CustomTransition(name: "a") { _, _ in .end }, CustomTransition(name: "b") { _, _ in .end })
        #expect(ImageTransition(.custom(a)) == ImageTransition(.custom(CustomTransition(name: "a") { _, _ in .end })))
        #expect(Set([a, b, a]).count == 2)
    }

    @Test func aDisplayWithoutTransitionsShowsTheImageAtOnce() throws {
        let plain = PlainDisplay()
        let context = TransitionContext(.fade, from: .nothing, to: .image(try .pixel()), on: plain)
        let running = RunningTransition(context)
        plain.show(with: running)
        #expect(plain.kinds == [.image] && running.isOver)
    }
}

/// A display that implements only what it must.
private final class PlainDisplay: ImageDisplay {
    private(set) var kinds: [ImageContent.Kind] = []
    func show(_ content: ImageContent) { kinds.append(content.kind) }
}

extension TransitionFrame.Layer {
    fileprivate var isInPlace: Bool {
        opacity == 1 && x == 0 && y == 0 && scale == 1 && (turn?.degrees ?? 0) == 0
    }
}

extension Image {
    static func white(_ size: PixelSize, hasAlpha: Bool = false) throws -> Image {
        Image(
            pixels: try .filled(Pixel(red: 255, green: 255, blue: 255), size: size),
            info: ImageInfo(format: .png, size: size, hasAlpha: hasAlpha))
    }
}
