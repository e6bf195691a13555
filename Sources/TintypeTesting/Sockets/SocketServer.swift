package import Foundation
import TintypeCore
package import TintypeTLS

/// A server on 127.0.0.1.
@SocketLoop
package final class SocketServer: PollSource {
    /// Returns what handles a connection, and its side of TLS, if any.
    ///
    /// - Parameter number: The number of earlier connections.
    /// - Throws: An error, and the connection is closed.
    package typealias Admission =
        @SocketLoop (_ number: Int) throws -> (
            handler: any ConnectionHandler, tls: TLSContext?
        )

    /// The port of the server.
    package nonisolated let port: Int

    private static let pauseWithoutDescriptors = Duration.milliseconds(10)
    private static nonisolated let usedPorts = Locked(Set<Int>())

    private let descriptor: Int32
    private let admit: Admission
    private let whenClosed: @SocketLoop () -> Void
    private var isListening = true
    private var connectionCount = 0
    private var connections: [ObjectIdentifier: SocketConnection] = [:]

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - port: The port; `nil` is one that no server of this process has had before.
    ///   - admit: Returns what handles a connection.
    ///   - whenClosed: Called when a connection is closed, before its handler.
    /// - Throws: An error if the port is not available.
    package init(
        port: Int? = nil, admit: @escaping Admission, whenClosed: @escaping @SocketLoop () -> Void = {}
    ) throws(POSIXError) {
        (descriptor, self.port) = try Self.listen(at: port)
        (self.admit, self.whenClosed) = (admit, whenClosed)
        SocketPoller.shared.add(descriptor, self, events: POLLIN)
    }

    /// Stops accepting connections. Those that are open stay open.
    package func stopListening() {
        guard isListening else { return }
        isListening = false
        SocketPoller.shared.remove(descriptor)
        close(descriptor)
    }

    /// Stops accepting connections, and closes those that are open without sending what waits.
    package func stop() {
        stopListening()
        for connection in Array(connections.values) { connection.closeAtOnce() }
    }

    /// Closes all connections without a closing alert of TLS.
    package func abortConnections() {
        for connection in Array(connections.values) { connection.abort() }
    }

    // MARK: Listening

    /// Listens on a free port that no server of this process has had before, unless a port is required.
    ///
    /// The system gives a port away again as soon as its server has stopped. A client of another test, which still
    /// tries to reach that server, would send its request to the new one.
    private static func listen(at port: Int?) throws(POSIXError) -> (Int32, Int) {
        while true {
            let descriptor = try SocketOptions.open()
            do throws(POSIXError) {
                if port != nil { SocketOptions.reuseAddress(descriptor) }
                let bound = try SocketAddressIPv4(port: port ?? 0).bind(descriptor)
                if port != nil || usedPorts.withLock({ $0.insert(bound).inserted }) {
                    guard Foundation.listen(descriptor, SocketOptions.backlog) == 0 else { throw .current }
                    return (descriptor, bound)
                }
            } catch {
                close(descriptor)
                throw error
            }
            close(descriptor)
        }
    }

    // MARK: Connections

    func becomeReady() {
        while isListening {
            let client = accept(descriptor, nil, nil)
            if client >= 0 {
                open(client)
            } else if errno != EINTR && errno != ECONNABORTED {
                if errno != EAGAIN { pause() }
                return
            }
        }
    }

    private func open(_ client: Int32) {
        SocketOptions.makeNonBlocking(client)
        defer { connectionCount += 1 }
        guard let (handler, context) = try? admit(connectionCount) else {
            close(client)
            return
        }
        let connection = SocketConnection(client, handler, tls: context)
        connections[ObjectIdentifier(connection)] = connection
        connection.start { [weak self, whenClosed] closed in
            self?.connections[ObjectIdentifier(closed)] = nil
            whenClosed()
        }
    }

    /// Waits until the process may have descriptors again. The socket would stay readable meanwhile.
    private func pause() {
        SocketPoller.shared.setEvents(0, of: descriptor)
        SocketPoller.shared.schedule(at: .now + Self.pauseWithoutDescriptors) { [weak self] in
            guard let self, isListening else { return }
            SocketPoller.shared.setEvents(POLLIN, of: descriptor)
        }
    }
}
