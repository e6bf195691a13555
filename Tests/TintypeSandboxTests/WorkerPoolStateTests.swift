import Testing

@testable import TintypeSandbox

/// Which worker serves which request.
@Suite struct WorkerPoolStateTests {
    private typealias State = WorkerPoolState<String>
    private static let avif = WorkerKind(decoder: "AVIF", readsFonts: false)
    private static let jxl = WorkerKind(decoder: "JXL", readsFonts: false)
    private static let svg = WorkerKind(decoder: "SVG", readsFonts: true)

    private static func state(
        _ sharing: SandboxConfiguration.Sharing = .all, maximumRequests: Int = 100, width: Int = 2
    ) -> State {
        State(width: width, maximumRequests: maximumRequests, sharing: sharing)
    }

    private static func describe(_ turn: State.Turn?) -> String {
        switch turn {
        case .use(_, let worker): "use \(worker)"
        case .start(_, let decoders, let retired):
            "start \(decoders.joined(separator: "+"))" + (retired.map { " retire \($0)" } ?? "")
        case .wait: "wait"
        case nil: "gone"
        }
    }

    /// Acquires a worker and, if one is started, records that it has started under a name.
    private static func acquire(
        _ state: inout State, _ kind: WorkerKind, _ name: String = "", origin: String? = nil, isNew: Bool = false,
        at now: Int = 0
    ) -> (turn: String, number: Int) {
        let turn = state.acquire(kind, origin: origin, isNew: isNew, now: .milliseconds(now))
        var number = 0
        if case .start(let started, _, _) = turn {
            state.started(started, name)
            number = started
        }
        if case .use(let used, _) = turn { number = used }
        return (describe(turn), number)
    }

    @Test func anIdleWorkerIsUsedAgain() {
        var state = Self.state()
        let (first, number) = Self.acquire(&state, Self.avif, "a")
        #expect(first == "start AVIF")
        let ended = state.release(number, isUsable: true, now: .zero)
        #expect(ended == nil)
        #expect(Self.acquire(&state, Self.avif).turn == "use a")
    }

