import Foundation
import TintypeCore
import TintypeTLS

/// What a connection needs to open: found by ``ServerPreparation``.
struct PreparedServer: Sendable {
    let addresses: [SocketAddress]
    let tls: TLSContext?
}

/// What uses a connection. All calls come on the thread of the loop.
protocol RedisConnectionOwner: AnyObject {
    /// The handshake has ended.
    func opened(_ connection: RedisConnection)
    /// A command was answered for the first time.
    func answered(_ connection: RedisConnection)
    /// A message has arrived on a connection for messages.
    func received(_ message: [RESPValue], on connection: RedisConnection)
    /// The connection is closed. Called once.
    func closed(_ connection: RedisConnection, _ error: TintypeError)
}

/// One connection to a server: performs on a socket what ``RedisConnectionState`` decides. Belongs to the thread of its
/// loop.
final class RedisConnection {
    private enum Link {
        /// Waits for the addresses of the server, or is about to try the next one.
        case preparing
        case connecting(RedisSocket)
        case connected(RedisSocket)
        case closed
    }

    private let configuration: RedisConfiguration
    private weak let owner: (any RedisConnectionOwner)?
    private var state: RedisConnectionState<RedisCall>
    private var decoder: RESPDecoder
    private var link = Link.preparing
    private var addresses: ArraySlice<SocketAddress> = []
    private var tls: TLSContext?
    /// Whether bytes may have arrived that poll(2) does not report.
    private(set) var mustReadAgain = false

    /// Creates a connection that waits for ``connect(_:)``.
    init(
        _ configuration: RedisConfiguration, for purpose: RedisConnectionState<RedisCall>.Purpose = .commands,
        now: Duration, owner: any RedisConnectionOwner
    ) {
        (self.configuration, self.owner) = (configuration, owner)
        state = RedisConnectionState(configuration, for: purpose, now: now)
        decoder = RESPDecoder(RESPLimits(bulkSize: configuration.maximumValueSize))
    }

    var phase: RedisConnectionState<RedisCall>.Phase { state.phase }
    var callCount: Int { state.callCount }
    var deadline: Duration? { state.deadline }
    /// Whether a command has been answered.
    var hasAnswered: Bool { state.hasAnswered }

    /// The descriptor to wait for, and the events (poll(2)); `nil` if there is none.
    var poll: (descriptor: Int32, events: Int32)? {
        switch link {
        case .preparing, .closed: nil
        case .connecting(let socket): (socket.descriptor, POLLOUT)
        case .connected(let socket): (socket.descriptor, socket.events)
        }
    }

    // MARK: Opening

    /// Connects to the first of the server's addresses that accepts.
    func connect(_ server: PreparedServer) {
        guard case .preparing = link else { return }
        (addresses, tls) = (server.addresses[...], server.tls)
        connectNext(after: TintypeError(.unreachable, stage: .load, "the name has no addresses"))
    }

    private func connectNext(after error: TintypeError) {
        guard let address = addresses.popFirst() else { return close(error) }
        do throws(TintypeError) {
            link = .connecting(try RedisSocket(address, tls: tls, host: configuration.address.host))
        } catch {
            connectNext(after: error)
        }
    }

    private func finishConnecting(_ socket: RedisSocket) {
        let error = socket.connectError()
        guard error == 0 else {
            socket.close()
            link = .preparing
            return connectNext(after: RedisSocket.unreachable(error))
        }
        link = .connected(socket)
        socket.send(state.connected().bytes)
        flush(socket)
    }

    // MARK: Commands

    /// Adds a call. Its command is sent with the next ``flush()``, or after the handshake.
    func submit(_ call: RedisCall, now: Duration) {
        guard state.callCount < RedisConnectionState<RedisCall>.maximumCount, outputSize < Self.maximumOutputSize else {
            return call.finish(.failure(overload))
        }
        if state.submit(call, now: now) { send(call.command) }
    }

    /// Sends what was added.
    func flush() {
        if case .connected(let socket) = link { flush(socket) }
    }

    /// Sends a command that no call waits for.
    func send(_ command: RESPCommand) {
        if case .connected(let socket) = link { socket.send(command.bytes) }
    }

    private static let maximumOutputSize = 64 << 20

    private var outputSize: Int {
        if case .connected(let socket) = link { socket.outputSize } else { 0 }
    }

    private var overload: TintypeError {
        TintypeError(
            .limitExceeded, stage: .load, "too many commands wait for the server", subject: configuration.name)
    }

    private func flush(_ socket: RedisSocket) {
        if !socket.flush() { close(broken(socket)) }
    }

    // MARK: Events

    /// The descriptor is ready.
    func becomeReady(now: Duration, buffer: UnsafeMutableRawBufferPointer) {
        switch link {
        case .connecting(let socket): finishConnecting(socket)
        case .connected(let socket): transfer(socket, now, buffer)
        case .preparing, .closed: break
        }
    }

    /// Closes the connection if its deadline has passed.
    func expire(now: Duration) {
        if let error = state.expire(now: now) { close(error) }
    }

    private func transfer(_ socket: RedisSocket, _ now: Duration, _ buffer: UnsafeMutableRawBufferPointer) {
        mustReadAgain = false
        let reception = socket.receive(into: buffer) { use($0, now) }
        guard state.phase != .closed else { return }
        guard reception != .ended else { return close(broken(socket)) }
        mustReadAgain = reception == .more
        flush(socket)
    }

    /// - Returns: Whether the connection is still open.
    private func use(_ bytes: UnsafeRawBufferPointer, _ now: Duration) -> Bool {
        do throws(RESPViolation) {
            try decoder.decode(bytes) { react(to: state.received($0), now) }
        } catch {
            let isTooLarge = if case .tooLarge = error { true } else { false }
            close(TintypeError(isTooLarge ? .limitExceeded : .transport, stage: .load, error.description))
        }
        return state.phase != .closed
    }

    private func react(to reaction: RedisConnectionState<RedisCall>.Reaction, _ now: Duration) {
        switch reaction {
        case .nothing: break
        case .send(let command): send(command)
        case .opened:
            for call in state.takeWaiting(now: now, where: { !$0.isFinished }) { send(call.command) }
            owner?.opened(self)
        case .deliver(let call, let reply):
            owner?.answered(self)
            call.finish(.success(reply))
        case .message(let values):
            owner?.received(values, on: self)
        case .close(let error): close(error)
        }
    }

    // MARK: Closing

    private func broken(_ socket: RedisSocket) -> TintypeError {
        if let failure = socket.failure {
            return TintypeError(.insecure, stage: .load, "TLS failed: \(failure)")
        }
        return TintypeError(.transport, stage: .load, "the server has closed the connection")
    }

    /// Closes the connection. All calls on it fail with the error.
    func close(_ error: TintypeError) {
        guard state.phase != .closed else { return }
        let error = error.about(configuration.name)
        switch link {
        case .connecting(let socket), .connected(let socket): socket.close()
        case .preparing, .closed: break
        }
        (link, mustReadAgain) = (.closed, false)
        for call in state.close() { call.finish(.failure(error)) }
        owner?.closed(self, error)
    }
}

extension RedisConfiguration.Address {
    /// The name or address of the host; empty for a socket.
    var host: String {
        switch self {
        case .host(let host, _): host
        case .unixSocket: ""
        }
    }
}
