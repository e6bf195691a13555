/// The sources that the server loads.
package struct SourceAllowList: Hashable, Sendable {
    /// The rules, one of which a source must match; `nil` to allow every source.
    private let rules: [SourceRule]?

    /// Allows every source.
    package static let everything = SourceAllowList(rules: nil)

    private init(rules: [SourceRule]?) { self.rules = rules }

    /// Allows the sources that match one of some rules. Without rules, it allows none.
    ///
    /// - Throws: ``ImageURLError/Kind/source`` if a rule is malformed.
    package init(_ rules: [String]) throws(ImageURLError) {
        var parsed: [SourceRule] = []
        for rule in rules { parsed.append(try SourceRule(rule)) }
        self.rules = parsed
    }

    /// Whether a source may be loaded.
    package func allows(_ source: SourceURL) -> Bool {
        rules?.contains { $0.matches(source) } ?? true
    }
}

/// A rule such as `https://*.example.com/images/`, which is compared part by part, never as text.
///
/// Compared as text, `https://example.com` would also allow `https://example.com@other.org` and
/// `https://example.com.org`.
struct SourceRule: Hashable, Sendable {
    private let scheme: String
    private let host: Host
    private let port: Port
    private let path: [WildcardPattern]

    private enum Host: Hashable, Sendable {
        case any
        case name(String)
        /// The host ends with this suffix, which begins with a dot, and has something before it.
        case suffix(String)
    }

    private enum Port: Hashable, Sendable {
        case any
        /// The port of the scheme if there is no number.
        case number(Int?)
    }

    /// Reads a rule: `SCHEME://HOST:PORT/PATH`.
    ///
    /// The host is a name, `*.SUFFIX`, or `*` or empty for every host. Without a port, only the port of the scheme is
    /// allowed; `*` allows every port. The path is a list of parts with which that of a source must begin; `*` in a
    /// part stands for any characters.
    ///
    /// - Throws: ``ImageURLError/Kind/source`` if the rule is malformed.
    init(_ rule: String) throws(ImageURLError) {
        guard let (scheme, rest) = rule.cut(at: "://"), !scheme.isEmpty else {
            throw Self.error(rule, "expected SCHEME://HOST/PATH")
        }
        self.scheme = scheme.lowercased()
        let (authority, path) = rest.cut(at: "/") ?? (rest, "")
        guard !authority.contains("@") else { throw Self.error(rule, "a rule has no user name") }
        let (host, port) = try Self.split(authority, of: rule)
        self.port = try Self.port(port, of: rule, scheme: self.scheme, host: host)
        self.host = try Self.host(host.lowercased(), of: rule)
        self.path = path.parts(separatedBy: "/").filter { !$0.isEmpty }.map { WildcardPattern($0) }
    }

    /// Whether a source matches the rule.
    func matches(_ source: SourceURL) -> Bool {
        guard source.scheme == scheme, matches(host: source.host) else { return false }
        switch port {
        case .any: break
        case .number(let number):
            guard source.effectivePort == number ?? SourceURL.defaultPort(of: scheme) else { return false }
        }
        return path.isEmpty || matches(path: source.path)
    }

    private func matches(host: String) -> Bool {
        switch self.host {
        case .any: true
        case .name(let name): host == name
        case .suffix(let suffix): host.utf8.count > suffix.utf8.count && host.hasSuffix(suffix)
        }
    }

    /// Compares a path part by part. One that the server of the source could read as another path is no match: with
    /// `..`, or an encoded slash.
    private func matches(path: String) -> Bool {
        let parts = path.parts(separatedBy: "/").dropFirst()
        let isAmbiguous = parts.contains { part in
            guard let bytes = percentDecoded(part) else { return true }
            return bytes == Array(".".utf8) || bytes == Array("..".utf8) || bytes.contains { "/\\".utf8.contains($0) }
        }
        return !isAmbiguous && parts.count >= self.path.count && zip(self.path, parts).allSatisfy { $0.matches($1) }
    }

    private static func split(_ authority: String, of rule: String) throws(ImageURLError) -> (String, String?) {
        if authority.utf8.first == UInt8(ascii: "[") {
            guard let (address, rest) = authority.cut(at: "]"), rest.isEmpty || rest.utf8.first == UInt8(ascii: ":")
            else { throw error(rule, "expected an address in brackets") }
            return (address + "]", rest.isEmpty ? nil : String(rest.dropFirst()))
        }
        return authority.cut(at: ":").map { ($0.before, $0.after) } ?? (authority, nil)
    }

    private static func port(
        _ text: String?, of rule: String, scheme: String, host: String
    ) throws(ImageURLError) -> Port {
        // "https://" alone names a scheme, on whatever host and port.
        guard let text else { return host.isEmpty ? .any : .number(nil) }
        if text == "*" { return .any }
        guard let number = Int(text), (1...65_535).contains(number) else { throw error(rule, "the port is no number") }
        return .number(number)
    }

    private static func host(_ text: String, of rule: String) throws(ImageURLError) -> Host {
        if text.isEmpty || text == "*" { return .any }
        if text.hasPrefix("*."), text.utf8.count > 2, !text.dropFirst().contains("*") {
            return .suffix(String(text.dropFirst()))
        }
        guard !text.contains("*") else { throw error(rule, "a wildcard must be the whole first label of the host") }
        return .name(text)
    }

    private static func error(_ rule: String, _ detail: String) -> ImageURLError {
        ImageURLError(.source, "the rule \"\(rule)\" for allowed sources is malformed: \(detail)")
    }
}
