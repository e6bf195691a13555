import Foundation

/// An IP address of version 4 or 6.
struct IPAddress: Hashable, Sendable {
    /// 4 or 16 bytes in network order.
    let bytes: [UInt8]

    init(_ address: in_addr) {
        bytes = withUnsafeBytes(of: address) { Array($0) }
    }

    init(_ address: in6_addr) {
        bytes = withUnsafeBytes(of: address) { Array($0) }
    }

    /// Parses an address such as `10.0.0.5` or `fe80::1` (inet_pton(3)); returns `nil` for any other text.
    init?(_ text: String) {
        var (short, long) = (in_addr(), in6_addr())
        if inet_pton(AF_INET, text, &short) == 1 {
            self.init(short)
        } else if inet_pton(AF_INET6, text, &long) == 1 {
            self.init(long)
        } else {
            return nil
        }
    }

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The purpose of the address. An IPv6 address that embeds an IPv4 address has the kind of that address.
    var kind: AddressKind {
        if let embedded { return embedded.kind }
        let ranges = bytes.count == 4 ? Self.ranges4 : Self.ranges6
        let kind =
            ranges.first { $0.contains(bytes) }?.kind
            ?? (bytes.count == 4 || bytes[0] >> 5 == 1 ? .global : .reserved)
        // An ISATAP router may forward to the IPv4 address in the interface identifier.
        return kind == .global ? isatapTarget?.kind ?? kind : kind
    }

    /// The IPv4 address that an IPv6 address stands for, or else the address itself.
    var canonical: IPAddress { embedded ?? self }

    /// The IPv4 address that an IPv6 address stands for: mapped (RFC 4291, 2.5.5), translated (RFC 6052) or 6to4 (RFC
    /// 3056). Translation with a prefix of the network's own cannot be recognised.
    private var embedded: IPAddress? {
        guard bytes.count == 16 else { return nil }
        if Self.prefixesBeforeIPv4.contains(where: { $0.contains(bytes) }) {
            return IPAddress(bytes: Array(bytes[12...]))
        }
        return bytes[0] == 0x20 && bytes[1] == 0x02 ? IPAddress(bytes: Array(bytes[2..<6])) : nil
    }

    /// The 96-bit prefixes of addresses whose last 32 bits are an IPv4 address.
    private static let prefixesBeforeIPv4 = AddressRange.list([
        ("::ffff:0:0", 96, .reserved), ("64:ff9b::", 96, .reserved),
    ])

    /// The IPv4 address in an ISATAP interface identifier (RFC 5214, 6.1).
    var isatapTarget: IPAddress? {
        guard bytes.count == 16, bytes[8] & 0xFC == 0, Array(bytes[9..<12]) == [0, 0x5E, 0xFE] else { return nil }
        return IPAddress(bytes: Array(bytes[12...]))
    }

    // The ranges of the IANA registries of special-purpose addresses (RFC 6890 and its successors), and the addresses
    // at which clouds give machines their credentials. The first range that contains an address counts.

    private static let ranges4 = AddressRange.list([
        // EC2 and most others; containers and pods of EC2; Scaleway; Tencent.
        ("169.254.169.254", 32, .metadata), ("169.254.170.2", 32, .metadata), ("169.254.170.23", 32, .metadata),
        ("169.254.42.42", 32, .metadata), ("169.254.0.23", 32, .metadata),
        // Alibaba, Volcano Engine, Azure, Oracle.
        ("100.100.100.200", 32, .metadata), ("100.96.0.96", 32, .metadata), ("168.63.129.16", 32, .metadata),
        ("192.0.0.192", 32, .metadata),
        ("127.0.0.0", 8, .loopback), ("169.254.0.0", 16, .linkLocal), ("10.0.0.0", 8, .privateNetwork),
        ("172.16.0.0", 12, .privateNetwork), ("192.168.0.0", 16, .privateNetwork),
        ("100.64.0.0", 10, .privateNetwork), ("224.0.0.0", 4, .multicast), ("0.0.0.0", 8, .reserved),
        ("192.0.0.0", 24, .reserved), ("192.0.2.0", 24, .reserved), ("192.88.99.0", 24, .reserved),
        ("198.18.0.0", 15, .reserved), ("198.51.100.0", 24, .reserved), ("203.0.113.0", 24, .reserved),
        ("240.0.0.0", 4, .reserved),
    ])

    /// Addresses outside of these ranges and of 2000::/3 are reserved.
    private static let ranges6 = AddressRange.list([
        // EC2, Google, Oracle, Scaleway, Akamai, OpenStack.
        ("fd00:ec2::", 32, .metadata), ("fd20:ce::254", 128, .metadata), ("fd00:c1::a9fe:a9fe", 128, .metadata),
        ("fd00:42::42", 128, .metadata), ("fd00:a9fe:a9fe::1", 128, .metadata), ("fe80::a9fe:a9fe", 128, .metadata),
        ("::1", 128, .loopback), ("fe80::", 10, .linkLocal), ("fec0::", 10, .privateNetwork),
        ("fc00::", 7, .privateNetwork), ("ff00::", 8, .multicast), ("2001::", 23, .reserved),
        ("2001:db8::", 32, .reserved), ("3fff::", 20, .reserved),
    ])
}

extension IPAddress: CustomStringConvertible {
    var description: String {
        if bytes.count == 4 { return bytes.map(String.init).joined(separator: ".") }
        return stride(from: 0, to: 16, by: 2)
            .map { String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16) }.joined(separator: ":")
    }
}

/// The addresses with a common prefix.
private struct AddressRange: Sendable {
    let first: [UInt8]
    let bits: Int
    let kind: AddressKind

    static func list(_ ranges: [(first: String, bits: Int, kind: AddressKind)]) -> [AddressRange] {
        ranges.compactMap { range in
            IPAddress(range.first).map { AddressRange(first: $0.bytes, bits: range.bits, kind: range.kind) }
        }
    }

    func contains(_ bytes: [UInt8]) -> Bool {
        let whole = bits / 8
        guard first[..<whole] == bytes[..<whole] else { return false }
        let rest = bits % 8
        return rest == 0 || (first[whole] ^ bytes[whole]) >> (8 - rest) == 0
    }
}

/// The purpose of an IP address, according to the registries of special-purpose addresses (RFC 6890).
public enum AddressKind: String, Hashable, Sendable, CaseIterable {
    /// Reachable on the internet.
    case global
    /// The machine itself.
    case loopback
    /// The local link (RFC 3927, RFC 4291).
    case linkLocal
    /// A private network (RFC 1918, RFC 4193), or the shared address space of a carrier (RFC 6598).
    case privateNetwork
    /// The metadata service of a cloud, which gives a machine its credentials.
    case metadata
    /// Multicast groups.
    case multicast
    /// Unspecified addresses, addresses for documentation and benchmarks, and those that are not assigned.
    case reserved

    /// The name in error messages.
    var name: String {
        switch self {
        case .linkLocal: "link-local"
        case .privateNetwork: "private network"
        case .metadata: "cloud metadata"
        case .global, .loopback, .multicast, .reserved: rawValue
        }
    }
}
