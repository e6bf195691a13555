import Foundation
import TintypeCore

/// The beginning of a body that an interrupted transfer left, with the data for requesting the rest.
struct PartialBody: Hashable, Sendable {
    /// The digest of the URL that the body came from, after redirects. A URL may hold secrets.
    let urlDigest: String
    let validator: StrongValidator
    /// The number of bytes of the whole body; `nil` when it is unknown.
    let total: Int?
    let data: Data

    /// This partial body without its bytes.
    var empty: PartialBody {
        PartialBody(urlDigest: urlDigest, validator: validator, total: total, data: Data())
    }

    /// Adds the fields that request the rest (RFC 9110, 13.1.5 and 14.2).
    func addRange(to headers: inout HTTPFields) {
        headers["Range"] = "bytes=\(data.count)-"
        headers["If-Range"] = validator.value
    }

    /// The contents of the response to a range request.
    enum Meaning: Hashable {
        /// The rest of the body, which follows ``data``.
        case rest
        /// The whole body: it has changed, or the server does not support ranges.
        case whole
        /// Nothing that can be used. The whole body must be requested.
        case unusable
    }

    /// Returns the contents of the response to the range request.
    func meaning(of response: DownloadResponse) -> Meaning {
        switch response.status {
        case 206: isContinued(by: response) ? .rest : .unusable
        // The body may be complete, or longer than the server's.
        case 416: .unusable
        default: .whole
        }
    }

    /// Whether a response continues the same representation after the bytes of this part, and reaches its end (RFC
    /// 9110, 15.3.7).
    ///
    /// A server may send less than was requested. If neither this response nor the first one stated the total, the rest
    /// cannot be known to be complete.
    private func isContinued(by response: DownloadResponse) -> Bool {
        guard let range = ContentRange(response.headers["content-range"] ?? ""), range.first == data.count,
            let whole = range.total ?? total, range.last + 1 == whole, total ?? whole == whole,
            !response.headers.contains("content-encoding")
        else { return false }
        if let length = response.contentLength,
            length != range.last - range.first + 1
        {
            return false
        }
        return validator.matches(response.headers)
    }
}

/// The value of a `Content-Range` field, such as `bytes 1000-1999/5000` (RFC 9110, 14.4).
struct ContentRange: Hashable, Sendable {
    /// The offset of the first byte.
    let first: Int
    /// The offset of the last byte.
    let last: Int
    /// The number of bytes of the whole representation; `nil` for `*`.
    let total: Int?

    /// Parses a value; `nil` when it is invalid, or has a unit other than bytes.
    init?(_ text: String) {
        let words = text.split(separator: " ")
        guard words.count == 2, words[0].lowercased() == "bytes" else { return nil }
        let parts = words[1].split(separator: "/", omittingEmptySubsequences: false)
        let ends = parts[0].split(separator: "-", omittingEmptySubsequences: false).map { Int(digits: $0) }
        // The number of bytes up to the last one must not overflow.
        guard parts.count == 2, ends.count == 2, let first = ends[0], let last = ends[1], last >= first, last < .max
        else { return nil }
        total = Int(digits: parts[1])
        guard parts[1] == "*" || (total.map { $0 > last } ?? false) else { return nil }
        self.first = first
        self.last = last
    }
}

/// A strong validator: it changes whenever the bytes of a representation do (RFC 9110, 8.8.1).
struct StrongValidator: Hashable, Sendable {
    /// The value of the `ETag` or `Last-Modified` field.
    let value: String

    init(value: String) {
        self.value = value
    }

    /// Reads the validator of a response; `nil` when it has no strong one.
    ///
    /// Weak entity tags do not count, nor do those that a request cannot carry. A date counts if it is at least 60
    /// seconds before the date of the response: otherwise the representation may have changed twice within one second
    /// (RFC 9110, 8.8.2.2).
    init?(_ headers: HTTPFields) {
        guard !headers.contains("etag") else {
            guard let tag = headers.returnable("etag"), tag.hasPrefix("\"") else { return nil }
            value = tag
            return
        }
        guard let text = headers["last-modified"], let modified = HTTPDate.parse(text),
            let date = headers["date"].flatMap(HTTPDate.parse), date.timeIntervalSince(modified) >= 60
        else { return nil }
        value = text
    }

    /// Whether it is a date. Only an entity tag is different for each representation of a URL.
    var isDate: Bool { !value.hasPrefix("\"") }

    /// Whether a 206 response has the same validator. It must repeat an entity tag, and may omit a date (RFC 9110,
    /// 15.3.7).
    func matches(_ headers: HTTPFields) -> Bool {
        isDate ? headers["last-modified"].map { $0 == value } ?? true : headers["etag"] == value
    }
}
