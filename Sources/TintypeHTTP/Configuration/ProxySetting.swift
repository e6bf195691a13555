import Foundation
import TintypeCore

/// The proxy that requests use.
public enum ProxySetting: Hashable, Sendable {
    /// The proxy that environment variables name: `http_proxy`, `https_proxy` or `HTTPS_PROXY`, `all_proxy`,
    /// `no_proxy`. Transfers fail if a variable names a proxy of another kind than ``ProxyServer/Kind``.
    case environment
    /// No proxy.
    case direct
    /// One proxy for all URLs.
    case server(ProxyServer)

    /// Returns the proxy for a URL; `nil` for none.
    ///
    /// - Parameter variables: The environment variables.
    /// - Throws: `TintypeError.Code.unreachable` when the environment names a proxy of another kind.
    func proxy(for url: URL, environment variables: [String: String]) throws(TintypeError) -> ProxyServer? {
        switch self {
        case .direct: nil
        case .server(let server): server
        case .environment: try Self.proxy(for: url, environment: variables)
        }
    }

    /// Reads the variables as curl does. `HTTP_PROXY` in capitals is ignored: a client can set it in a CGI program,
    /// through the header field `Proxy`.
    ///
    /// A proxy that cannot be used is an error. A direct connection would reveal the client's address and its requests.
    private static func proxy(
        for url: URL, environment variables: [String: String]
    ) throws(TintypeError) -> ProxyServer? {
        guard !variables.isEmpty else { return nil }
        let isSecure = url.isEncrypted
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        guard let name = names.first(where: { variables[$0]?.isEmpty == false }), let text = variables[name],
            !isExempt(url, variables["no_proxy"] ?? variables["NO_PROXY"] ?? "")
        else { return nil }
        if let server = ProxyServer(text) { return server }
        // The value may contain a password.
        throw TintypeError(
            .unreachable, stage: .load,
            "unsupported proxy: \(name) in the environment must name an HTTP or SOCKS5 proxy"
        )
    }

    /// The variables of the environment of the process that ``proxy(for:environment:)`` reads: usually none.
    static let variables = variables(in: ProcessInfo.processInfo.environment)

    /// Returns the variables of an environment that ``proxy(for:environment:)`` reads.
    static func variables(in environment: [String: String]) -> [String: String] {
        environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
    }

    /// Whether `no_proxy` exempts a URL. A name stands for that host and the hosts below it, `*` for all hosts.
    private static func isExempt(_ url: URL, _ list: String) -> Bool {
        guard let host = url.host()?.lowercased() else { return false }
        return HTTPList.elements(list).contains { entry in
            let name = entry.lowercased().trimmingPrefix(".")
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}

/// A proxy for both `http` and `https`. It resolves the names of servers.
public struct ProxyServer: Hashable, Sendable {
    /// The protocol of a proxy.
    public enum Kind: Hashable, Sendable {
        /// HTTP: for `https:` with `CONNECT` (RFC 9110, 9.3.6), for `http:` with absolute URLs (RFC 9112, 3.2.2).
        case http
        /// SOCKS 5 (RFC 1928), without authentication or with a user name and a password (RFC 1929).
        case socks5
    }

    /// The protocol of the proxy.
    public var kind: Kind
    /// The host name or address.
    public var host: String
    /// The port, from 1 to 65535.
    public var port: Int
    /// The credential for the proxy; `nil` for none. A SOCKS proxy takes only a user name and a password.
    public var credential: HTTPCredential?

    /// Creates a proxy with a protocol, a host, a port and a credential.
    public init(_ kind: Kind = .http, host: String, port: Int, credential: HTTPCredential? = nil) {
        self.kind = kind
        self.host = host
        self.port = port
        self.credential = credential
    }

    /// Parses `http://user:password@host:port`, or the same with `socks5:` or `socks5h:`. The scheme, the credential
    /// and the port may be missing. The default port is 1080.
    ///
    /// Returns `nil` when the text is not the address of such a proxy.
    public init?(_ text: String) {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"),
            let kind = Kind(scheme: url.scheme?.lowercased()),
            let host = url.host(percentEncoded: false), !host.isEmpty
        else { return nil }
        let port = url.port ?? 1080
        guard (1...65_535).contains(port) else { return nil }
        self.init(kind, host: host, port: port, credential: url.credential)
    }
}

extension ProxyServer.Kind {
    fileprivate init?(scheme: String?) {
        switch scheme {
        case "http": self = .http
        case "socks5", "socks5h": self = .socks5
        default: return nil
        }
    }
}

extension URL {
    /// The user name and password in the URL (RFC 3986, 3.2.1); `nil` for none.
    var credential: HTTPCredential? {
        guard let user = user(percentEncoded: false), !user.isEmpty else { return nil }
        return .basic(user: user, password: password(percentEncoded: false) ?? "")
    }
}
