import Foundation
import TintypeCore
import TintypeTLS

/// A socket that does not block, with or without TLS, and the bytes that wait to be sent. Belongs to the thread of its
/// loop.
final class RedisSocket {
    /// The result of reading all that has arrived.
    enum Reception: Equatable {
        /// Nothing is left.
        case drained
        /// Something may be left: other connections come first.
        case more
        /// The server has closed the connection, or it is broken.
        case ended
    }

    /// The number of reads after which other connections come first.
    private static let maximumReadCount = 16
    /// The size up to which the memory of the output is kept.
    private static let keptOutputSize = 1 << 20

    let descriptor: Int32
    private let tls: TLSSession?
    private var isOpen = true
    private var output: [UInt8] = []
    private var sentCount = 0
    private var writeNeedsRead = false
    private var readNeedsWrite = false

    /// Begins to connect to a server.
    ///
    /// - Parameters:
    ///   - tls: The context of a client; `nil` for none.
    ///   - host: The host for which the certificate of the server must be.
    /// - Throws: `TintypeError.Code.unreachable`.
    init(_ address: SocketAddress, tls: TLSContext?, host: String) throws(TintypeError) {
        let type = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        descriptor = socket(address.family, type, 0)
        guard descriptor >= 0 else { throw Self.unreachable(errno) }
        if address.family != AF_UNIX { Self.tune(descriptor) }
        let status = address.connect(descriptor)
        guard status == 0 || status == EINPROGRESS else {
            Foundation.close(descriptor)
            throw Self.unreachable(status)
        }
        let descriptor = descriptor
        self.tls = tls.map { TLSSession($0, descriptor, host: host) }
    }

    static func unreachable(_ number: Int32) -> TintypeError {
        TintypeError(.unreachable, stage: .load, SystemError.description(number))
    }

    /// Sends small pieces at once, and finds out within a minute that a server without a connection is gone.
    private static func tune(_ descriptor: Int32) {
        set(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, 1)
        set(descriptor, SOL_SOCKET, SO_KEEPALIVE, 1)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE, 30)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPINTVL, 10)
        set(descriptor, Int32(IPPROTO_TCP), TCP_KEEPCNT, 3)
    }

    private static func set(_ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Int32) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size))
    }

    /// Why TLS has failed; `nil` if it has not.
    var failure: String? { tls?.failure }

    /// The result of connecting, once the socket is writable: 0, or an error number (errno(3)).
    func connectError() -> Int32 {
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    /// The events to wait for (poll(2)) once the socket is connected.
    var events: Int32 {
        POLLIN | ((!output.isEmpty && !writeNeedsRead) || readNeedsWrite ? POLLOUT : 0)
    }

    /// Closes the socket. With TLS, the closing alert is sent if there is room for it. Nothing else may be called
    /// afterwards.
    func close() {
        // Another thread may have got the same descriptor meanwhile.
        guard isOpen else { return }
        isOpen = false
        tls?.close()
        Foundation.close(descriptor)
    }

    // MARK: Sending

    /// Adds bytes to those that the next ``flush()`` sends.
    func send(_ bytes: Data) {
        output.append(contentsOf: bytes)
    }

    /// The number of bytes that wait to be sent.
    var outputSize: Int { output.count - sentCount }

    /// Sends as many bytes as there is room for.
    ///
    /// - Returns: `false` if the connection is broken.
    func flush() -> Bool {
        writeNeedsRead = false
        while sentCount < output.count {
            let result = output.withUnsafeBytes { write(UnsafeRawBufferPointer(rebasing: $0[sentCount...])) }
            switch result {
            case .bytes(let count): sentCount += count
            case .needsWrite: return true
            case .needsRead:
                writeNeedsRead = true
                return true
            case .ended: return false
            }
        }
        output.removeAll(keepingCapacity: output.capacity <= Self.keptOutputSize)
        sentCount = 0
        return true
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> SocketTransfer {
        if let tls { return tls.write(bytes) }
        let count = Foundation.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
        if count > 0 { return .bytes(count) }
        return errno == EAGAIN || errno == EINTR ? .needsWrite : .ended
    }

    // MARK: Receiving

    /// Reads what has arrived.
    ///
    /// - Parameters:
    ///   - buffer: Memory for one read.
    ///   - use: Receives the bytes of each read. Returns `false` if the connection is not to be used any more.
    func receive(into buffer: UnsafeMutableRawBufferPointer, _ use: (UnsafeRawBufferPointer) -> Bool) -> Reception {
        readNeedsWrite = false
        for _ in 0..<Self.maximumReadCount {
            switch read(into: buffer) {
            case .bytes(let count):
                guard use(UnsafeRawBufferPointer(rebasing: buffer[..<count])) else { return .drained }
            case .needsRead: return .drained
            case .needsWrite:
                readNeedsWrite = true
                return .drained
            case .ended: return .ended
            }
        }
        return .more
    }

    private func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketTransfer {
        if let tls { return tls.read(buffer) }
        let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
        if count > 0 { return .bytes(count) }
        return count < 0 && (errno == EAGAIN || errno == EINTR) ? .needsRead : .ended
    }
}
