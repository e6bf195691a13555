package import Foundation
import TintypeTLS

/// What happens on a connection.
@SocketLoop
package protocol ConnectionHandler: AnyObject {
    /// Called when the connection is open; with TLS, before the handshake. Bytes may be sent at once.
    func opened(_ connection: SocketConnection)

    /// Called when the handshake of TLS has ended. Without TLS it is never called.
    func established(_ connection: SocketConnection)

    /// Called when bytes have arrived.
    func received(_ bytes: Data, on connection: SocketConnection)

    /// Called once, when the connection is closed by either side, or an attempt to connect has failed.
    func closed(_ connection: SocketConnection)
}

extension ConnectionHandler {
    package func opened(_ connection: SocketConnection) {}
    package func established(_ connection: SocketConnection) {}
    package func received(_ bytes: Data, on connection: SocketConnection) {}
    package func closed(_ connection: SocketConnection) {}
}

/// A TCP connection, with or without TLS.
///
/// When the client closes its side, the connection is closed at once, and bytes that are not sent are dropped.
@SocketLoop
package final class SocketConnection: PollSource {
    private enum Phase {
        case connecting, open
        /// Closed in order by this side; waits until the client closes its own.
        case ending
        case closed
    }

    /// The time that a client has to close its side of TLS.
    private static let endingTime = Duration.seconds(5)

    private static let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)

    private let descriptor: Int32
    private let handler: any ConnectionHandler
    private var tls: TLSSession?
    private var phase: Phase
    private var isEstablished = false
    private var output = SocketOutput()
    /// Called when all bytes are sent.
    private var whenSent: [@SocketLoop () -> Void] = []
    private var closesWhenSent = false
    private var readNeedsWrite = false

    private var whenClosed: @SocketLoop (SocketConnection) -> Void = { _ in }

    /// Takes over a socket. Call ``start(whenClosed:)`` next.
    init(_ descriptor: Int32, _ handler: any ConnectionHandler, tls: TLSContext?, isConnecting: Bool = false) {
        self.descriptor = descriptor
        self.handler = handler
        self.tls = tls.map { TLSSession($0, descriptor) }
        phase = isConnecting ? .connecting : .open
    }

    /// Connects to a server. The handler learns whether it succeeds.
    ///
    /// - Parameter host: An IPv4 address.
    /// - Throws: An error if the attempt cannot begin.
    package static func connect(
        to host: String, port: Int, _ handler: any ConnectionHandler
    ) throws(POSIXError) -> SocketConnection {
        let descriptor = try SocketOptions.open()
        do throws(POSIXError) {
            try SocketAddressIPv4(host, port: port).connect(descriptor)
        } catch {
            Foundation.close(descriptor)
            throw error
        }
        let connection = SocketConnection(descriptor, handler, tls: nil, isConnecting: true)
        connection.start()
        return connection
    }

    /// Begins to use the socket.
    ///
    /// - Parameter whenClosed: Called when the connection is closed, before its handler.
    func start(whenClosed: @escaping @SocketLoop (SocketConnection) -> Void = { _ in }) {
        self.whenClosed = whenClosed
        SocketOptions.sendAtOnce(descriptor)
        SocketPoller.shared.add(descriptor, self, events: phase == .connecting ? POLLOUT : POLLIN)
        if phase == .open { handler.opened(self) }
    }

    /// Whether bytes can be sent and received.
    package var isOpen: Bool { phase == .open && !closesWhenSent }

    /// The application protocol that was chosen in the handshake of TLS.
    package var applicationProtocol: String? { tls?.applicationProtocol }

    // MARK: Sending

    /// Sends bytes, or as many as the client has room for, and the rest later.
    package func send(_ bytes: Data) {
        guard isOpen else { return }
        output.append(bytes)
        flush()
    }

    /// Calls a closure when all bytes are sent, perhaps at once; never if the connection is closed before that.
    package func whenSent(_ body: @escaping @SocketLoop () -> Void) {
        guard isOpen else { return }
        if output.isEmpty { body() } else { whenSent.append(body) }
    }

    private func flush() {
        while phase == .open, !output.isEmpty {
            switch output.withNext(write) {
            case .bytes(let count): output.remove(count)
            case .needsRead: return SocketPoller.shared.setEvents(POLLIN, of: descriptor)
            case .needsWrite: return SocketPoller.shared.setEvents(POLLIN | POLLOUT, of: descriptor)
            case .ended: return disconnect()
            }
        }
        guard phase == .open else { return }
        SocketPoller.shared.setEvents(readNeedsWrite ? POLLIN | POLLOUT : POLLIN, of: descriptor)
        noteHandshake()
        let sent = whenSent
        whenSent = []
        for body in sent { body() }
        if closesWhenSent, output.isEmpty { endInOrder() }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> SocketTransfer {
        if let tls { return tls.write(bytes) }
        let count = Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count > 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .needsWrite : .ended
    }

    // MARK: Receiving

    func becomeReady() {
        if phase == .connecting { return finishConnecting() }
        readNeedsWrite = false
        receive()
        if phase == .open { flush() }
    }

    private func finishConnecting() {
        guard SocketOptions.error(of: descriptor) == 0 else { return disconnect() }
        phase = .open
        SocketPoller.shared.setEvents(POLLIN, of: descriptor)
        handler.opened(self)
    }

    private func receive() {
        while phase == .open || phase == .ending {
            switch phase == .ending ? readPlain() : read() {
            case .bytes(let count):
                noteHandshake()
                if isOpen { handler.received(Self.scratchBytes(count), on: self) }
            case .needsRead: return noteHandshake()
            case .needsWrite:
                readNeedsWrite = true
                return
            case .ended: return closeAtOnce()
            }
        }
    }

    private func read() -> SocketTransfer {
        tls.map { $0.read(Self.scratch) } ?? readPlain()
    }

    private func readPlain() -> SocketTransfer {
        let count = recv(descriptor, Self.scratch.baseAddress, Self.scratch.count, 0)
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .needsRead : .ended
    }

    private static func scratchBytes(_ count: Int) -> Data {
        scratch.baseAddress.map { Data(bytes: $0, count: count) } ?? Data()
    }

    private func noteHandshake() {
        guard !isEstablished, let tls, tls.isEstablished else { return }
        isEstablished = true
        handler.established(self)
    }

    // MARK: Closing

    /// Closes the connection in order when all bytes are sent.
    package func close() {
        guard isOpen else { return }
        closesWhenSent = true
        if output.isEmpty { endInOrder() }
    }

    /// Closes the connection with a TCP reset.
    package func reset() {
        guard phase != .closed else { return }
        SocketOptions.resetOnClose(descriptor)
        disconnect()
    }

    /// Closes the connection without sending what waits. With TLS, the closing alert is sent if there is room for it.
    package func closeAtOnce() {
        tls?.close()
        discardInput()
        disconnect()
    }

    /// Closes the connection without sending what waits, and without a closing alert of TLS.
    package func abort() { disconnect() }

    private func endInOrder() {
        guard phase == .open else { return }
        guard let tls else { return closeAtOnce() }
        tls.close()
        phase = .ending
        shutdown(descriptor, Int32(SHUT_WR))
        SocketPoller.shared.setEvents(POLLIN, of: descriptor)
        SocketPoller.shared.schedule(at: .now + Self.endingTime) { [weak self] in self?.disconnect() }
    }

    /// Empties the socket. The system resets a connection whose socket is closed with bytes in it, and the client may
    /// then not see the end of the response.
    private func discardInput() {
        while phase != .closed, case .bytes = readPlain() {}
    }

    private func disconnect() {
        guard phase != .closed else { return }
        phase = .closed
        SocketPoller.shared.remove(descriptor)
        Foundation.close(descriptor)
        (tls, output, whenSent) = (nil, SocketOutput(), [])
        whenClosed(self)
        handler.closed(self)
    }
}

/// The bytes that wait to be sent.
private struct SocketOutput {
    private var pieces: [Data] = []
    private var first = 0
    private var offset = 0

    var isEmpty: Bool { first == pieces.count }

    mutating func append(_ bytes: Data) {
        if !bytes.isEmpty { pieces.append(bytes) }
    }

    /// Calls a closure with the next bytes. Must not be called if there are none.
    func withNext(_ body: (UnsafeRawBufferPointer) -> SocketTransfer) -> SocketTransfer {
        pieces[first].withUnsafeBytes { body(UnsafeRawBufferPointer(rebasing: $0[offset...])) }
    }

    /// Removes bytes that are sent, at most those of one piece.
    mutating func remove(_ count: Int) {
        offset += count
        guard offset == pieces[first].count else { return }
        pieces[first] = Data()
        (first, offset) = (first + 1, 0)
        if isEmpty { (pieces, first) = ([], 0) }
    }
}
