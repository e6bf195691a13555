/// The names of the header fields that a request keeps when a redirect leads to another origin.
///
/// A program sends its fields to the origin that it names, and any of them may be a secret: API keys have many names.
/// The origin of a redirect is chosen by a server, so it gets only fields that are known to be safe. `Authorization`,
/// `Cookie` and `Proxy-Authorization` never cross origins; a ``RedirectHook`` can add a credential for an origin that
/// it knows.
///
/// ```swift
/// configuration.crossOriginFields = .standard.union(["Referer"])
/// ```
public struct CrossOriginFields: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The names in lowercase.
    private var names: Set<String>

    /// Creates a set of names, which are case-insensitive. By default it is empty.
    public init(_ names: some Sequence<String> = []) {
        self.names = Set(names.map { $0.lowercased() }).subtracting(Self.credentials)
    }

    /// Creates a set of names, which are case-insensitive.
    public init(arrayLiteral names: String...) {
        self.init(names)
    }

    /// The fields that contain no secret. They are the fields for content negotiation, client hints, privacy signals
    /// and caching, the conditions and ranges that revalidation and resumption need, and the fields that describe a
    /// body.
    public static let standard: CrossOriginFields = [
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "User-Agent", "Priority",
        "DPR", "Width", "Viewport-Width", "Save-Data", "Sec-CH-DPR", "Sec-CH-Width", "Sec-CH-Viewport-Width",
        "Sec-CH-Viewport-Height", "DNT", "Sec-GPC",
        "Cache-Control", "Pragma", "If-Modified-Since", "If-None-Match", "If-Range", "Range",
        "Content-Encoding", "Content-Language", "Content-Type",
    ]

    /// Whether the set contains a name, ignoring case.
    public func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

    /// Whether the set contains no name.
    public var isEmpty: Bool { names.isEmpty }

    /// Returns the names of both sets.
    public func union(_ other: CrossOriginFields) -> CrossOriginFields {
        guard !other.isEmpty else { return self }
        return CrossOriginFields(names.union(other.names))
    }

    private static let credentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}
