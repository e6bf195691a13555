package import Foundation

/// A stored cookie (RFC 6265, 5.3, with the rules that browsers have added since: draft-ietf-httpbis-rfc6265bis,
/// "6265bis" below).
public struct Cookie: Hashable, Codable, Sendable {
    /// The name; not empty.
    public var name: String
    /// The value; may be empty.
    public var value: String
    /// The domain in lowercase, without a leading dot. An IPv6 address has no brackets.
    public var domain: String
    /// The path that the URL of a request must be at or below.
    package var path: String
    /// Whether the cookie is sent only to the host that set it, not to hosts below ``domain``.
    package var isHostOnly: Bool
    /// Whether the cookie is sent only over TLS.
    package var isSecure: Bool
    /// The time at which the cookie expires; `nil` for a session cookie, which lasts until the process ends.
    package var expires: Date?

    /// Whether the cookie is sent with a request for `url` (RFC 6265, 5.4).
    func matches(_ url: URL, at now: Date) -> Bool {
        let host = url.plainHost
        guard !host.isEmpty, expires.map({ $0 > now }) ?? true else { return false }
        return (isHostOnly ? host == domain : Self.domain(domain, covers: host))
            && Self.path(path, covers: url.path(percentEncoded: true))
            && (!isSecure || url.isEncrypted)
    }

    /// Whether a host matches a cookie's domain (RFC 6265, 5.1.3).
    static func domain(_ domain: String, covers host: String) -> Bool {
        host == domain || host.hasSuffix(".\(domain)") && IPAddress(host) == nil
    }

    /// Whether a path is at or below a cookie's path (RFC 6265, 5.1.4).
    static func path(_ path: String, covers other: String) -> Bool {
        let other = other.isEmpty ? "/" : other
        return other == path
            || other.hasPrefix(path) && (path.hasSuffix("/") || other.dropFirst(path.count).hasPrefix("/"))
    }
}

extension Cookie {
    /// The maximum size of a field in bytes. RFC 6265, 6.1 requires clients to support at least this size.
    private static let maximumByteCount = 4096

    /// Parses a `Set-Cookie` field (RFC 6265, 5.2 and 5.3); `nil` when it is invalid, longer than 4096 bytes, or when
    /// the host of `url` may not set the cookie.
    init?(_ field: String, from url: URL, at now: Date) {
        guard field.utf8.count <= Self.maximumByteCount else { return nil }
        let parts = field.split(separator: ";", omittingEmptySubsequences: false)
        let host = url.plainHost
        guard !host.isEmpty, let pair = parts.first, let equals = pair.firstIndex(of: "=") else { return nil }
        name = HTTPList.trimmed(pair[..<equals])
        value = HTTPList.trimmed(pair[pair.index(after: equals)...])
        guard !name.isEmpty, Self.isPlain(name), Self.isPlain(value) else { return nil }
        let attributes = Self.attributes(parts.dropFirst())
        isSecure = attributes["secure"] != nil
        path = Self.path(attributes["path"], for: url)
        expires = Self.expiry(attributes, at: now)
        let named = URL.withoutBrackets(String((attributes["domain"] ?? "").lowercased().trimmingPrefix(".")))
        // A domain that cannot have hosts below it may still set cookies for itself (5.3, step 5).
        isHostOnly = named.isEmpty || named == host && !Self.isFamily(named)
        domain = named.isEmpty ? host : named
        guard isHostOnly || Self.isFamily(domain) && Self.domain(domain, covers: host) else { return nil }
        guard !isSecure || url.isEncrypted, keepsPromise(ofPath: attributes["path"]) else { return nil }
    }

    /// Whether the cookie has the attributes that the prefix of its name promises to the server (6265bis, 4.1.3).
    private func keepsPromise(ofPath path: String?) -> Bool {
        let name = name.lowercased()
        if name.hasPrefix("__host-") { return isSecure && isHostOnly && path == "/" }
        return isSecure || !name.hasPrefix("__secure-")
    }

    /// Whether a cookie may be set for all hosts below a domain: not for an address or a public suffix.
    private static func isFamily(_ domain: String) -> Bool {
        domain.dropFirst().dropLast().contains(".") && IPAddress(domain) == nil && !PublicSuffixes.contain(domain)
    }

