import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHTTP

/// The parts that the reader of a response gets, and when the origin waits for it.
@Suite struct ResponseStreamStateTests {
    private static let head = ResponseHead(
        head: TransportHead(status: 200, version: "http/1.1", headers: [:]), time: .seconds(1))

    private struct Broken: Error {}

    /// An exchange that records what is done with it.
    private final class Exchange: TransportExchange {
        func cancel() {}
        func resume() {}
    }

    /// A reference to a state, which expectations may change.
    private final class Stream {
        var state = ResponseStreamState()

        func readHead() throws -> ResponseHead? { try state.readHead() }

        func read() throws -> String? {
            try state.readPart { .seconds(9) }.map { String(decoding: $0.part, as: UTF8.self) }
        }

        /// Stores a part. Returns whether to start the timer.
        @discardableResult
        func receive(_ part: String) -> Bool {
            _ = part.utf8.withContiguousStorageIfAvailable {
                state.store(UnsafeRawBufferPointer($0), at: .seconds(2))
            }
            return state.startTimer()
        }
    }

    /// A stream whose head was read.
    private func started(_ parts: [String] = []) throws -> Stream {
        let stream = Stream()
        stream.state.store(Self.head)
        _ = try stream.readHead()
        for part in parts { stream.receive(part) }
        // Small parts wait for others.
        _ = stream.state.timerFired()
        return stream
    }

    @Test func theHeadIsReadWhenItHasArrived() throws {
        let stream = Stream()
        #expect(try stream.readHead() == nil)
        stream.state.store(Self.head)
        #expect(try stream.readHead()?.time == .seconds(1))
    }

    @Test func allStoredPartsAreReadAtOnceAndTheEndIsEmpty() throws {
        let stream = try started(["a", "b"])
        #expect(try stream.read() == "ab")
        #expect(try stream.read() == nil)
        _ = stream.state.finish(.success(()))
        #expect(try stream.read() == "")
        #expect(try stream.read() == "")
    }

    @Test func partsBeforeAnErrorAreReadBeforeIt() throws {
        let stream = try started(["a"])
        _ = stream.state.finish(.failure(Broken()))
        #expect(try stream.read() == "a")
        #expect(throws: Broken.self) { try stream.read() }
    }

    @Test func anErrorBeforeTheHeadIsThrownForTheHead() {
        let stream = Stream()
        _ = stream.state.finish(.failure(Broken()))
        #expect(throws: Broken.self) { try stream.readHead() }
    }

    @Test func anErrorAfterTheHeadIsThrownForTheBody() throws {
        let stream = Stream()
        stream.state.store(Self.head)
        _ = stream.state.finish(.failure(Broken()))
        #expect(try stream.readHead() != nil)
        #expect(throws: Broken.self) { try stream.read() }
    }

    @Test func onlyTheFirstEndCounts() throws {
        let stream = try started()
        _ = stream.state.finish(.success(()))
        _ = stream.state.finish(.failure(Broken()))
        _ = stream.state.cancel(Broken())
        #expect(try stream.read() == "")
    }

    @Test func partsOfACancelledResponseAreNotRead() throws {
        let stream = try started(["a"])
        _ = stream.state.cancel(TintypeError.cancelled)
        stream.receive("b")
        expectError(.cancelled) { try stream.read() }
    }

    @Test func aHeadAfterCancellationIsNotRead() {
        let stream = Stream()
        _ = stream.state.cancel(TintypeError.cancelled)
        stream.state.store(Self.head)
        expectError(.cancelled) { try stream.readHead() }
    }

    // MARK: Small parts

    private static let large = String(repeating: "x", count: 1024)

    @Test func smallPartsAreReadTogetherAfterADelay() throws {
        let stream = try started()
        let starts = ["a", "b", "c"].map { stream.receive($0) }
        #expect(starts == [true, false, false])
        #expect(try stream.read() == nil)
        _ = stream.state.timerFired()
        #expect(try stream.read() == "abc")
        let restarts = stream.receive("d")
        #expect(restarts)
    }

    @Test func aLargePartIsReadAtOnceWithTheSmallOnesBeforeIt() throws {
        let stream = try started()
        stream.receive("a")
        let startsTimer = stream.receive(Self.large)
        stream.receive("b")
        #expect(!startsTimer)
        #expect(try stream.read() == "a\(Self.large)b")
        #expect(try stream.read() == nil)
    }

    @Test func manySmallPartsAreReadWithoutADelay() throws {
        let stream = try started()
        for _ in 0..<(16 << 10) - 1 { stream.receive("a") }
        #expect(try stream.read() == nil)
        stream.receive("a")
        #expect(try stream.read()?.count == 16 << 10)
    }

    @Test func smallPartsAreReadAtTheEnd() throws {
        for end in [Result<Void, any Error>.success(()), .failure(Broken())] {
            let stream = try started()
            stream.receive("a")
            _ = stream.state.finish(end)
            #expect(try stream.read() == "a")
        }
    }

    @Test func emptyPartsAreIgnored() throws {
        let stream = try started()
        let startsTimer = stream.receive("")
        _ = stream.state.timerFired()
        #expect(!startsTimer)
        #expect(try stream.read() == nil)
    }

