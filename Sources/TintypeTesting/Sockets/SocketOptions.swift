import Foundation
import TintypeCore

/// Calls of the system for TCP sockets over IPv4.
enum SocketOptions {
    /// The number of connections that may wait to be accepted.
    static let backlog: Int32 = 4096

    /// Opens a socket that does not block and that child processes do not inherit.
    static func open() throws(POSIXError) -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw .current }
        makeNonBlocking(descriptor)
        return descriptor
    }

    static func makeNonBlocking(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    /// Sends small pieces at once, instead of waiting for the acknowledgement of earlier ones.
    static func sendAtOnce(_ descriptor: Int32) {
        set(descriptor, tcp, TCP_NODELAY, Int32(1))
    }

    /// Makes the next close(2) reset the connection.
    static func resetOnClose(_ descriptor: Int32) {
        set(descriptor, SOL_SOCKET, SO_LINGER, linger(l_onoff: 1, l_linger: 0))
    }

    static func reuseAddress(_ descriptor: Int32) {
        set(descriptor, SOL_SOCKET, SO_REUSEADDR, Int32(1))
    }

    /// The error of a connection attempt; 0 is success.
    static func error(of descriptor: Int32) -> Int32 {
        var (error, length) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &length) == 0 ? error : errno
    }

    private static let tcp = Int32(IPPROTO_TCP)

    private static func set<Value: BitwiseCopyable>(
        _ descriptor: Int32, _ level: Int32, _ option: Int32, _ value: Value
    ) {
        var value = value
        setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Value>.size))
    }
}

/// An IPv4 address and a port.
struct SocketAddressIPv4 {
    private var address = sockaddr_in()

    /// - Throws: `EINVAL` if the host is not an IPv4 address.
    init(_ host: String = "127.0.0.1", port: Int) throws(POSIXError) {
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(truncatingIfNeeded: port).bigEndian
        guard inet_pton(AF_INET, host, &address.sin_addr) == 1 else { throw POSIXError(.EINVAL) }
    }

    /// Binds a socket.
    ///
    /// - Returns: The port.
    func bind(_ descriptor: Int32) throws(POSIXError) -> Int {
        var bound = address
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &bound) { bound in
            bound.withMemoryRebound(to: sockaddr.self, capacity: 1) { bound in
                Foundation.bind(descriptor, bound, length) == 0 && getsockname(descriptor, bound, &length) == 0
            }
        }
        guard isBound else { throw .current }
        return Int(UInt16(bigEndian: bound.sin_port))
    }

    /// Begins to connect a socket that does not block.
    func connect(_ descriptor: Int32) throws(POSIXError) {
        let isConnected = withUnsafePointer(to: address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                Foundation.connect(descriptor, address, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
        guard isConnected || errno == EINPROGRESS else { throw .current }
    }
}

extension POSIXError {
    /// The error of the last call of the system.
    static var current: POSIXError { POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
}
