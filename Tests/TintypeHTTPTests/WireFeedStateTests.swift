import NIOCore
import NIOEmbedded
import NIOHTTP1
import Testing
import TintypeCore

@testable import TintypeHTTP

/// What the reader of a response gets, and when the origin has to wait for it.
@Suite struct WireFeedStateTests {
    private static let head = WireFeedState.Head(
        head: HTTPResponseHead(version: .http1_1, status: .ok), time: .seconds(1))

    private struct Broken: Error {}

    private let loop = EmbeddedEventLoop()

    /// One state, which expectations may change.
    private final class Feed {
        var state = WireFeedState()

        func readHead() throws -> WireFeedState.Head? { try state.readHead() }

        func read() throws -> [String]? { try state.readPieces()?.pieces.map { String(buffer: $0) } }

        func hold(_ drained: EventLoopPromise<Void>) -> Bool { state.hold(drained) }
    }

    /// One whose head was read.
    private func fed(_ pieces: [String] = []) throws -> Feed {
        let feed = Feed()
        _ = feed.state.take(Self.head)
        _ = try feed.readHead()
        for piece in pieces { _ = feed.state.take(ByteBuffer(string: piece)) }
        return feed
    }

    @Test func theHeadIsReadWhenItIsThere() throws {
        let feed = Feed()
        #expect(try feed.readHead() == nil)
        _ = feed.state.take(Self.head)
        #expect(try feed.readHead()?.time == .seconds(1))
    }

    @Test func allThatHasComeOfABodyIsReadAtOnceAndTheEndIsNothing() throws {
        let feed = try fed(["a", "b"])
        #expect(try feed.read() == ["a", "b"])
        #expect(try feed.read() == nil)
        _ = feed.state.finish(.success(()))
        #expect(try feed.read() == [])
        #expect(try feed.read() == [])
    }

    @Test func whatCameBeforeAnErrorIsReadBeforeIt() throws {
        let feed = try fed(["a"])
        _ = feed.state.finish(.failure(Broken()))
        #expect(try feed.read() == ["a"])
        #expect(throws: Broken.self) { try feed.read() }
    }

    @Test func anErrorWithoutAHeadIsReadInItsPlace() {
        let feed = Feed()
        _ = feed.state.finish(.failure(Broken()))
        #expect(throws: Broken.self) { try feed.readHead() }
    }

    @Test func anErrorBehindTheHeadIsOneOfTheBody() throws {
        let feed = Feed()
        _ = feed.state.take(Self.head)
        _ = feed.state.finish(.failure(Broken()))
        #expect(try feed.readHead() != nil)
        #expect(throws: Broken.self) { try feed.read() }
    }

    @Test func onlyTheFirstEndCounts() throws {
        let feed = try fed()
        _ = feed.state.finish(.success(()))
        _ = feed.state.finish(.failure(Broken()))
        _ = feed.state.giveUp(Broken())
        #expect(try feed.read() == [])
    }

    @Test func whatIsGivenUpIsNotRead() throws {
        let feed = try fed(["a"])
        _ = feed.state.giveUp(TintypeError.cancelled)
        _ = feed.state.take(ByteBuffer(string: "b"))
        #expect(throws: TintypeError.self) { try feed.read() }
    }

    @Test func aHeadThatComesTooLateIsNotRead() {
        let feed = Feed()
        _ = feed.state.giveUp(TintypeError.cancelled)
        _ = feed.state.take(Self.head)
        #expect(throws: TintypeError.self) { try feed.readHead() }
    }

    // MARK: Too much

    /// A slice keeps all of the memory that it was read into.
    @Test func aLittleOfLargeBuffersIsTooMuch() throws {
        let feed = try fed()
        for _ in 0..<512 {
            let buffer = ByteBuffer(repeating: 0, count: 64 << 10)
            _ = feed.state.take(try #require(buffer.getSlice(at: 0, length: 1)))
        }
        #expect(feed.state.isFull)
    }

    /// As many pieces of a size that the feed is full with them.
    private func full(_ count: Int, of size: Int) throws -> Feed {
        let feed = try fed()
        for _ in 1..<count { _ = feed.state.take(ByteBuffer(repeating: 0, count: size)) }
        #expect(!feed.state.isFull)
        _ = feed.state.take(ByteBuffer(repeating: 0, count: size))
        #expect(feed.state.isFull)
        return feed
    }

    @Test(arguments: [(64, 64 << 10), (4096, 1)])
    func theOriginWaitsUntilTooMuchIsRead(_ count: Int, _ size: Int) throws {
        let feed = try full(count, of: size)
        let drained = loop.makePromise(of: Void.self)
        #expect(feed.hold(drained))
        let found = try #require(try feed.state.readPieces())
        #expect(found.pieces.count == count && found.drained != nil && !feed.state.isFull)
        found.drained?.succeed()
        #expect(try feed.read() == nil)
    }

    @Test func aReaderWhoWasQuickerHoldsNothing() throws {
        let feed = try full(64, of: 64 << 10)
        _ = try feed.read()
        let drained = loop.makePromise(of: Void.self)
        #expect(!feed.hold(drained))
        drained.succeed()
    }

    /// A promise that is never kept would stop a debug build.
    @Test(arguments: [false, true])
    func whatIsHeldIsLetGoAtTheEnd(_ isGivenUp: Bool) throws {
        let feed = try full(64, of: 64 << 10)
        #expect(feed.hold(loop.makePromise(of: Void.self)))
        let end = isGivenUp ? feed.state.giveUp(Broken()) : feed.state.finish(.failure(Broken()))
        let drained = try #require(end.drained)
        drained.succeed()
        #expect(!feed.state.isFull)
    }

    // MARK: Waiting

    /// Has a reader wait, and resumes it if `change` does not.
    private func wait(_ state: borrowing Locked<WireFeedState>, _ change: (inout WireFeedState) -> Reader?) async {
        await withUnsafeContinuation { (reader: Reader) in
            let waits = state.withLock { $0.wait(reader) }
            let resumed = state.withLock { change(&$0) }
            #expect(waits && resumed != nil)
            reader.resume()
        }
    }

    private typealias Reader = UnsafeContinuation<Void, Never>

    @Test func whateverThereIsToReadResumesWhoWaitsForIt() async throws {
        let state = Locked(WireFeedState())
        await wait(state) { $0.take(Self.head) }
        _ = try state.withLock { try $0.readHead() }
        await wait(state) { $0.take(ByteBuffer(string: "a")) }
        _ = try state.withLock { try $0.readPieces() }
        await wait(state) { $0.finish(.success(())).reader }
    }

    @Test func givingUpResumesWhoWaits() async throws {
        await wait(Locked(try fed().state)) { $0.giveUp(TintypeError.cancelled).reader }
    }

    @Test func noOneWaitsForWhatIsThere() async throws {
        let state = Locked(try fed(["a"]).state)
        await withUnsafeContinuation { (reader: Reader) in
            let waits = state.withLock { $0.wait(reader) }
            #expect(!waits)
            reader.resume()
        }
    }
}
