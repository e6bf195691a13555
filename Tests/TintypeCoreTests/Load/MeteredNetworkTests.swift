import Foundation
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// When NetworkManager is asked.
@Suite(.timeLimited) struct MeteredNetworkTests {
    @Test func anAnswerCountsForHalfAMinute() {
        var state = MeteredState()
        let first = [state.begin(at: .seconds(0)), state.begin(at: .seconds(100))]
        #expect(first == [true, false] && !state.isMetered)
        state.end(true, at: .seconds(101))
        let later = [102, 130, 131, 500].map { state.begin(at: .seconds($0)) }
        #expect(later == [false, false, true, false] && state.isMetered)
        state.end(false, at: .seconds(501))
        #expect(!state.isMetered)
    }

    @Test func readingTheAnswerAsksInTheBackground() async {
        let (clock, asked) = (ManualClock(), Shared(0))
        let network = MeteredNetwork(time: clock.timeSource) {
            asked.withLock { $0 += 1 }
            return true
        }
        #expect(!network.isMetered)
        while !network.isMetered { await Task.yield() }
        #expect(asked.now == 1)
        clock.advance(by: .seconds(30))
        #expect(network.isMetered)
        await asked.wait { $0 >= 2 }
    }

    @Test func refreshingWaitsForTheAnswer() async {
        let answer = Shared(true)
        let network = MeteredNetwork { answer.now }
        #expect(await network.refresh() && network.isMetered)
        answer.withLock { $0 = false }
        #expect(await network.refresh() == false)
    }

    @Test func guessesCount() {
        #expect((0...5).map { MeteredNetwork.isMetered($0) } == [false, true, false, true, false, false])
    }
}

/// Asking NetworkManager over a bus, which a thread of the test plays.
@Suite(.timeLimited) struct SystemBusTests {
    /// A bus that answers one connection.
    private final class FakeBus: Sendable {
        let path: String
        /// The bytes that the client has sent.
        let received = Shared<[UInt8]>([])

