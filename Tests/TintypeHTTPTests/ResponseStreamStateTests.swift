import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// The parts that the reader of a response gets, and when the origin waits for it.
@Suite struct ResponseStreamStateTests {
    private static let head = ResponseHead(
        head: HTTPResponseHead(version: .http1_1, status: .ok), time: .seconds(1))

    private struct Broken: Error {}

    private let loop = EmbeddedEventLoop()

    /// A reference to a state, which expectations may change.
    private final class Stream {
        var state = ResponseStreamState()

        func readHead() throws -> ResponseHead? { try state.readHead() }

        func read() throws -> [String]? { try state.readParts()?.parts.map { String(buffer: $0) } }

        func pause(until drained: EventLoopPromise<Void>) -> Bool { state.pause(until: drained) }
    }

    /// A stream whose head was read.
    private func started(_ parts: [String] = []) throws -> Stream {
        let stream = Stream()
        _ = stream.state.receive(Self.head)
        _ = try stream.readHead()
        for part in parts { _ = stream.state.receive(ByteBuffer(string: part)) }
        // Small parts wait for others.
        _ = stream.state.timerFired()
        return stream
    }

    @Test func theHeadIsReadWhenItHasArrived() throws {
        let stream = Stream()
        #expect(try stream.readHead() == nil)
        _ = stream.state.receive(Self.head)
        #expect(try stream.readHead()?.time == .seconds(1))
    }

    @Test func allStoredPartsAreReadAtOnceAndTheEndIsEmpty() throws {
        let stream = try started(["a", "b"])
        #expect(try stream.read() == ["ab"])
        #expect(try stream.read() == nil)
        _ = stream.state.finish(.success(()))
        #expect(try stream.read() == [])
        #expect(try stream.read() == [])
    }

    @Test func partsBeforeAnErrorAreReadBeforeIt() throws {
        let stream = try started(["a"])
        _ = stream.state.finish(.failure(Broken()))
        #expect(try stream.read() == ["a"])
        #expect(throws: Broken.self) { try stream.read() }
    }

    @Test func anErrorBeforeTheHeadIsThrownForTheHead() {
        let stream = Stream()
        _ = stream.state.finish(.failure(Broken()))
        #expect(throws: Broken.self) { try stream.readHead() }
    }

    @Test func anErrorAfterTheHeadIsThrownForTheBody() throws {
        let stream = Stream()
        _ = stream.state.receive(Self.head)
        _ = stream.state.finish(.failure(Broken()))
        #expect(try stream.readHead() != nil)
        #expect(throws: Broken.self) { try stream.read() }
    }

    @Test func onlyTheFirstEndCounts() throws {
        let stream = try started()
        _ = stream.state.finish(.success(()))
        _ = stream.state.finish(.failure(Broken()))
        _ = stream.state.cancel(Broken())
        #expect(try stream.read() == [])
    }

    @Test func partsOfACancelledResponseAreNotRead() throws {
        let stream = try started(["a"])
        _ = stream.state.cancel(TintypeError.cancelled)
        _ = stream.state.receive(ByteBuffer(string: "b"))
        #expect(throws: TintypeError.self) { try stream.read() }
    }

    @Test func aHeadAfterCancellationIsNotRead() {
        let stream = Stream()
        _ = stream.state.cancel(TintypeError.cancelled)
        _ = stream.state.receive(Self.head)
        #expect(throws: TintypeError.self) { try stream.readHead() }
    }

    // MARK: Back-pressure

