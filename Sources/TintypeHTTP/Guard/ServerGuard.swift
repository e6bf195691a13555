package import Foundation
package import TintypeCore

/// Restricts which servers are contacted, for programs that load URLs from untrusted sources: without a guard, such a
/// URL can reach the program's own network (server-side request forgery).
///
/// A pipeline whose downloader has a guard loads only URLs with the allowed schemes, and thus no local files. The guard
/// checks every URL before a cache or a server is asked for it, redirects included, and every address before a socket
/// is opened for it. The name is not resolved again, since it may resolve differently the next time. Behind a proxy,
/// the proxy resolves the name, and the address of the server is not checked: with a guard, a proxy that the
/// environment names is refused, and one in the configuration must check addresses itself.
///
/// All refusals are the same `TintypeError.Code.forbidden` error. Its underlying `Refusal` names the
/// reason, which may reveal details of the program's network: do not send it to the author of the URL.
public struct ServerGuard: Hashable, Sendable {
    /// The allowed URL schemes, in lowercase.
    package var schemes: Set<String>
    /// The allowed hosts: `example.org` is that host, `*.example.org` all hosts below it, `10.0.0.5` or `::1` an
    /// address. `nil` allows all.
    package var allowedHosts: Set<String>? {
        get { allowed?.entries }
        set { allowed = newValue.map(HostList.init) }
    }
    /// The denied hosts, in the form of ``allowedHosts``. They take precedence. A denied address is denied in every
    /// notation, and for every name that resolves to it.
    package var deniedHosts: Set<String> {
        get { denied.entries }
        set { denied = HostList(newValue) }
    }
    /// The allowed ports; `nil` allows all.
    package var ports: Set<Int>?
    /// The allowed kinds of addresses.
    package var addresses: Set<AddressKind>

    private var allowed: HostList?
    private var denied: HostList

    /// Creates a guard. By default it allows public addresses over HTTP and HTTPS on ports 80 and 443.
    public init(
        schemes: Set<String> = ["http", "https"], allowedHosts: Set<String>? = nil, deniedHosts: Set<String> = [],
        ports: Set<Int>? = [80, 443], addresses: Set<AddressKind> = [.global]
    ) {
        self.schemes = schemes
        allowed = allowedHosts.map(HostList.init)
        denied = HostList(deniedHosts)
        self.ports = ports
        self.addresses = addresses
    }

    /// Allows public addresses over HTTP and HTTPS on ports 80 and 443.
    public static let standard = ServerGuard()

    /// Whether the scheme of a source is allowed. Sources that are not URLs are always allowed.
    package func allows(_ source: ImageSource) -> Bool {
        source.url.map { schemes.contains($0.scheme?.lowercased() ?? "") } ?? true
    }

    /// Checks a source before a cache or a loader is asked for it. Only the scheme of a URL that is not HTTP is
    /// checked.
    ///
    /// - Throws: `TintypeError.Code.forbidden` without a subject.
    func check(_ source: ImageSource) throws(TintypeError) {
        if let refusal = source.url.flatMap(refusal) { throw refusal.error(for: nil) }
    }

    /// Checks the scheme, host and port of a URL, and the address if the host is one. Only the scheme of a URL that is
    /// not HTTP is checked. Resolves no names.
    ///
    /// - Throws: `TintypeError.Code.forbidden` when one of them is not allowed.
    package func check(_ url: URL) throws(TintypeError) {
        if let refusal = refusal(of: url) { throw refusal.error(for: url) }
    }

    /// Returns the reason to refuse a URL; `nil` when it is allowed.
    private func refusal(of url: URL) -> Refusal? {
        let scheme = url.scheme?.lowercased() ?? ""
        guard schemes.contains(scheme) else { return Refusal("the scheme \(scheme)") }
        guard url.isHTTP else { return nil }
        let host = url.plainHost
        guard ports?.contains(url.effectivePort) ?? true else { return Refusal("the port \(url.effectivePort)") }
        guard !denied.contains(host), allowed?.contains(host) ?? true else { return Refusal("the host \(host)") }
        return AddressLiteral.address(host).flatMap(refusal)
    }

    /// Returns the reason to refuse an address; `nil` when it is allowed.
    private func refusal(of address: IPAddress) -> Refusal? {
        guard addresses.contains(address.kind) else {
            return Refusal("the address \(address) (\(address.kind.name))")
        }
        return denied.contains(address) ? Refusal("the address \(address)") : nil
    }

    /// Checks an address that a host resolved to, or that a connection has.
    ///
    /// - Parameter url: The URL that the error names.
    /// - Throws: `TintypeError.Code.forbidden` when the address or its kind is not allowed.
    func check(_ address: IPAddress, for url: URL? = nil) throws(TintypeError) {
        if let refusal = refusal(of: address) { throw refusal.error(for: url) }
    }

    /// Returns the check of the addresses to which a request for a URL connects.
    ///
    /// - Throws: `TintypeError.Code.refusedRequest` when the transport cannot check addresses.
    package func addressCheck(
        for url: URL, by transport: any HTTPTransport
    ) throws(TintypeError) -> TransportRequest.AddressCheck {
        guard transport.checksAddresses else {
            throw TintypeError(
                .refusedRequest, stage: .load, "a server guard needs a transport that checks addresses")
        }
        return { address throws(TintypeError) in
            guard let address = IPAddress(address) else {
                throw TintypeError(.forbidden, stage: .load, "an address of another kind")
            }
            try check(address, for: url)
        }
    }

    /// Checks that no proxy resolves names by chance.
    ///
    /// - Parameter proxy: The proxy of a request that the setting leads to; `nil` for none.
    /// - Throws: `TintypeError.Code.refusedRequest` when the environment names a proxy.
    static func check(_ proxy: ProxyServer?, from setting: ProxySetting) throws(TintypeError) {
        guard proxy != nil, setting == .environment else { return }
        throw TintypeError(
            .refusedRequest, stage: .load,
            "a server guard cannot check addresses behind the proxy that the environment names")
    }

    /// The reason for which a guard refused a URL: the underlying error of every refusal.
    package struct Refusal: Error, Hashable, CustomStringConvertible {
        /// The part that is not allowed, such as `the port 22` or `the address 10.0.0.1 (private network)`.
        package let description: String

        init(_ description: String) {
            self.description = description
        }

        /// The error that is thrown. Its message is the same for every reason.
        func error(for url: URL?) -> TintypeError {
            TintypeError(
                .forbidden, stage: .load, "the server guard does not allow this URL",
                subject: url?.withoutCredential.absoluteString, underlying: self)
        }
    }
}
