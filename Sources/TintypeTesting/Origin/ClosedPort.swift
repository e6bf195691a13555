public import Foundation

/// A port of this machine at which no one listens, and which no one else gets as long as this is there.
public final class ClosedPort: Sendable {
    private let descriptor: Int32
    private let number: UInt16

    /// - Throws: `POSIXError` when there is no socket to be had.
    public init() throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        var length = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isBound = withUnsafeMutablePointer(to: &address) { [descriptor] address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                bind(descriptor, address, length) == 0 && getsockname(descriptor, address, &length) == 0
            }
        }
        number = UInt16(bigEndian: address.sin_port)
        guard isBound else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    }

    deinit {
        close(descriptor)
    }

    public var url: URL {
        get throws {
            guard let url = URL(string: "http://127.0.0.1:\(number)/a") else { throw POSIXError(.EINVAL) }
            return url
        }
    }
}
