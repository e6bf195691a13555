package import Foundation
import TintypeCore

/// Addresses in URLs, in the notations that the system accepts.
enum AddressLiteral {
    /// Returns the address that a host denotes, in any notation that the system accepts, such as `10.0.0.5`,
    /// `167772165`, `0xa.5` or `::1`; `nil` for a name. Never blocks.
    ///
    /// - Parameter host: A name or an address, without brackets.
    static func address(_ host: String) -> IPAddress? {
        // The interface of a link-local address may not exist here (RFC 4007, 11).
        let host = host.prefix { $0 != "%" }
        let isIPv6 = host.utf8.contains(UInt8(ascii: ":"))
        guard isIPv6 || host.utf8.first.map({ (0x30...0x39).contains($0) }) ?? false else { return nil }
        var hints = addrinfo()
        hints.ai_flags = AI_NUMERICHOST
        var list: UnsafeMutablePointer<addrinfo>?
        guard getaddrinfo(String(host), nil, &hints, &list) == 0, let first = list else { return nil }
        defer { freeaddrinfo(list) }
        return address(first.pointee)
    }

    private static func address(_ info: addrinfo) -> IPAddress? {
        guard let address = info.ai_addr else { return nil }
        switch info.ai_family {
        case AF_INET:
            return address.withMemoryRebound(to: sockaddr_in.self, capacity: 1) { IPAddress($0.pointee.sin_addr) }
        case AF_INET6:
            return address.withMemoryRebound(to: sockaddr_in6.self, capacity: 1) { IPAddress($0.pointee.sin6_addr) }
        default: return nil
        }
    }
}

/// The host of a URL.
package enum HostName {
    /// Whether a host is a name or an address.
    ///
    /// A URL may contain any percent-encoded character, which the client decodes. A line break would end the line of a
    /// `CONNECT` request or a `Host` field, and a zero byte would end the name that the system resolves.
    ///
    /// - Parameter host: A host without percent encoding and brackets.
    package static func isValid(_ host: String) -> Bool {
        guard !host.isEmpty else { return false }
        let bytes = host.utf8.span
        if bytes.allSatisfy(mayBePartOfName) { return true }
        // Only an IPv6 address has colons. The name of an interface may follow it (RFC 4007, 11).
        let address = host.utf8.prefix { $0 != UInt8(ascii: "%") }
        return address.contains(UInt8(ascii: ":")) && IPAddress(String(Substring(address))) != nil
            && bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }

    /// Whether a byte may be part of a name. A decision for each byte, because every request has a host and looking
    /// bytes up in a set takes as long as the rest of its validation.
    private static func mayBePartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0...0x20, 0x7F: false
        // The other forbidden characters of hosts (WHATWG URL, 3.1), and those that URLs encode.
        case UInt8(ascii: "\""), UInt8(ascii: "#"), UInt8(ascii: "%"), UInt8(ascii: "/"), UInt8(ascii: ":"),
            UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "?"), UInt8(ascii: "@"), UInt8(ascii: "["),
            UInt8(ascii: "\\"), UInt8(ascii: "]"), UInt8(ascii: "^"), UInt8(ascii: "`"), UInt8(ascii: "{"),
            UInt8(ascii: "|"), UInt8(ascii: "}"):
            false
        default: true
        }
    }
}

extension URL {
    /// The host in lowercase, without percent encoding and the brackets of an IPv6 address; empty if there is none.
    package var plainHost: String { Self.withoutBrackets(host(percentEncoded: false)?.lowercased() ?? "") }

    /// Returns a host without the brackets of an IPv6 address.
    static func withoutBrackets(_ host: String) -> String {
        host.utf8.first == UInt8(ascii: "[") && host.utf8.last == UInt8(ascii: "]")
            ? String(host.dropFirst().dropLast()) : host
    }
}

/// The hosts that a ``ServerGuard`` allows or denies, in a form in which different spellings of one host are equal.
struct HostList: Hashable, Sendable {
    /// The entries as the program wrote them.
    let entries: Set<String>
    private let names: Set<String>
    /// The ends of names that entries such as `*.example.org` contain: `.example.org`.
    private let suffixes: [String]
    private let addresses: Set<IPAddress>

    init(_ entries: Set<String>) {
        self.entries = entries
        let (patterns, hosts) = (entries.filter { $0.hasPrefix("*.") }, entries.filter { !$0.hasPrefix("*.") })
        names = Set(hosts.map { Self.canonical(URL.withoutBrackets($0)) })
        suffixes = patterns.map { "." + Self.canonical(String($0.dropFirst(2))) }
        addresses = Set(hosts.compactMap { AddressLiteral.address(URL.withoutBrackets($0))?.canonical })
    }

    static func == (left: HostList, right: HostList) -> Bool { left.entries == right.entries }

    func hash(into hasher: inout Hasher) {
        hasher.combine(entries)
    }

    /// Returns whether the list has a host, or a pattern that matches it.
    ///
    /// - Parameter host: A host without brackets, in any spelling.
    func contains(_ host: String) -> Bool {
        guard !entries.isEmpty else { return false }
        let name = Self.canonical(host)
        return names.contains(name) || suffixes.contains { name.hasSuffix($0) }
    }

    /// Returns whether the list has an address, or the IPv4 address that an IPv6 address leads to.
    func contains(_ address: IPAddress) -> Bool {
        guard !addresses.isEmpty else { return false }
        return addresses.contains(address.canonical) || address.isatapTarget.map(addresses.contains) ?? false
    }

    /// Returns the form in which equal hosts are equal: an address in its usual notation, and a name in lowercase and
    /// in ASCII (RFC 5891), without the dot at its end.
    ///
    /// - Parameter host: A host without brackets.
    private static func canonical(_ host: String) -> String {
        if let address = AddressLiteral.address(host) { return address.description }
        let lowercase = host.lowercased()
        let name = lowercase.hasSuffix(".") ? String(lowercase.dropLast()) : lowercase
        guard !name.utf8.allSatisfy({ $0 < 0x80 }) else { return name }
        return URL(string: "http://\(name)/")?.plainHost ?? name
    }
}
