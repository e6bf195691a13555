import Foundation
import FuzzSupport
import Synchronization

/// A server that answers requests with the bytes of an input, whatever they are.
///
/// Blocking sockets on threads, which send what no library would.
final class ByteOrigin: FuzzOrigin {
    let url: URL
    private let listener: CInt
    private let state = Mutex(State())

    private struct State {
        var script = ByteScript()
        /// Whether every request is answered with ``FuzzGoodResponse``.
        var behaves = false
        var connections: Set<CInt> = []

        mutating func nextAnswer() -> ByteScript.Answer {
            behaves ? ByteScript.goodAnswer : script.nextAnswer()
        }

        /// Shuts all connections down.
        ///
        /// - Returns: Whether there are any.
        func shutDown() -> Bool {
            for connection in connections { shutdown(connection, CInt(SHUT_RDWR)) }
            return !connections.isEmpty
        }
    }

    /// Starts the server on a free port.
    init() throws {
        listener = socket(AF_INET, CInt(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [listener] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(listener, address, length) == 0 && listen(listener, 128) == 0
                    && getsockname(listener, address, &length) == 0
            }
        }
        guard isBound, let url = URL(string: "http://127.0.0.1:\(UInt16(bigEndian: address.sin_port))") else {
            throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
        }
        self.url = url
        Thread.detachNewThread { self.accept() }
    }

    func begin(_ input: inout FuzzInput) {
        let script = ByteScript(&input)
        state.withLock { ($0.script, $0.behaves) = (script, false) }
    }

    func behave() {
        state.withLock { $0.behaves = true }
    }

    func end() async {
        // The threads close the descriptors. Connections that the client opened may still arrive.
        while state.withLock({ $0.shutDown() }) { await Task.yield() }
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            var isOn: CInt = 1
            setsockopt(connection, CInt(IPPROTO_TCP), TCP_NODELAY, &isOn, socklen_t(MemoryLayout<CInt>.size))
            state.withLock { _ = $0.connections.insert(connection) }
            Thread.detachNewThread { self.serve(connection) }
        }
    }

    private func serve(_ connection: CInt) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        var isOpen = true
        // Reads also after the end of the last answer: unread bytes would discard what was sent.
        while recv(connection, &buffer, buffer.count, 0) > 0 {
            guard isOpen else { continue }
            let answer = state.withLock { $0.nextAnswer() }
            send(answer.parts, to: connection)
            guard answer.isLast else { continue }
            isOpen = false
            shutdown(connection, CInt(SHUT_WR))
        }
        state.withLock { _ = $0.connections.remove(connection) }
        close(connection)
    }

    /// Sends parts with pauses between them, in which the client may read.
    private func send(_ parts: [[UInt8]], to connection: CInt) {
        for (index, part) in parts.enumerated() {
            if index > 0 { usleep(Self.pause) }
            Glibc.send(connection, part, part.count, CInt(MSG_NOSIGNAL))
        }
    }

    /// In microseconds.
    private static let pause: UInt32 = 200
}

/// The answers to the requests over all connections.
struct ByteScript: Sendable {
    /// The bytes that answer a request.
    struct Answer: Sendable {
        var parts: [[UInt8]] = [[]]
        /// Whether the server closes the connection after them.
        var isLast = false
    }

    private var answers: ArraySlice<Answer> = []

    init() {}

    /// Reads the rest of an input. Two zero bytes end an answer, and a 0 and a 1 stand for a pause. The connection is
    /// closed after the last answer; if that is empty, the client has to wait.
    init(_ input: inout FuzzInput) {
        var answers = [Answer()]
        var wasZero = false
        while !input.isEmpty {
            let byte = input.byte()
            switch (wasZero, byte) {
            case (true, 0): answers.append(Answer())
            case (true, 1): answers[answers.count - 1].parts.append([])
            case (true, _): answers.add([0, byte])
            case (false, 0): break
            case (false, _): answers.add([byte])
            }
            wasZero = byte == 0 && !wasZero
        }
        if answers.last?.parts != [[]] { answers[answers.count - 1].isLast = true }
        self.answers = answers[...]
    }

    /// Returns the answer to the next request. A request without an answer finds its connection closed.
    mutating func nextAnswer() -> Answer { answers.popFirst() ?? Answer(isLast: true) }

    static let goodAnswer = Answer(
        parts: [
            Array(
                "HTTP/1.1 200 OK\r\ncontent-length: \(FuzzGoodResponse.body.count)\r\n\r\n".utf8 + FuzzGoodResponse.body
            )
        ])
}

extension [ByteScript.Answer] {
    /// Adds bytes to the last part of the last answer.
    fileprivate mutating func add(_ bytes: [UInt8]) {
        let answer = count - 1
        self[answer].parts[self[answer].parts.count - 1] += bytes
    }
}
