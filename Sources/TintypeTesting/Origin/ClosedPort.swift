package import Foundation

/// A local TCP port that refuses connections. The port stays reserved while this object exists.
package final class ClosedPort: Sendable {
    private let descriptor: Int32
    private let number: UInt16

    /// Reserves a port on 127.0.0.1.
    ///
    /// - Throws: `POSIXError` if no port is available.
    package init() throws {
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

    /// A URL at this port.
    package var url: URL {
        get throws {
            guard let url = URL(string: "http://127.0.0.1:\(number)/a") else { throw POSIXError(.EINVAL) }
            return url
        }
    }
}
