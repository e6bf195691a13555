import Foundation
import Synchronization

/// A server that answers requests with the bytes of an input, whatever they are.
///
/// Blocking sockets on threads: a server with NIO would share the code under test.
final class ByteOrigin: FuzzOrigin {
    let url: URL
    private let listener: CInt
    private let state = Mutex(State())

    private struct State {
        /// The answers to the next requests. After the last one, connections are closed.
        var pieces: ArraySlice<[UInt8]> = []
        var connections: Set<CInt> = []
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
        let pieces = input.pieces
        state.withLock { $0.pieces = pieces[...] }
    }

    func end() async {
        // The threads close the descriptors.
        state.withLock { state in for connection in state.connections { shutdown(connection, CInt(SHUT_RDWR)) } }
        while !state.withLock({ $0.connections.isEmpty }) { await Task.yield() }
    }

    private func accept() {
        while true {
            let connection = Glibc.accept(listener, nil, nil)
            guard connection >= 0 else { continue }
            state.withLock { _ = $0.connections.insert(connection) }
            Thread.detachNewThread { self.serve(connection) }
        }
    }

    private func serve(_ connection: CInt) {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = recv(connection, &buffer, buffer.count, 0)
            guard count > 0, let piece = state.withLock({ $0.pieces.popFirst() }) else { break }
            send(connection, piece, piece.count, CInt(MSG_NOSIGNAL))
        }
        state.withLock { _ = $0.connections.remove(connection) }
        close(connection)
    }
}