    /// Returns the attributes by lowercase name. The last one of several with the same name counts. Attributes with a
    /// value of more than 1024 bytes are ignored (6265bis, 5.6).
    private static func attributes(_ parts: ArraySlice<Substring>) -> [String: String] {
        var attributes: [String: String] = [:]
        for part in parts {
            let pair = part.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let value = pair.count > 1 ? HTTPList.trimmed(pair[1]) : ""
            if value.utf8.count <= 1024 { attributes[HTTPList.trimmed(pair[0]).lowercased()] = value }
        }
        return attributes
    }

    /// Returns the path of a cookie: the attribute, or the directory of the request's path (RFC 6265, 5.1.4).
    private static func path(_ attribute: String?, for url: URL) -> String {
        if let attribute, attribute.hasPrefix("/") { return attribute }
        let path = url.path(percentEncoded: true)
        guard path.hasPrefix("/"), let slash = path.lastIndex(of: "/"), slash > path.startIndex else { return "/" }
        return String(path[..<slash])
    }

    /// The longest life of a cookie: 400 days (6265bis, 5.5).
    private static let maximumLife = 400 * 86_400.0

    /// Returns the time at which a cookie expires. `Max-Age` takes precedence over `Expires` (RFC 6265, 5.3).
    private static func expiry(_ attributes: [String: String], at now: Date) -> Date? {
        let latest = now.addingTimeInterval(maximumLife)
        if let seconds = attributes["max-age"].flatMap(maxAge) {
            return seconds <= 0 ? .distantPast : min(now.addingTimeInterval(seconds), latest)
        }
        return attributes["expires"].flatMap(CookieDate.parse).map { min($0, latest) }
    }

    /// Returns the seconds of a `Max-Age` attribute, however many digits it has; `nil` if it is invalid.
    private static func maxAge(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        guard !digits.isEmpty, digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return Double(text)
    }

    /// Whether the name and the value can be sent.
    var isPlain: Bool { !name.isEmpty && Self.isPlain(name) && Self.isPlain(value) }

    /// Whether a text has no control characters.
    private static func isPlain(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
    }
}

/// Dates in the `Expires` attribute of cookies, parsed token by token, because servers send many forms (RFC 6265,
/// 5.1.1).
enum CookieDate {
    private static let months = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]

    private struct Parts {
        var secondsOfDay: Int?
        var day: Int?
        var month: Int?
        var year: Int?

        /// Stores the value of a token as the first missing part that the token can represent.
        mutating func take(_ token: Substring) {
            if secondsOfDay == nil, let seconds = CookieDate.seconds(token) {
                secondsOfDay = seconds
            } else if day == nil, let number = CookieDate.number(token, digits: 1...2) {
                day = number
            } else if month == nil, let index = months.firstIndex(where: { token.lowercased().hasPrefix($0) }) {
                month = index + 1
            } else if year == nil, let number = CookieDate.number(token, digits: 2...4) {
                year = number < 70 ? number + 2000 : number < 100 ? number + 1900 : number
            }
        }
    }

    /// Parses a date; returns `nil` if it lacks a part, or is before the year 1601.
    static func parse(_ text: String) -> Date? {
        var parts = Parts()
        for token in text.split(whereSeparator: isDelimiter) { parts.take(token) }
        guard let day = parts.day, let month = parts.month, let year = parts.year, let seconds = parts.secondsOfDay,
            year >= 1601
        else { return nil }
        return HTTPDate.date(year: year, month: month, day: day, seconds)
    }

    /// Whether a character separates parts: everything printable except letters, digits and colons, and the tab.
    private static func isDelimiter(_ character: Character) -> Bool {
        guard let byte = character.asciiValue else { return false }
        return byte == 0x09
            || (0x20...0x7E).contains(byte) && byte != 0x3A && !character.isLetter && !character.isNumber
    }

    /// Returns the seconds since midnight of a token such as `8:49:37`.
    private static func seconds(_ token: Substring) -> Int? {
        let fields = token.split(separator: ":", maxSplits: 2, omittingEmptySubsequences: false)
        guard fields.count == 3, fields[0].utf8.count <= 2, fields[1].utf8.count <= 2,
            let hour = number(fields[0], digits: 1...2), let minute = number(fields[1], digits: 1...2),
            let second = number(fields[2], digits: 1...2), hour < 24, minute < 60, second < 60
        else { return nil }
        return (hour * 60 + minute) * 60 + second
    }

    /// Returns the number at the start of a token. A digit must not follow it.
    private static func number(_ token: Substring, digits: ClosedRange<Int>) -> Int? {
        let text = token.utf8.prefix { (0x30...0x39).contains($0) }
        return digits.contains(text.count) ? Int(Substring(text)) : nil
    }
}
