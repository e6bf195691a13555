import AsyncHTTPClient
import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// What the reader of a response gets, and when the origin waits for it.
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
        #expect(try stream.read() == ["a", "b"])
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
            _ = stream.state.receive(try #require(buffer.getSlice(at: 0, length: 1)))
        }
        #expect(stream.state.isFull)
    }

    /// As many parts of a size that the stream is full with them.
    private func full(_ count: Int, of size: Int) throws -> Stream {
        let stream = try started()
        for _ in 1..<count { _ = stream.state.receive(ByteBuffer(repeating: 0, count: size)) }
        #expect(!stream.state.isFull)
        _ = stream.state.receive(ByteBuffer(repeating: 0, count: size))
        #expect(stream.state.isFull)
        return stream
    }

    @Test(arguments: [(64, 64 << 10), (4096, 1)])
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
        wait(state) { $0.receive(ByteBuffer(string: "a")) }
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
