import Foundation
import NIOCore
import NIOPosix
import TintypeCore

/// The addresses that a name stands for now.
enum HostResolver {
    /// Blocks a thread for disks while the system's resolver answers.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/unreachable`` when the name is not known.
    static func addresses(of host: String, for job: JobContext) async throws(TintypeError) -> [IPAddress] {
        if let address = IPAddress(host) { return [address] }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in try lookUp(host) }
    }

    private static func lookUp(_ host: String) throws(TintypeError) -> [IPAddress] {
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(host, nil, &hints, &list) == 0 else {
            throw TintypeError(.unreachable, stage: .load, "the host \(host) is not known")
        }
        defer { freeaddrinfo(list) }
        return sequence(first: list) { $0?.pointee.ai_next }.prefix { $0 != nil }.compactMap { $0.flatMap(address) }
    }

    private static func address(_ info: UnsafeMutablePointer<addrinfo>) -> IPAddress? {
        guard let address = info.pointee.ai_addr else { return nil }
        switch info.pointee.ai_family {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { IPAddress(SocketAddress($0.pointee)) }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) {
                IPAddress(SocketAddress($0.pointee))
            }
        default: return nil
        }
    }
}
