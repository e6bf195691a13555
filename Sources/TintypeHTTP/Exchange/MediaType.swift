/// Media types (RFC 9110, 8.3.1).
enum MediaType {
    /// Whether a `Content-Type` is one of some types, of which `image/*` stands for all pictures. Parameters do not
    /// count.
    static func matches(_ contentType: String, _ types: Set<String>) -> Bool {
        let type = HTTPList.trimmed(contentType.prefix { $0 != ";" }).lowercased()
        let family = type.prefix { $0 != "/" }
        return types.contains { $0.lowercased() == type || $0.lowercased() == "\(family)/*" || $0 == "*/*" }
    }
}
