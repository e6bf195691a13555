import NIOCore
import NIOSSL
import TintypeCore

/// The version of HTTP that a server chooses for a TLS connection (RFC 7301).
enum NegotiatedVersion: Sendable {
    case http1, http2
}

/// The versions that one client accepts for its TLS connections.
///
/// A client ends the process if a server negotiates different versions for connections that are open at the same time,
/// and closes some of them. So all connections of a client have one version. A server that chooses another one gets a
/// client for that version (``HostVersions``).
enum HTTPVersions: Hashable, Sendable {
    /// Offers only HTTP/1.1.
    case http1
    /// Offers both, and accepts what the first server chooses.
    case asFirst
    /// Offers both, and accepts HTTP/2.
    case http2

    /// The versions of a client for servers that chose `version`.
    init(_ version: NegotiatedVersion) {
        self = version == .http1 ? .http1 : .http2
    }
}

/// The version of the connections of one client. Callable from any thread.
final class VersionCheck: Sendable {
    private let version: Locked<NegotiatedVersion?>

    init(_ versions: HTTPVersions) {
        version = Locked(versions == .http2 ? .http2 : nil)
    }

    /// Checks the version of a new connection. One without TLS always has HTTP/1.1, and is not checked.
    ///
    /// - Throws: ``OtherVersion``.
    func check(_ negotiated: NegotiatedVersion, _ channel: any Channel) throws(OtherVersion) {
        guard (try? channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self)) != nil else {
            return
        }
        let expected = version.withLock { version in
            if version == nil { version = negotiated }
            return version
        }
        guard expected == negotiated else { throw OtherVersion(negotiated: negotiated) }
    }
}

/// A server chose another version of HTTP than the other connections of the client have. No request was sent.
struct OtherVersion: Error, CustomStringConvertible {
    let negotiated: NegotiatedVersion

    var description: String { "the server chose another version of HTTP than before" }
}

/// The versions of servers that chose another one than the first server of their client.
struct HostVersions: Sendable {
    /// The maximum number of servers. If there are more, all are forgotten, which costs each another connection.
    private static let maximumCount = 1000

    private var versions: [String: NegotiatedVersion] = [:]

    var isEmpty: Bool { versions.isEmpty }

    /// The version of a server; `nil` if it has not chosen another one.
    ///
    /// - Parameter server: Host and port.
    subscript(_ server: String) -> NegotiatedVersion? { versions[server] }

    /// Records the version that a server chose. One that chose HTTP/1.1 once is offered nothing else from then on, so that
    /// a server that changes its mind is not asked forever.
    mutating func record(_ version: NegotiatedVersion, of server: String) {
        guard versions[server] != .http1 else { return }
        if versions.count >= Self.maximumCount { versions = [:] }
        versions[server] = version
    }
}
