import Foundation
import TintypeCore

/// The way out of this machine.
public enum ProxySetting: Hashable, Sendable {
    /// What the environment says: `http_proxy`, `https_proxy` or `HTTPS_PROXY`, `all_proxy`, `no_proxy`.
    case environment
    /// None.
    case direct
    /// One for everything.
    case server(ProxyServer)

    /// The proxy for a URL.
    ///
    /// - Parameter variables: the environment.
    func proxy(for url: URL, environment variables: [String: String]) -> ProxyServer? {
        switch self {
        case .direct: nil
        case .server(let server): server
        case .environment: Self.proxy(for: url, environment: variables)
        }
    }

    /// As curl reads them. `HTTP_PROXY` in capitals is not read, since a CGI program gets it from whoever asks it.
    private static func proxy(for url: URL, environment variables: [String: String]) -> ProxyServer? {
        guard !variables.isEmpty else { return nil }
        let isSecure = url.isEncrypted
        let names = (isSecure ? ["https_proxy", "HTTPS_PROXY"] : ["http_proxy"]) + ["all_proxy", "ALL_PROXY"]
        guard let text = names.lazy.compactMap({ variables[$0] }).first(where: { !$0.isEmpty }),
            !isExempt(url, variables["no_proxy"] ?? variables["NO_PROXY"] ?? "")
        else { return nil }
        return ProxyServer(text)
    }

    /// Those of an environment that ``proxy(for:environment:)`` reads.
    static func variables(in environment: [String: String]) -> [String: String] {
        environment.filter { $0.key.lowercased().hasSuffix("_proxy") }
    }

    /// Names stand for themselves and what is below them; `*` for everything.
    private static func isExempt(_ url: URL, _ list: String) -> Bool {
        guard let host = url.host()?.lowercased() else { return false }
        return HTTPList.elements(list).contains { entry in
            let name = entry.lowercased().trimmingPrefix(".")
            return entry == "*" || host == name || host.hasSuffix(".\(name)")
        }
    }
}

/// A proxy that is asked by `CONNECT` (RFC 9110, 9.3.6), for `http` and for `https`.
public struct ProxyServer: Hashable, Sendable {
    public var host: String
    public var port: Int
    public var credential: HTTPCredential?

    public init(host: String, port: Int, credential: HTTPCredential? = nil) {
        self.host = host
        self.port = port
        self.credential = credential
    }

    /// Reads `http://user:password@host:port`; the scheme, the credential and the port, 1080 then, may be missing.
    /// `nil` for what is not the address of an HTTP proxy.
    public init?(_ text: String) {
        guard let url = URL(string: text.contains("://") ? text : "http://\(text)"),
            url.scheme?.lowercased() == "http", let host = url.host(percentEncoded: false), !host.isEmpty
        else { return nil }
        let port = url.port ?? 1080
        guard (1...65_535).contains(port) else { return nil }
        self.init(host: host, port: port, credential: url.credential)
    }
}

extension URL {
    /// The name and password that stand before the host (RFC 3986, 3.2.1).
    var credential: HTTPCredential? {
        guard let user = user(percentEncoded: false), !user.isEmpty else { return nil }
        return .basic(user: user, password: password(percentEncoded: false) ?? "")
    }
}
