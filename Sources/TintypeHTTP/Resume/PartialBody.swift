import Foundation
import TintypeCore

/// What an interrupted transfer left: the beginning of a body, and what tells whether its rest still fits.
struct Partial: Hashable, Sendable {
    /// The digest of the URL that it came from, after redirects: a URL may hold secrets.
    let place: String
    let validator: PartialValidator
    /// The length of the whole body, where it is known.
    let total: Int?
    let data: Data

    /// The fields that ask for the rest (RFC 9110, 13.1.5 and 14.2).
    func ask(in headers: inout HTTPFields) {
        headers["Range"] = "bytes=\(data.count)-"
        headers["If-Range"] = validator.value
    }

    /// What an answer to that is.
    enum Answer: Hashable {
        /// The rest: it goes behind ``data``.
        case rest
        /// The whole body, since it has changed or the server knows no ranges.
        case whole
        /// Nothing that can be used; the whole has to be asked for.
        case unusable
    }

    func answer(_ response: DownloadResponse) -> Answer {
        switch response.status {
        case 206: fits(response) ? .rest : .unusable
        // What is there may be everything, or more than there is.
        case 416: .unusable
        default: .whole
        }
    }

    /// RFC 9110, 15.3.7: the same representation, from where this one ends to its end.
    private func fits(_ response: DownloadResponse) -> Bool {
        guard let range = ContentRange(response.headers["content-range"] ?? ""), range.first == data.count,
            range.total == nil || range.last + 1 == range.total,
            total == nil || range.total == nil || total == range.total,
            !response.headers.contains("content-encoding")
        else { return false }
        if let length = response.headers["content-length"].flatMap({ Int($0) }),
            length != range.last - range.first + 1
        {
            return false
        }
        return validator.matches(response.headers)
    }
}

/// `bytes 1000-1999/5000` (RFC 9110, 14.4).
struct ContentRange: Hashable, Sendable {
    let first: Int
    let last: Int
    /// `nil` for `*`.
    let total: Int?

    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 2, ends.count == 2, let first = ends[0], let last = ends[1], first >= 0, last >= first
        else { return nil }
        total = Int(parts[1])
        guard parts[1] == "*" || (total.map { $0 > last } ?? false) else { return nil }
        self.first = first
        self.last = last
    }
}

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