        /// - Parameter answers: The bytes that the bus sends after each part that the client sends.
        init(_ answers: [[UInt8]]) throws {
            path = FileManager.default.temporaryDirectory.appending(path: "bus-\(UUID().uuidString.prefix(8))")
                .path(percentEncoded: false)
            var address = try #require(BusSocket.address(of: path))
            let listener = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
            let bound = withUnsafePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, socklen_t(MemoryLayout<sockaddr_un>.size))
                }
            }
            try #require(bound == 0 && listen(listener, 1) == 0)
            Thread.detachNewThread { [path, received] in
                let connection = accept(listener, nil, nil)
                for answer in answers {
                    var bytes = [UInt8](repeating: 0, count: 4096)
                    let count = recv(connection, &bytes, bytes.count, 0)
                    received.withLock { $0 += bytes.prefix(max(0, count)) }
                    _ = send(connection, answer, answer.count, Int32(MSG_NOSIGNAL))
                }
                for descriptor in [connection, listener] { close(descriptor) }
                unlink(path)
            }
        }

        /// Asks this bus, and waits for long: the thread may be late.
        func ask(_ time: TimeSource = .system) -> UInt32? {
            SystemBus(path: path, patience: .seconds(600), time: time).meteredProperty()
        }
    }

    /// The bytes that arrive count, and not when: a look at the clock costs some time.
    @Test(arguments: [(Duration.seconds(1), UInt32?(3)), (.seconds(100), nil)])
    func aQuestionEndsAtItsDeadline(_ step: Duration, _ answer: UInt32?) throws {
        let bus = try FakeBus([Self.accepted, Self.message(2, answering: 2, 3)])
        let now = Shared(Duration.zero)
        let uptime: @Sendable () -> Duration = {
            now.withLock { now in
                now += step
                return now
            }
        }
        #expect(bus.ask(TimeSource(uptime: uptime, date: { Date() })) == answer)
    }

    private static let accepted = Array("OK 0123456789abcdef\r\n".utf8)

    /// A message of a type, with a serial that it answers and a number in a variant.
    private static func message(
        _ type: UInt8, answering serial: UInt32, _ number: UInt32, isBigEndian: Bool = false
    ) -> [UInt8] {
        var fields = BusWriter()
        if !isBigEndian { fields.addField(6, "s") { $0.add(":1.7") } }
        fields.addField(5, "u") { $0.add(isBigEndian ? serial.byteSwapped : serial) }
        var body = BusWriter()
        body.addSignature("u")
        body.add(isBigEndian ? number.byteSwapped : number)
        var message = BusWriter()
        message.bytes = [UInt8(ascii: isBigEndian ? "B" : "l"), type, 0, 1]
        for count in [UInt32(body.bytes.count), 9, UInt32(fields.bytes.count)] {
            message.add(isBigEndian ? count.byteSwapped : count)
        }
        message.bytes += fields.bytes
        message.align(to: 8)
        return message.bytes + body.bytes
    }

    /// The reply to the greeting, a signal, and the reply to the question.
    @Test func theReplyToTheQuestionIsFound() throws {
        let (reply, signal): (UInt8, UInt8) = (2, 4)
        let messages = Self.message(reply, answering: 1, 9) + Self.message(signal, answering: 2, 8)
        let bus = try FakeBus([Self.accepted, messages + Self.message(reply, answering: 2, 3)])
        #expect(bus.ask() == 3)
        let sent = String(decoding: bus.received.now, as: UTF8.self)
        #expect(sent.hasPrefix("\0AUTH EXTERNAL 3") && sent.contains("BEGIN\r\n"))
        #expect(sent.contains("org.freedesktop.NetworkManager") && sent.contains("Metered"))
    }

    @Test func anErrorIsNoAnswer() throws {
        let error: UInt8 = 3
        let bus = try FakeBus([Self.accepted, Self.message(error, answering: 2, 1)])
        #expect(bus.ask() == nil)
    }

    @Test func aBusThatRefusesTheUserIsNotAsked() throws {
        let bus = try FakeBus([Array("REJECTED EXTERNAL\r\n".utf8)])
        #expect(bus.ask() == nil)
        #expect(!String(decoding: bus.received.now, as: UTF8.self).contains("BEGIN"))
    }

    @Test func withoutABusThereIsNoAnswer() {
        #expect(SystemBus(path: "/nonexistent/bus").meteredProperty() == nil)
        #expect(SystemBus(path: "/\(String(repeating: "a", count: 200))").meteredProperty() == nil)
    }

    /// Every truncation ends the connection, so none waits.
    @Test func aTruncatedReplyIsNoAnswer() throws {
        let reply = Self.message(2, answering: 2, 1)
        for count in stride(from: 0, to: reply.count, by: 7) {
            let bus = try FakeBus([Self.accepted, Array(reply.prefix(count))])
            #expect(bus.ask() == nil, "\(count)")
        }
    }

    @Test func aBigEndianReplyIsRead() throws {
        let bus = try FakeBus([Self.accepted, Self.message(2, answering: 2, 1, isBigEndian: true)])
        #expect(bus.ask() == 1)
    }

    /// The message is complete and valid, so it is refused only for its length.
    @Test(arguments: [(64 << 10, UInt32?(1)), (64 << 10 + 1, nil)])
    func aMessageBeyondTheLimitIsNoAnswer(_ byteCount: Int, _ answer: UInt32?) throws {
        var reply = Self.message(2, answering: 2, 1)
        // The value follows the signature, which has three bytes, and is aligned to four.
        let valueCount = 8
        reply += [UInt8](repeating: 0, count: byteCount - valueCount)
        reply.replaceSubrange(4..<8, with: (0..<4).map { UInt8(truncatingIfNeeded: byteCount >> (8 * $0)) })
        let bus = try FakeBus([Self.accepted, reply])
        #expect(bus.ask() == answer)
    }

    @Test func aCallHasTheWireFormat() {
        let call = BusCall(path: "/a", interface: "b.c", member: "D", destination: "e.f", arguments: ["x", "yz"])
        let bytes = call.bytes(serial: 7)
        #expect(bytes.prefix(4) == [UInt8(ascii: "l"), 1, 2, 1])
        // The body: two strings, each with its length, aligned to four bytes.
        #expect(bytes.suffix(15) == [1, 0, 0, 0, 0x78, 0, 0, 0, 2, 0, 0, 0, 0x79, 0x7A, 0])
        #expect(Array(bytes[4..<12]) == [15, 0, 0, 0, 7, 0, 0, 0] && (bytes.count - 15) % 8 == 0)
    }
}
