import Foundation

/// What changes whenever a representation does, byte for byte (RFC 9110, 8.8.1: a strong validator).
struct PartialValidator: Hashable, Sendable {
    /// As it came in the `ETag` or `Last-Modified` field.
    let value: String

    init(value: String) {
        self.value = value
    }

    /// `nil` when a response has none: weak tags do not count, nor dates that are too near to the response's own to rule
    /// out a second change within them (RFC 9110, 8.8.2.2).
    init?(_ headers: HTTPFields) {
        if let tag = headers["etag"] {
            guard tag.hasPrefix("\"") else { return nil }
            value = tag
            return
        }
        guard let text = headers["last-modified"], let modified = HTTPDate.parse(text),
            let date = headers["date"].flatMap(HTTPDate.parse), date.timeIntervalSince(modified) >= 60
        else { return nil }
        value = text
    }

    /// A 206 has to repeat the tag (RFC 9110, 15.3.7); the date it may leave out after `If-Range`.
    func matches(_ headers: HTTPFields) -> Bool {
        value.hasPrefix("\"") ? headers["etag"] == value : headers["last-modified"].map { $0 == value } ?? true
    }
}
