import AsyncHTTPClient
import Foundation
import TintypeCore

/// Where the connection for a request goes.
enum ConnectionRoute: Hashable, Sendable {
    /// To the proxy, or to an address that the client resolves.
    case unrestricted
    /// To an address that a guard has checked.
    case pinned(HostPin)

    var pin: HostPin? {
        if case .pinned(let pin) = self { pin } else { nil }
    }
}

/// A host, and the only address at which it is contacted.
struct HostPin: Hashable, Sendable {
    /// The host in the form in which the client looks it up.
    let host: String
    let address: IPAddress
}

extension ServerGuard {
    /// The maximum number of addresses of one host that are tried. A name server may return hundreds.
    private static let maximumRouteCount = 4

    /// Checks a URL and all addresses of its host, and returns the routes to them, the best one first.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` when the URL or any of the addresses is not allowed, and the
    ///   errors of ``HostResolver``.
    func routes(
        to url: URL, within limit: Duration, _ clock: TransferClock, for job: JobContext
    ) async throws -> [ConnectionRoute] {
        try check(url)
        let host = url.clientHost
        let addresses = try await HostResolver.addresses(of: host, within: limit, clock, for: job)
        for address in addresses { try check(address, for: url) }
        // The client connects to an address in a URL without resolving it.
        if IPAddress(host) != nil { return [.unrestricted] }
        return addresses.prefix(Self.maximumRouteCount).map { .pinned(HostPin(host: host, address: $0)) }
    }
}

extension TintypeError {
    /// Whether no connection was established, so that nothing was sent, and another address may be reachable.
    var isConnectFailure: Bool {
        code == .unreachable || code == .timedOut && (underlying as? HTTPClientError) == .connectTimeout
    }
}
