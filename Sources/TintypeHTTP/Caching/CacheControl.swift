/// The `Cache-Control` directives of a request or a response (RFC 9111, 5.2).
struct CacheControl: Hashable, Sendable {
    private var directives: [String: String?] = [:]

    /// Reads the directives. Names are case-insensitive; of repeated directives, the first counts (RFC 9111, 4.2.1).
    init(_ headers: HTTPFields) {
        for element in headers.list("cache-control") {
            let pair = element.split(separator: "=", maxSplits: 1)
            let name = HTTPList.trimmed(pair.first ?? "").lowercased()
            guard directives[name] == nil else { continue }
            directives[name] = .some(pair.count > 1 ? HTTPList.unquoted(HTTPList.trimmed(pair[1])) : nil)
        }
        // RFC 9111, 5.4: the form of HTTP/1.0.
        if !headers.contains("cache-control"), headers.list("pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = .some(nil)
        }
    }

    /// Whether a directive is present, with or without an argument.
    func has(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a directive is present without an argument; an argument may restrict it to some header fields.
    func isUnqualified(_ name: String) -> Bool {
        if case .some(nil) = directives[name] { true } else { false }
    }

    /// The argument of a directive, in seconds (RFC 9111, 1.2.2); `nil` without the directive.
    ///
    /// An invalid value counts as 0, so that no response is used for too long.
    func seconds(_ name: String) -> Double? {
        guard let argument = directives[name] else { return nil }
        return argument.flatMap(DeltaSeconds.parse) ?? 0
    }
}

/// Durations in header fields: numbers of seconds without sign and fraction (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// Parses a number of ASCII digits; returns `nil` for anything else. A value that is too large counts as 2^31.
    static func parse(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Double(text) ?? .infinity, 2_147_483_648)
    }
}
