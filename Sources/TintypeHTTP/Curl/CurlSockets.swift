import CTintypeCurl
import Foundation

/// The open sockets of a loop: libcurl opens and closes them through these functions. Belongs to one thread.
///
/// libcurl does not tell which socket a request uses, so it is found by its addresses and ports.
final class CurlSockets {
    private let poller: OpaquePointer

    /// - Parameter poller: Waits for the sockets. It outlives this object.
    init(_ poller: OpaquePointer) {
        self.poller = poller
    }

    /// Both ends of a connection, which no other connection has.
    struct Ends: Hashable {
        let localAddress: String
        let localPort: Int32
        let remoteAddress: String
        let remotePort: Int32
    }

    private var connected: [Ends: CurlSocket] = [:]
    private var ends: [Int32: Ends] = [:]
    /// The sockets that have not been used by a request.
    private var unused: Set<Int32> = []

    /// Opens a socket for an address.
    func open(_ address: UnsafePointer<curl_sockaddr>) -> curl_socket_t {
        let info = address.pointee
        let descriptor = Glibc.socket(info.family, info.socktype | Int32(SOCK_CLOEXEC.rawValue), info.protocol)
        guard descriptor >= 0 else { return descriptor }
        unused.insert(descriptor)
        tintype_poller_note_socket(poller, descriptor, true)
        return descriptor
    }

    func close(_ descriptor: Int32) {
        unused.remove(descriptor)
        if let ends = ends.removeValue(forKey: descriptor) { connected.removeValue(forKey: ends)?.isOpen = false }
        tintype_poller_note_socket(poller, descriptor, false)
        Glibc.close(descriptor)
    }

    /// The socket of a connection; `nil` if it is unknown.
    ///
    /// - Parameter opened: The socket that it probably has, if it has not been used.
    func socket(of ends: Ends, opened: Int32?) -> CurlSocket? {
        if let socket = connected[ends] { return socket }
        let hasEnds: (Int32) -> Bool = {
            tintype_socket_connects($0, ends.localAddress, ends.localPort, ends.remoteAddress, ends.remotePort)
        }
        let own = opened.flatMap { unused.contains($0) && hasEnds($0) ? $0 : nil }
        guard let descriptor = own ?? unused.first(where: hasEnds) else { return nil }
        unused.remove(descriptor)
        self.ends[descriptor] = ends
        let socket = CurlSocket(descriptor)
        connected[ends] = socket
        return socket
    }
}

/// The socket of a connection that has been used. Belongs to the thread of its loop.
final class CurlSocket {
    private let descriptor: Int32
    fileprivate(set) var isOpen = true
    /// The number of exchanges that use the connection at the moment.
    var userCount = 0
    /// Whether several requests may use the connection at once; `nil` before the first response.
    var isMultiplexed: Bool?
    /// The number of times that something arrived.
    private(set) var inputCount = 0

    fileprivate init(_ descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Whether an idle connection can be used again. One on which something has arrived cannot: the server has closed
    /// it, or has answered a request that was not sent. What follows a body may be in the TLS library already: libcurl
    /// reads no more bytes than the body has, but the library decrypts whole records.
    func isReusable(for handle: UnsafeMutableRawPointer) -> Bool {
        // Over HTTP/1, libcurl may begin the next request before it reports the end of the last one.
        (isMultiplexed ?? (userCount > 0)) || !tintype_socket_has_input(descriptor) && !tintype_curl_has_pending(handle)
    }

    /// The round-trip time of the connection; `nil` if it is unknown.
    var roundTrip: Duration? {
        let microseconds = tintype_socket_round_trip(descriptor)
        return microseconds > 0 ? .microseconds(microseconds) : nil
    }

    /// - Returns: The number of times so far.
    func noteInput() -> Int {
        inputCount += 1
        return inputCount
    }

    /// Ends the connection: all exchanges over it fail, and no other one uses it.
    func shutDown() {
        if isOpen { shutdown(descriptor, Int32(SHUT_RDWR)) }
    }
}
