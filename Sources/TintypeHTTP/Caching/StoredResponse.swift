import Foundation

/// What is remembered of a response beside its body: what RFC 9111 needs to decide whether it may be used again.
struct StoredResponse: Hashable, Sendable {
    var status: Int
    /// The fields that matter; see ``kept``.
    var headers: HTTPFields
    /// The request's fields that `Vary` names, their values as digests: they may hold secrets.
    var selected: [String: String]
    /// When the request was sent.
    var requested: Date
    /// When the head of the response came.
    var received: Date

    /// Fields of responses that say something of caching, or of what is cached.
    private static let kept: Set<String> = [
        "age", "cache-control", "content-type", "date", "etag", "expires", "last-modified", "pragma", "vary",
    ]

    init(_ response: DownloadResponse, to request: DownloadRequest, _ times: ExchangeTimes) {
        status = response.status
        headers = Self.relevant(response.headers)
        selected = Self.selected(by: headers, of: request)
        requested = times.sent
        received = times.answered
    }

    init(status: Int, headers: HTTPFields, selected: [String: String] = [:], requested: Date, received: Date) {
        self.status = status
        self.headers = headers
        self.selected = selected
        self.requested = requested
        self.received = received
    }

    /// This response after the origin said that it is still good: its fields take the place of those of the same name
    /// (RFC 9111, 3.2 and 4.3.4).
    func renewed(by other: StoredResponse) -> StoredResponse {
        var renewed = self
        renewed.headers.replace(with: other.headers)
        // An age that is not repeated was that of the old answer.
        if !other.headers.contains("age") { renewed.headers["age"] = nil }
        renewed.requested = other.requested
        renewed.received = other.received
        return renewed
    }

    /// The fields that ask whether it is still good (RFC 9111, 4.3.1).
    func ask(in headers: inout HTTPFields) {
        if let tag = self.headers["etag"] { headers["If-None-Match"] = tag }
        if let date = self.headers["last-modified"] { headers["If-Modified-Since"] = date }
    }

    /// RFC 9111, 4.1: whether a request has the same values in all fields that `Vary` names; `*` never matches.
    func isSelected(by request: DownloadRequest) -> Bool {
        let now = Self.selected(by: headers, of: request)
        return now["*"] == nil && now == selected
    }

    private static func relevant(_ headers: HTTPFields) -> HTTPFields {
        headers.filter { kept.contains($0.lowercased()) }
    }

    /// RFC 9111, 4.1.
    static func selected(by headers: HTTPFields, of request: DownloadRequest) -> [String: String] {
        guard headers.contains("vary") else { return [:] }
        let names = headers.list("vary").map { $0.lowercased() }
        return Dictionary(
            names.map { name in
                (name, PartialFile.digest(Data(request.headers.values(name).joined(separator: ",").utf8)))
            },
            uniquingKeysWith: { $1 })
    }
}
