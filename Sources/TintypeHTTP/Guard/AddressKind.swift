/// What an address is for, by the registries of special addresses (RFC 6890).
public enum AddressKind: String, Hashable, Sendable, CaseIterable {
    /// Anywhere on the internet.
    case global
    /// This machine.
    case loopback
    /// This link only.
    case linkLocal
    /// A network of an organisation (RFC 1918, RFC 4193), or behind a carrier's translation (RFC 6598).
    case privateNetwork
    /// Where a cloud tells a machine its secrets.
    case metadata
    /// Several machines at once.
    case multicast
    /// For nothing, for documentation, or for later.
    case reserved

    /// For a person.
    var name: String {
        switch self {
        case .linkLocal: "of this link only"
        case .privateNetwork: "of a private network"
        case .metadata: "of a cloud's metadata"
        case .global, .loopback, .multicast, .reserved: rawValue
        }
    }
}
