package import NIOCore
package import NIOPosix
import TintypeCore

extension ServerBootstrap {
    private static let usedPorts = Locked(Set<Int>())

    /// Listens on a free port of 127.0.0.1 that no server of this process has had before.
    ///
    /// The system gives a port away again as soon as its server has stopped. A client of another test, which still tries to
    /// reach that server, would send its request to the new one.
    ///
    /// - Throws: An error if no port is available.
    package func bindToNewPort() async throws -> any Channel {
        while true {
            let listener = try await bind(host: "127.0.0.1", port: 0).get()
            guard let port = listener.localAddress?.port else { throw ChannelError.unknownLocalAddress }
            if Self.usedPorts.withLock({ $0.insert(port).inserted }) { return listener }
            try await listener.close()
        }
    }
}
