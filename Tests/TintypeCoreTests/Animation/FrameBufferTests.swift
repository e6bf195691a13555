import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct FrameBufferTests {
    private static let pixel = try? PixelBuffer.filled(
        Pixel(red: 1, green: 2, blue: 3), size: PixelSize(width: 1, height: 1))

    private func cursor(
        _ frame: Int, of count: Int = 10, _ mode: PlaybackMode = .normal, left: Int = .max
    ) -> PlaybackCursor {
        let order = FrameOrder(frameCount: count, mode: mode)
        return PlaybackCursor(order: order, step: order.step(of: frame), stepsLeft: left)
    }

    private func buffer(_ capacity: Int, of count: Int = 10, _ cursors: PlaybackCursor...) -> FrameBuffer {
        var buffer = FrameBuffer(frameCount: count)
        _ = buffer.setCapacity(capacity)
        for (id, cursor) in cursors.enumerated() {
            buffer.addSubscriber(id)
            _ = buffer.move(id, to: cursor)
        }
        return buffer
    }

    /// Performs all runs like a decoder of full frames, and returns the frames made, in order.
    private func fill(_ buffer: inout FrameBuffer) throws -> [Int] {
        var made: [Int] = []
        while let run = buffer.startNextRun() {
            _ = buffer.insert(try #require(Self.pixel), at: run.target)
            buffer.finish(run, error: nil)
            made.append(run.target)
            try #require(made.count < 100)
        }
        return made
    }

    // MARK: Wanted frames

    @Test func theNextFramesAreWorthHolding() {
        #expect(buffer(4, cursor(2)).wantedFrames() == [2, 3, 4, 5])
        #expect(buffer(4, cursor(8)).wantedFrames() == [8, 9, 1, 2])
        #expect(buffer(4, cursor(2, of: 10, .reverse)).wantedFrames() == [2, 1, 9, 8])
        #expect(buffer(4, cursor(8, of: 10, .bounce)).wantedFrames() == [8, 9, 7, 6])
        #expect(buffer(100, cursor(2)).wantedFrames() == [2, 3, 4, 5, 6, 7, 8, 9, 1])
    }

    @Test func nothingIsHeldBeyondTheEnd() {
        #expect(buffer(9, cursor(8, left: 2)).wantedFrames() == [8, 9])
    }

    @Test func twoPlayersShareTheCapacity() {
        #expect(Set(buffer(4, cursor(2), cursor(6)).wantedFrames()) == [2, 6, 3, 7])
        #expect(Set(buffer(4, cursor(2), cursor(2)).wantedFrames()) == [2, 3, 4, 5])
    }

    @Test func currentFramesAreHeldRegardlessOfCapacity() {
        #expect(Set(buffer(1, cursor(2), cursor(4), cursor(6)).wantedFrames()) == [2, 4, 6])
    }

    // MARK: Runs

    @Test func awaitedFramesAreMadeFirst() throws {
        var buffer = buffer(4, cursor(5))
        let next = buffer.startNextRun()
        let run = try #require(next)
        let second = buffer.startNextRun()
        #expect(run.target == 5 && run.isAwaited && second == nil)
    }

    @Test func aLateSubscriberIsNotifiedOfOneIntermediateFrameAtATime() throws {
        var buffer = buffer(1, cursor(5), cursor(5))
        _ = buffer.move(0, to: cursor(5), isLate: true)
        let next = buffer.startNextRun()
        let run = try #require(next)
        #expect(buffer.isWorthMaking(3, for: run))
        var notified = buffer.takeSubscribersToNotify(of: 3)
        #expect(notified == [0] && !buffer.isWorthMaking(4, for: run))
        notified = buffer.takeSubscribersToNotify(of: 4)
        #expect(notified.isEmpty)
        _ = buffer.move(0, to: cursor(5), isLate: true)
        #expect(buffer.isWorthMaking(4, for: run))
        notified = buffer.takeSubscribersToNotify(of: 5)
        #expect(notified.sorted() == [0, 1])
    }

    @Test func everythingThatFitsIsMadeOnce() throws {
        var buffer = buffer(20, cursor(0))
        var made = try fill(&buffer)
        #expect(made == Array(1...9))
        for frame in 0..<10 { _ = buffer.move(0, to: cursor(frame)) }
        made = try fill(&buffer)
        #expect(made.isEmpty && buffer.frames.count == 9)
    }

    @Test func nothingIsMadeWhileHalfOfTheFramesAreAvailable() throws {
        var buffer = buffer(4, cursor(0))
        var made = try fill(&buffer)
        #expect(made == [1, 2, 3, 4])
        _ = buffer.move(0, to: cursor(1))
        made = try fill(&buffer)
        #expect(made.isEmpty)
        _ = buffer.move(0, to: cursor(2))
        made = try fill(&buffer)
        #expect(made.isEmpty)
        _ = buffer.move(0, to: cursor(3))
        made = try fill(&buffer)
        #expect(made == [5, 6])
        #expect(buffer.frames.keys.sorted() == [3, 4, 5, 6])
    }

    @Test func fillingEndsWhenAllFramesAreHeld() throws {
        var buffer = buffer(20, cursor(0))
        _ = try fill(&buffer)
        _ = buffer.setCapacity(4)
        _ = buffer.move(0, to: cursor(2))
        // Three of the four wanted frames are held.
        let made = try fill(&buffer)
        #expect(made.isEmpty && buffer.frames.keys.sorted() == [1, 2, 3, 4])
    }

    @Test func framesAreMadeInRunsForOneSubscriberAfterAnother() throws {
        var buffer = buffer(8, of: 40, cursor(0, of: 40), cursor(20, of: 40))
        _ = try fill(&buffer)
        for frame in 1...3 {
            _ = buffer.move(0, to: cursor(frame, of: 40))
            _ = buffer.move(1, to: cursor(frame + 20, of: 40))
        }
        let made = try fill(&buffer)
        let jumps = zip(made, made.dropFirst()).count { $1 != $0 + 1 }
        #expect(made.count > 2 && jumps <= 2, "\(made)")
    }

    @Test func theCapacityIsNeverExceeded() throws {
        var random = SeededRandom.printed("atMostTheRoom")
        for _ in 0..<100 {
            let (capacity, subscribers) = (Int.random(in: 1...8, using: &random), Int.random(in: 1...3, using: &random))
            var buffer = FrameBuffer(frameCount: 10)
            _ = buffer.setCapacity(capacity)
            for id in 0..<subscribers { buffer.addSubscriber(id) }
            for _ in 0..<40 {
                let mode = try #require(PlaybackMode.allCases.randomElement(using: &random))
                let frame = Int.random(in: 0..<10, using: &random)
                _ = buffer.move(Int.random(in: 0..<subscribers, using: &random), to: cursor(frame, of: 10, mode))
                _ = try fill(&buffer)
                #expect(buffer.frames.count <= max(capacity, subscribers))
            }
        }
    }

    @Test func theLastSubscriberReleasesAllFrames() throws {
        var buffer = buffer(4, cursor(0), cursor(1))
        _ = try fill(&buffer)
        var left = buffer.removeSubscriber(0)
        #expect(left.isEmpty && !buffer.isIdle)
        left = buffer.removeSubscriber(1)
        #expect(left.count == 4 && buffer.isIdle && buffer.frames.isEmpty)
        left = buffer.insert(try #require(Self.pixel), at: 3)
        #expect(left.isEmpty && buffer.frames.isEmpty)
    }

    @Test func aSmallerCapacityEvictsTheFarthestFrames() throws {
        var buffer = buffer(8, cursor(0))
        _ = try fill(&buffer)
        let evicted = buffer.setCapacity(3)
        #expect(evicted.count == 5 && buffer.frames.keys.sorted() == [1, 2, 3])
    }

    @Test func nothingIsEvictedWhileTheCapacityIsNotExceeded() throws {
        var buffer = buffer(4, cursor(0, left: 4))
        var made = try fill(&buffer)
        #expect(made == [1, 2, 3])
        _ = buffer.move(0, to: cursor(5, left: 1))
        made = try fill(&buffer)
        #expect(made == [5] && buffer.frames.keys.sorted() == [1, 2, 3, 5])
    }

    @Test func onlyWantedFramesAreHeld() throws {
        let pixel = try #require(Self.pixel)
        var buffer = buffer(3, cursor(2))
        for frame in [0, 2, 7] { _ = buffer.insert(pixel, at: frame) }
        #expect(buffer.frames.keys.sorted() == [2])
        var idle = FrameBuffer(frameCount: 10)
        _ = idle.insert(pixel, at: 2)
        #expect(idle.frames.isEmpty)
        idle.adopt([1: pixel, 9: pixel, 10: pixel])
        #expect(idle.frames.keys.sorted() == [1, 9])
    }

    @Test func theCapacityIsAtLeastOneAndTheFrameCountOnlyGrows() {
        var buffer = buffer(0, cursor(2))
        #expect(buffer.capacity == 1)
        for count in [12, 11] { buffer.grow(to: count) }
        #expect(buffer.frameCount == 12)
    }

    @Test func noSubscriberWaitsForTheFirstFrame() {
        let buffer = buffer(3, cursor(0), cursor(2))
        #expect(buffer.waitingSubscribers == [1])
    }

    // MARK: Failures

    @Test func aFailedFrameIsNotTriedAgainWhilePlaying() throws {
        var buffer = buffer(20, of: 3, cursor(1, of: 3))
        let next = buffer.startNextRun()
        let run = try #require(next)
        buffer.finish(run, error: TintypeError(.undecodable, stage: .decode, "damaged"))
        let made = try fill(&buffer)
        #expect(made == [2])
        guard case .failure(let error) = buffer.move(0, to: cursor(1, of: 3)) else {
            return _ = Issue.record("no failure")
        }
        let other = buffer.startNextRun()
        #expect(error.code == .undecodable && other == nil)
        _ = buffer.removeSubscriber(0)
        buffer.addSubscriber(1)
        let (answer, again) = (buffer.move(1, to: cursor(1, of: 3)), buffer.startNextRun())
        #expect(answer == nil && again?.target == 1)
    }

    /// While a run makes a frame, preloading or another pool may have provided it. A frame that counted as held and as
    /// failed would hide that another one is missing, and its players would wait for ever.
    @Test(arguments: [false, true]) func aFrameThatIsHeldHasNotFailed(_ isAdoptedLater: Bool) throws {
        let pixel = try #require(Self.pixel)
        var buffer = buffer(20, of: 4, cursor(1, of: 4))
        let next = buffer.startNextRun()
        let run = try #require(next)
        if !isAdoptedLater { _ = buffer.insert(pixel, at: 1) }
        buffer.finish(run, error: TintypeError(.undecodable, stage: .decode, "damaged"))
        if isAdoptedLater { buffer.adopt([1: pixel]) }
        let made = try fill(&buffer)
        #expect(run.target == 1 && made == [2, 3])
    }

    @Test func aCancelledFrameIsMadeLater() throws {
        var buffer = buffer(20, of: 3, cursor(1, of: 3))
        let next = buffer.startNextRun()
        buffer.finish(try #require(next), error: .cancelled)
        let again = buffer.startNextRun()
        #expect(again?.target == 1)
    }

    // MARK: Growth and preloading

    @Test func newlyArrivedFramesAreMade() throws {
        var buffer = buffer(20, of: 3, cursor(0, of: 3, left: 3))
        var made = try fill(&buffer)
        #expect(made == [1, 2])
        buffer.grow(to: 5)
        _ = buffer.move(0, to: cursor(0, of: 5))
        made = try fill(&buffer)
        #expect(made == [3, 4])
    }

    /// It is the poster. If it counted as held, the last missing frame would not be made.
    @Test func theFirstFrameIsNotHeldEvenIfFramesArePinned() throws {
        var buffer = buffer(20, of: 3, cursor(1, of: 3))
        _ = buffer.setPinned(true)
        for frame in [0, 1] { _ = buffer.insert(try #require(Self.pixel), at: frame) }
        let next = buffer.startNextRun()
        #expect(buffer.frames.keys.sorted() == [1] && next?.target == 2)
    }

    @Test func pinnedFramesStayWithoutSubscribers() throws {
        var buffer = buffer(1, of: 4, cursor(0, of: 4))
        _ = buffer.setPinned(true)
        for frame in 1..<4 { _ = buffer.insert(try #require(Self.pixel), at: frame) }
        var left = buffer.removeSubscriber(0)
        #expect(left.isEmpty && buffer.frames.count == 3)
        left = buffer.setPinned(false)
        #expect(left.count == 3 && buffer.frames.isEmpty)
    }
}
