/// The directives of `Cache-Control` fields (RFC 9111, 5.2), of a request or of a response.
struct CacheControl: Hashable, Sendable {
    private var directives: [String: String?] = [:]

    /// Names are compared without case; of a directive given twice, the first counts, which RFC 9111, 4.2.1 allows.
    init(_ headers: HTTPFields) {
        for element in headers.list("cache-control") {
            let pair = element.split(separator: "=", maxSplits: 1)
            let name = HTTPList.trimmed(pair.first ?? "").lowercased()
            guard directives[name] == nil else { continue }
            directives[name] = .some(pair.count > 1 ? HTTPList.unquoted(HTTPList.trimmed(pair[1])) : nil)
        }
        // RFC 9111, 5.4: what HTTP/1.0 said in its place.
        if !headers.contains("cache-control"), headers.list("pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = .some(nil)
        }
    }

    /// Whether a directive is there, with or without an argument.
    func has(_ name: String) -> Bool { directives[name] != nil }

    /// Whether it is there without an argument, which may restrict it to some fields.
    func isUnqualified(_ name: String) -> Bool {
        if case .some(nil) = directives[name] { true } else { false }
    }

    /// An argument in seconds (RFC 9111, 1.2.2); one that is too large counts as 2^31, one that is none as 0, so that
    /// nothing is used longer than it may be.
    func seconds(_ name: String) -> Double? {
        guard let argument = directives[name] else { return nil }
        guard let text = argument, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        return min(Double(text) ?? 0, 2_147_483_648)
    }
}