    @Test func aWorkerInUseServesNobodyElse() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        let turns = (0..<3).map { _ in Self.acquire(&state, Self.avif, "b").turn }
        #expect(turns == ["use a", "start AVIF", "wait"])
    }

    @Test func aWorkerWithAnOpenDecoderIsUsedByOneThreadAtATime() {
        var state = Self.state(maximumRequests: 2)
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        let (first, second) = (state.acquire(a), state.acquire(a))
        #expect(Self.describe(first) == "use a" && Self.describe(second) == "wait")
        #expect(Self.acquire(&state, Self.avif, "b").turn == "start AVIF")
        // It has served two requests.
        let ended = state.release(a, isUsable: true, now: .zero)
        #expect(ended == "a")
    }

    @Test func theWorkerThatWasUsedLastIsUsedAgain() {
        var state = Self.state()
        let numbers = ["a", "b"].map { Self.acquire(&state, Self.avif, $0).number }
        _ = state.release(numbers[1], isUsable: true, now: .milliseconds(20))
        _ = state.release(numbers[0], isUsable: true, now: .milliseconds(10))
        // Neither decodes JPEG XL, so the one that was not used for longer makes room.
        var other = state
        #expect(Self.acquire(&other, Self.jxl, "c", at: 1000).turn == "start AVIF+JXL retire a")
        #expect(Self.acquire(&state, Self.avif).turn == "use b")
    }

    @Test func aDecoderWithFontsNeedsAWorkerWithFonts() {
        var state = Self.state()
        let plain = WorkerKind(decoder: "SVG", readsFonts: false)
        let a = Self.acquire(&state, plain, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.svg, "s").turn == "start SVG")
    }

    @Test func imagesWithoutAnOriginShareNoWorker() {
        var state = Self.state(.sameOrigin)
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.avif, "b").turn == "start AVIF")
    }

    @Test func asManyWorkersAsTheWidthExist() {
        var state = Self.state(width: 3)
        let turns = (0..<4).map { _ in Self.acquire(&state, Self.avif, "a").turn }
        #expect(turns == ["start AVIF", "start AVIF", "start AVIF", "wait"] && state.count == 3)
    }

    /// A worker of the same kind in use may soon be free. Otherwise waiting is useless.
    @Test(arguments: [(true, 249, "wait"), (true, 250, "start AVIF+JXL retire a"), (false, 0, "start JXL retire a")])
    func anUnfitWorkerStaysForAMomentIfAFittingOneIsBusy(_ isFittingBusy: Bool, _ now: Int, _ turn: String) {
        var state = Self.state()
        let first = WorkerKind(decoder: isFittingBusy ? "AVIF" : "SVG", readsFonts: !isFittingBusy)
        let a = Self.acquire(&state, first, "a").number
        let busy = isFittingBusy ? Self.jxl : Self.svg
        _ = Self.acquire(&state, busy, "b")
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.jxl, "c", at: now).turn == turn)
    }

    /// A worker that starts later serves all formats so far.
    @Test func workersPrepareAllDecodersThatWereUsed() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        #expect(Self.acquire(&state, Self.jxl, "b").turn == "start AVIF+JXL")
        _ = state.release(a, isUsable: true, now: .zero)
        // The idle worker cannot decode JPEG XL, so it makes room for one that can.
        #expect(Self.acquire(&state, Self.jxl, "c", at: 1000).turn == "start AVIF+JXL retire a")
    }

    @Test func fontsHaveWorkersOfTheirOwn() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.svg, "s").turn == "start SVG")
        #expect(Self.acquire(&state, Self.avif).turn == "use a")
    }

    /// Two formats in turn do not end each other's workers.
    @Test func aWorkerThatWasJustUsedIsNotEndedForAnotherFormat() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = Self.acquire(&state, Self.svg, "s")
        _ = state.release(a, isUsable: true, now: .milliseconds(100))
        #expect(Self.acquire(&state, Self.svg, at: 200).turn == "wait")
        #expect(Self.acquire(&state, Self.svg, "t", at: 400).turn == "start SVG retire a")
    }

    @Test func aWorkerIsEndedAfterAFailureOrManyRequests() {
        var state = Self.state(maximumRequests: 2)
        let a = Self.acquire(&state, Self.avif, "a").number
        let afterFailure = state.release(a, isUsable: false, now: .zero)
        #expect(afterFailure == "a")
        let b = Self.acquire(&state, Self.avif, "b").number
        let afterFirst = state.release(b, isUsable: true, now: .zero)
        #expect(afterFirst == nil)
        _ = Self.acquire(&state, Self.avif)
        let afterSecond = state.release(b, isUsable: true, now: .zero)
        #expect(afterSecond == "b")
        #expect(state.count == 0)
    }

    @Test func imagesOfOtherOriginsHaveOtherWorkers() {
        var state = Self.state(.sameOrigin)
        let a = Self.acquire(&state, Self.avif, "a", origin: "https://a").number
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.avif, "b", origin: "https://b").turn == "start AVIF")
        #expect(Self.acquire(&state, Self.avif, origin: "https://a").turn == "use a")
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.avif, "c", origin: "https://c").turn == "start AVIF retire a")
    }

    @Test func withoutSharingEachImageHasItsOwnWorker() {
        var state = Self.state(.none)
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.avif, "b").turn == "start AVIF")
        #expect(Self.acquire(&state, Self.avif, "c").turn == "start AVIF retire a")
    }

    @Test func anImageThatNeedsANewWorkerIsDecodedByNoOther() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        _ = state.release(a, isUsable: true, now: .zero)
        #expect(Self.acquire(&state, Self.avif, "b", isNew: true).turn == "start AVIF")
        #expect(Self.acquire(&state, Self.avif, "c", isNew: true).turn == "start AVIF retire a")
        #expect(Self.acquire(&state, Self.avif, "d", isNew: true).turn == "wait")
    }

    @Test func theWorkerOfAnOpenDecoderIsFoundUntilItEnds() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        let whileBusy = state.acquire(a)
        #expect(Self.describe(whileBusy) == "wait")
        _ = state.release(a, isUsable: true, now: .zero)
        let whileIdle = state.acquire(a)
        #expect(Self.describe(whileIdle) == "use a")
        _ = state.release(a, isUsable: false, now: .zero)
        let afterEnd = state.acquire(a)
        #expect(Self.describe(afterEnd) == "gone")
    }

    @Test func idleWorkersExpire() {
        var state = Self.state()
        let a = Self.acquire(&state, Self.avif, "a").number
        let b = Self.acquire(&state, Self.avif, "b").number
        _ = state.release(a, isUsable: true, now: .seconds(1))
        let early = state.expire(after: .seconds(30), now: .seconds(30))
        #expect(early.isEmpty)
        // A worker in use does not.
        let expired = state.expire(after: .seconds(30), now: .seconds(40))
        #expect(expired == ["a"])
        _ = state.release(b, isUsable: true, now: .seconds(41))
        let idle = state.removeIdle()
        #expect(idle == ["b"])
    }
}
