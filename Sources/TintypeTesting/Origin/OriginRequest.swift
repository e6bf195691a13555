public import Foundation
import NIOHTTP1

/// A request as an ``Origin`` received it.
public struct OriginRequest: Sendable {
    /// The method, as received: `GET`.
    public let method: String

    /// The path, percent-decoded and without the query.
    public let path: String

    /// The text after the `?`, as received; `nil` if there is none.
    public let query: String?

    /// The header fields, in the order and case received.
    public let headers: [(name: String, value: String)]

    /// The complete body; empty if there is none.
    public let body: Data

    /// The value of the first field with a name, ignoring case; `nil` if there is none.
    public subscript(header name: String) -> String? {
        headers.first { $0.name.caseInsensitiveCompare(name) == .orderedSame }?.value
    }
}

extension OriginRequest {
    init(head: HTTPRequestHead, body: Data) {
        let target = head.uri.split(separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
        let path = target.first.map(String.init) ?? ""
        self.init(
            method: head.method.rawValue,
            path: path.removingPercentEncoding ?? path,
            query: target.count > 1 ? String(target[1]) : nil,
            headers: head.headers.map { (name: $0.name, value: $0.value) },
            body: body)
    }
}
