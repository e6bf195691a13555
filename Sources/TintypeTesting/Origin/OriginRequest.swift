package import Foundation

/// A request as an ``Origin`` received it.
public struct OriginRequest: Sendable {
    /// The method, as received: `GET`.
    public let method: String

    /// The request target, as received: `/a%20b?c`. Bytes that are not UTF-8 are decoded as ISO 8859-1.
    package let target: String

    /// The path, percent-decoded and without the query.
    public let path: String

    /// The text after the `?`, as received; `nil` if there is none.
    package let query: String?

    /// The header fields, in the order and case received.
    public let headers: [(name: String, value: String)]

    /// The complete body; empty if there is none.
    package let body: Data

    /// The value of the first field with a name, ignoring case; `nil` if there is none.
    public subscript(header name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}

extension OriginRequest {
    init(_ head: OriginRequestHead, body: Data) {
        let parts = head.target.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = parts.first.map(String.init) ?? ""
        self.init(
            method: head.method,
            target: head.target,
            path: path.removingPercentEncoding ?? path,
            query: parts.count > 1 ? String(parts[1]) : nil,
            headers: head.fields,
            body: body)
    }
}