    /// A slice retains the whole buffer that it was read into.
    @Test func smallPartsOfLargeBuffersFillTheStream() throws {
        let stream = try started()
        for _ in 0..<512 {
            let buffer = ByteBuffer(repeating: 0, count: 64 << 10)
            _ = stream.state.receive(try #require(buffer.getSlice(at: 0, length: 1024)))
        }
        #expect(stream.state.isFull)
    }

    // MARK: Small parts

    private static let large = ByteBuffer(repeating: 0x78, count: 1024)

    @Test func smallPartsAreReadTogetherAfterADelay() throws {
        let stream = try started()
        let starts = ["a", "b", "c"].map { stream.state.receive(ByteBuffer(string: $0)).startsTimer }
        #expect(starts == [true, false, false])
        #expect(try stream.read() == nil)
        _ = stream.state.timerFired()
        #expect(try stream.read() == ["abc"])
        let restarts = stream.state.receive(ByteBuffer(string: "d")).startsTimer
        #expect(restarts)
    }

    @Test func aLargePartIsReadAtOnceWithTheSmallOnesBeforeIt() throws {
        let stream = try started()
        _ = stream.state.receive(ByteBuffer(string: "a"))
        let actions = stream.state.receive(Self.large)
        _ = stream.state.receive(ByteBuffer(string: "b"))
        #expect(!actions.startsTimer)
        #expect(try stream.read() == ["a", String(repeating: "x", count: 1024), "b"])
        #expect(try stream.read() == nil)
    }

    @Test func manySmallPartsAreReadWithoutADelay() throws {
        let stream = try started()
        for _ in 0..<(16 << 10) - 1 { _ = stream.state.receive(ByteBuffer(string: "a")) }
        #expect(try stream.read() == nil)
        _ = stream.state.receive(ByteBuffer(string: "a"))
        #expect(try stream.read()?.map(\.count) == [16 << 10])
    }

    @Test func smallPartsAreReadAtTheEnd() throws {
        for end in [Result<Void, any Error>.success(()), .failure(Broken())] {
            let stream = try started()
            _ = stream.state.receive(ByteBuffer(string: "a"))
            _ = stream.state.finish(end)
            #expect(try stream.read() == ["a"])
        }
    }

    @Test func emptyPartsAreIgnored() throws {
        let stream = try started()
        let actions = stream.state.receive(ByteBuffer())
        _ = stream.state.timerFired()
        #expect(!actions.startsTimer)
        #expect(try stream.read() == nil)
    }

    @Test func aTimerWithoutPartsChangesNothing() throws {
        let stream = try started(["a"])
        #expect(try stream.read() == ["a"])
        _ = stream.state.timerFired()
        #expect(try stream.read() == nil)
    }

    @Test func progressCountsAllBytesAndPauses() throws {
        let stream = try started(["a", ""])
        _ = stream.state.receive(Self.large)
        var progress = stream.state.takeProgress()
        #expect(progress == TransferPace.Progress(headTime: .seconds(1), byteCount: 1025))
        for _ in 0..<4096 { _ = stream.state.receive(Self.large) }
        let drained = loop.makePromise(of: Void.self)
        #expect(stream.pause(until: drained))
        _ = stream.state.takeProgress()
        progress = stream.state.takeProgress()
        #expect(progress.wasPaused)
        try stream.state.readParts()?.drained?.succeed()
        let (last, next) = (stream.state.takeProgress(), stream.state.takeProgress())
        #expect(last.wasPaused && !next.wasPaused)
    }

    @Test func aBodyThatTheRateLimitHoldsBackIsPaused() throws {
        let stream = try started()
        stream.state.isHeldBack = true
        let during = (0..<2).map { _ in stream.state.takeProgress().wasPaused }
        stream.state.isHeldBack = false
        let (last, next) = (stream.state.takeProgress().wasPaused, stream.state.takeProgress().wasPaused)
        #expect(during == [true, true] && last && !next)
    }

    @Test func aResponseThatFailsKeepsItsParts() throws {
        let stream = try started()
        _ = stream.state.receive(ByteBuffer(string: "a"))
        _ = stream.state.fail(Broken())
        #expect(try stream.read() == ["a"])
        #expect(throws: Broken.self) { try stream.read() }
    }

    // MARK: Pauses

    /// As many parts of a size that the stream is full with them.
    private func full(_ count: Int, of size: Int) throws -> Stream {
        let stream = try started()
        for _ in 1..<count { _ = stream.state.receive(ByteBuffer(repeating: 0, count: size)) }
        #expect(!stream.state.isFull)
        _ = stream.state.receive(ByteBuffer(repeating: 0, count: size))
        #expect(stream.state.isFull)
        return stream
    }

    @Test(arguments: [(64, 64 << 10), (4096, 1024)])
    func theOriginWaitsWhileTheStreamIsFull(_ count: Int, _ size: Int) throws {
        let stream = try full(count, of: size)
        let drained = loop.makePromise(of: Void.self)
        #expect(stream.pause(until: drained))
        let read = try #require(try stream.state.readParts())
        #expect(read.parts.count == count && read.drained != nil && !stream.state.isFull)
        read.drained?.succeed()
        #expect(try stream.read() == nil)
    }

    @Test func aReaderThatWasFasterPausesNothing() throws {
        let stream = try full(64, of: 64 << 10)
        _ = try stream.read()
        let drained = loop.makePromise(of: Void.self)
        #expect(!stream.pause(until: drained))
        drained.succeed()
    }

    /// A promise that is never succeeded would trap in a debug build.
    @Test(arguments: [false, true])
    func thePausedOriginIsReleasedAtTheEnd(_ isGivenUp: Bool) throws {
        let stream = try full(64, of: 64 << 10)
        #expect(stream.pause(until: loop.makePromise(of: Void.self)))
        let end = isGivenUp ? stream.state.cancel(Broken()) : stream.state.finish(.failure(Broken()))
        let drained = try #require(end.drained)
        drained.succeed()
        #expect(!stream.state.isFull)
    }

    // MARK: The client's task

    /// A task of the client. Its connection is refused.
    private func clientTask() throws -> HTTPClient.Task<Void> {
        let delegate = ResponseDelegate(ConnectionLog(uptime: TransferClock.system.uptime))
        let request = try HTTPClient.Request(url: try ClosedPort().url)
        return HTTPClient.shared.execute(request: request, delegate: delegate)
    }

    @Test func cancellationCancelsTheClientsTaskOnce() throws {
        let (stream, task) = (try started(), try clientTask())
        let early = stream.state.attach(task)
        let (first, second) = (stream.state.cancel(Broken()).task, stream.state.cancel(Broken()).task)
        #expect(early == nil && first === task && second == nil)
    }

    @Test func aResponseThatEndsDoesNotCancelTheClientsTask() throws {
        let (stream, task) = (try started(), try clientTask())
        _ = stream.state.attach(task)
        let (end, late) = (stream.state.finish(.success(())).task, stream.state.cancel(Broken()).task)
        #expect(end == nil && late == nil)
    }

    /// The response may be cancelled before the client returns its task.
    @Test func aTaskThatIsAttachedAfterTheEndIsCancelled() throws {
        let (stream, task) = (try started(), try clientTask())
        _ = stream.state.cancel(Broken())
        let late = stream.state.attach(task)
        #expect(late === task)
    }

    // MARK: Waiting

    /// Lets a reader wait, and expects that `change` resumes it.
    private func wait(_ state: borrowing Locked<ResponseStreamState>, _ change: (inout ResponseStreamState) -> Reader?)
    {
        let reader = Reader()
        let waits = state.withLock { $0.wait(reader) }
        let resumed = state.withLock { change(&$0) }
        #expect(waits && resumed === reader)
    }

    private typealias Reader = ResponseStreamState.Reader

    @Test func everyEventThatCanBeReadResumesTheReader() throws {
        let state = Locked(ResponseStreamState())
        wait(state) { $0.receive(Self.head) }
        _ = try state.withLock { try $0.readHead() }
        wait(state) { $0.receive(Self.large).reader }
        _ = try state.withLock { try $0.readParts() }
        wait(state) { state in
            _ = state.receive(ByteBuffer(string: "a"))
            return state.timerFired()
        }
        _ = try state.withLock { try $0.readParts() }
        wait(state) { $0.finish(.success(())).reader }
    }

    @Test func cancellationResumesTheReader() throws {
        wait(Locked(try started().state)) { $0.cancel(TintypeError.cancelled).reader }
    }

    @Test func aReaderDoesNotWaitForStoredParts() throws {
        let state = Locked(try started(["a"]).state)
        let waits = state.withLock { $0.wait(Reader()) }
        #expect(!waits)
    }
}