    @Test func aTimerWithoutPartsChangesNothing() throws {
        let stream = try started(["a"])
        #expect(try stream.read() == "a")
        _ = stream.state.timerFired()
        #expect(try stream.read() == nil)
    }

    @Test func progressCountsAllBytesAndPauses() throws {
        let stream = try started(["a", ""])
        stream.receive(Self.large)
        var progress = stream.state.takeProgress()
        #expect(
            progress == TransferPace.Progress(headTime: .seconds(1), lastTime: .seconds(2), byteCount: 1025))
        for _ in 0..<4096 { stream.receive(Self.large) }
        _ = stream.state.takeProgress()
        progress = stream.state.takeProgress()
        #expect(progress.wasPaused)
        _ = try stream.read()
        let (last, next) = (stream.state.takeProgress(), stream.state.takeProgress())
        #expect(last.wasPaused && !next.wasPaused && next.lastTime == .seconds(9))
    }

    @Test func aBodyThatTheRateLimitHoldsBackIsPaused() throws {
        let stream = try started()
        stream.state.holdBack()
        let during = (0..<2).map { _ in stream.state.takeProgress().wasPaused }
        _ = stream.state.release(at: .seconds(7))
        let (last, next) = (stream.state.takeProgress(), stream.state.takeProgress())
        #expect(during == [true, true] && last.wasPaused && !next.wasPaused && next.lastTime == .seconds(7))
    }

    @Test func aResponseThatFailsKeepsItsParts() throws {
        let stream = try started()
        stream.receive("a")
        _ = stream.state.fail(Broken())
        #expect(try stream.read() == "a")
        #expect(throws: Broken.self) { try stream.read() }
    }

    // MARK: Pauses

    /// A stream that is full with as many parts of a size, and its exchange.
    private func full(_ count: Int, of size: Int) throws -> (Stream, Exchange) {
        let (stream, exchange) = (try started(), Exchange())
        _ = stream.state.attach(exchange)
        let part = String(repeating: "x", count: size)
        for _ in 1..<count { stream.receive(part) }
        #expect(!stream.state.isFull)
        stream.receive(part)
        #expect(stream.state.isFull)
        return (stream, exchange)
    }

    @Test(arguments: [(16, 64 << 10), (1024, 1024)])
    func theOriginWaitsWhileTheStreamIsFull(_ count: Int, _ size: Int) throws {
        let (stream, exchange) = try full(count, of: size)
        let read = try #require(try stream.state.readPart { .zero })
        #expect(read.part.count == count * size && read.resumed as? Exchange === exchange && !stream.state.isFull)
        #expect(try stream.read() == nil)
    }

    /// The rate limit may hold back the origin at the same time: both have to let it go.
    @Test(arguments: [false, true]) func theOriginWaitsForTheReaderAndTheRate(_ readerIsFirst: Bool) throws {
        let (stream, exchange) = try full(16, of: 64 << 10)
        stream.state.holdBack()
        func read() throws -> (any TransportExchange)? { try stream.state.readPart { .zero }?.resumed }
        func release() -> (any TransportExchange)? { stream.state.release(at: .zero).resumed }
        let first = readerIsFirst ? try read() : release()
        let second = readerIsFirst ? release() : try read()
        #expect(first == nil && second as? Exchange === exchange)
    }

    // MARK: The exchange

    @Test func cancellationCancelsTheExchangeOnce() throws {
        let (stream, exchange) = (try started(), Exchange())
        let isEnded = stream.state.attach(exchange)
        let (first, second) = (stream.state.cancel(Broken()).cancelled, stream.state.cancel(Broken()).cancelled)
        #expect(!isEnded && first as? Exchange === exchange && second == nil)
    }

    @Test func aResponseThatEndsDoesNotCancelTheExchange() throws {
        let stream = try started()
        _ = stream.state.attach(Exchange())
        let (end, late) = (stream.state.finish(.success(())).cancelled, stream.state.cancel(Broken()).cancelled)
        #expect(end == nil && late == nil)
    }

    /// The response may be cancelled before the transport returns its exchange.
    @Test(arguments: [false, true]) func anExchangeThatIsAttachedAfterTheEndIsCancelled(_ hasEnded: Bool) throws {
        let stream = try started()
        _ = hasEnded ? stream.state.finish(.success(())) : stream.state.cancel(Broken())
        let isCancelled = stream.state.attach(Exchange())
        #expect(isCancelled == !hasEnded)
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
        wait(state) { state in
            state.store(Self.head)
            return state.notify().reader
        }
        _ = try state.withLock { try $0.readHead() }
        func store(_ count: Int, in state: inout ResponseStreamState) {
            _ = Data(count: count).withUnsafeBytes { state.store($0, at: .zero) }
        }
        wait(state) { state in
            store(1024, in: &state)
            return state.notify().reader
        }
        _ = try state.withLock { try $0.readPart { .zero }?.part }
        wait(state) { state in
            store(1, in: &state)
            return state.timerFired().reader
        }
        _ = try state.withLock { try $0.readPart { .zero }?.part }
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
