public import Foundation
import NIOHTTP1

/// A request as it reached an ``Origin``.
public struct OriginRequest: Sendable {
    /// The method, in capitals as it came: `GET`.
    public let method: String

    /// The path, percent-decoded and without the query.
    public let path: String

    /// What followed the `?`, as it came; nil without one.
    public let query: String?

    /// The header fields, in the order and case they came in.
    public let headers: [(name: String, value: String)]

    /// The body, whole; empty without one.
    public let body: Data

    /// The value of the first field of that name, in whatever case; nil without one.
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
