public import Foundation
public import TintypeCore

/// Restricts which servers are contacted, for programs that load URLs from untrusted sources: without a guard, such a
/// URL can reach the program's own network (server-side request forgery).
///
/// A pipeline whose downloader has a guard loads only URLs with the allowed schemes, and thus no local files. The guard
/// checks every URL before a cache or a server is asked for it, redirects included, and every address that its host resolves to.
/// The connection goes to one of the checked addresses: the name is not resolved again, since it may resolve differently
/// the next time. Behind a proxy, the proxy resolves the name, and the address of the connection is not checked.
///
/// All refusals are the same ``TintypeCore/TintypeError/Code/forbidden`` error. Its underlying ``Refusal`` names the
/// reason, which may tell about the program's network: do not send it to the author of the URL.
public struct ServerGuard: Hashable, Sendable {
    /// The allowed URL schemes, in lowercase.
    public var schemes: Set<String>
    /// The allowed hosts: `example.org` is that host, `*.example.org` all hosts below it. `nil` allows all.
    public var allowedHosts: Set<String>?
    /// The denied hosts, in the form of ``allowedHosts``. They take precedence.
    public var deniedHosts: Set<String>
    /// The allowed ports; `nil` allows all.
    public var ports: Set<Int>?
    /// The allowed kinds of addresses.
    public var addresses: Set<AddressKind>

    /// Creates a guard. By default it allows public addresses over HTTP and HTTPS on ports 80 and 443.
    public init(
        schemes: Set<String> = ["http", "https"], allowedHosts: Set<String>? = nil, deniedHosts: Set<String> = [],
        ports: Set<Int>? = [80, 443], addresses: Set<AddressKind> = [.global]
    ) {
        self.schemes = schemes
        self.allowedHosts = allowedHosts
        self.deniedHosts = deniedHosts
        self.ports = ports
        self.addresses = addresses
    }

    /// Allows public addresses over HTTP and HTTPS on ports 80 and 443.
    public static let standard = ServerGuard()

    /// Whether the scheme of a source is allowed. Sources that are not URLs are always allowed.
    public func allows(_ source: ImageSource) -> Bool {
        source.url.map { schemes.contains($0.scheme?.lowercased() ?? "") } ?? true
    }

    /// Checks a source before a cache or a loader is asked for it. Of a URL that is not HTTP, only the scheme is checked.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` without a subject.
    func check(_ source: ImageSource) throws(TintypeError) {
        if let refusal = source.url.flatMap(refusal) { throw refusal.error(for: nil) }
    }

    /// Checks the scheme, host and port of a URL. Of a URL that is not HTTP, only the scheme is checked.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` when one of them is not allowed.
    public func check(_ url: URL) throws(TintypeError) {
        if let refusal = refusal(of: url) { throw refusal.error(for: url) }
    }

    /// Returns the reason to refuse a URL; `nil` when it is allowed.
    private func refusal(of url: URL) -> Refusal? {
        let scheme = url.scheme?.lowercased() ?? ""
        guard schemes.contains(scheme) else { return Refusal("the scheme \(scheme)") }
        guard url.isHTTP else { return nil }
        guard ports?.contains(url.effectivePort) ?? true else { return Refusal("the port \(url.effectivePort)") }
        let host = url.plainHost
        // A trailing dot does not change the host that a name means.
        let name = host.hasSuffix(".") ? String(host.dropLast()) : host
        guard !Self.contains(name, in: deniedHosts), allowedHosts.map({ Self.contains(name, in: $0) }) ?? true else {
            return Refusal("the host \(host)")
        }
        return IPAddress(host).flatMap(refusal)
    }

    /// Returns the reason to refuse an address; `nil` when it is allowed.
    private func refusal(of address: IPAddress) -> Refusal? {
        addresses.contains(address.kind) ? nil : Refusal("the address \(address) (\(address.kind.name))")
    }

    /// Checks the kind of an address.
    ///
    /// - Parameter url: The URL that the error names.
    /// - Throws: ``TintypeCore/TintypeError/Code/forbidden`` when the kind is not allowed.
    func check(_ address: IPAddress, for url: URL? = nil) throws(TintypeError) {
        if let refusal = refusal(of: address) { throw refusal.error(for: url) }
    }

    private static func contains(_ host: String, in list: Set<String>) -> Bool {
        list.contains { entry in
            let entry = entry.lowercased()
            return entry.hasPrefix("*.") ? host.hasSuffix(entry.dropFirst()) : host == entry
        }
    }

    /// The reason for which a guard refused a URL: the underlying error of every refusal.
    public struct Refusal: Error, Hashable, CustomStringConvertible {
        /// The part that is not allowed, such as `the port 22` or `the address 10.0.0.1 (private network)`.
        public let description: String

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
