import Foundation
import TintypeCore

/// An address of a server: IPv4 or IPv6 with a port, or the path of a Unix domain socket.
struct SocketAddress: Sendable {
    private var storage = sockaddr_storage()
    private let length: socklen_t

    /// The address family (socket(2)).
    var family: Int32 { Int32(storage.ss_family) }

    /// Creates the address of a Unix domain socket. Returns `nil` if the path is empty, too long or has a null byte.
    init?(path: String) {
        let bytes = Array(path.utf8)
        var address = sockaddr_un()
        guard !bytes.isEmpty, !bytes.contains(0), bytes.count < MemoryLayout.size(ofValue: address.sun_path) else {
            return nil
        }
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        length = socklen_t(MemoryLayout<sockaddr_un>.size)
        withUnsafeMutableBytes(of: &storage) { storage in
            withUnsafeBytes(of: address) { storage.copyMemory(from: $0) }
        }
    }

    private init?(_ address: UnsafePointer<sockaddr>?, _ length: socklen_t) {
        guard let address, Int(length) <= MemoryLayout<sockaddr_storage>.size else { return nil }
        self.length = length
        withUnsafeMutableBytes(of: &storage) {
            $0.copyMemory(from: UnsafeRawBufferPointer(start: address, count: Int(length)))
        }
    }

    /// Begins to connect a socket.
    ///
    /// - Returns: 0, or an error number (errno(3)); `EINPROGRESS` is success as well.
    func connect(_ descriptor: Int32) -> Int32 {
        let status = withUnsafeBytes(of: storage) { bytes in
            bytes.withMemoryRebound(to: sockaddr.self) { Foundation.connect(descriptor, $0.baseAddress, length) }
        }
        return status == 0 ? 0 : errno
    }

    /// Returns the addresses of a name, in the order in which to try them.
    ///
    /// - Parameter isNumeric: Whether to take only addresses, not names. Otherwise the call may block for seconds.
    /// - Throws: `TintypeError.Code.unreachable`, with the reason of the resolver.
    static func addresses(
        of host: String, port: Int, isNumeric: Bool
    ) throws(TintypeError) -> [SocketAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        hints.ai_flags = AI_NUMERICSERV | (isNumeric ? AI_NUMERICHOST : AI_ADDRCONFIG)
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        defer { if let list { freeaddrinfo(list) } }
        guard status == 0 else {
            let reason = gai_strerror(status).map { String(cString: $0) } ?? "error \(status)"
            throw TintypeError(.unreachable, stage: .load, "the name cannot be resolved: \(reason)", subject: host)
        }
        var addresses: [SocketAddress] = []
        var next = list
        while let entry = next?.pointee {
            if let address = SocketAddress(entry.ai_addr, entry.ai_addrlen) { addresses.append(address) }
            next = entry.ai_next
        }
        return addresses
    }
}
