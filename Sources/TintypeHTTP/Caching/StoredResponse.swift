package import Foundation
import TintypeCore

/// The metadata that is stored with the body of a response: what RFC 9111 needs to decide whether to use it again.
package struct StoredResponse: Hashable, Sendable {
    /// The maximum size of the header fields of a response and its redirects, in bytes. The metadata of an entry is
    /// always read as a whole.
    static let maximumFieldByteCount = 64 << 10

    package var head: StoredHead
    /// The redirects that led to the response.
    var redirects: [StoredHead]
    /// The request fields by which the response was selected.
    var selection: Selection
    /// A salted digest of the URL that the response came from; `nil` if that is the URL of the request.
    var target: String?

    init(head: StoredHead, redirects: [StoredHead] = [], selection: Selection = Selection(), target: String? = nil) {
        self.head = head
        self.redirects = redirects
        self.selection = selection
        self.target = target
    }

    /// Returns this response with the fields of a 304 response, which replace those of the same name (RFC 9111, 3.2 and
    /// 4.3.4). The body stays, so its length and coding stay too.
    ///
    /// - Parameters:
    ///   - response: The 304 response.
    ///   - chain: The exchanges that led to it.
    package func renewed(by response: DownloadResponse, after chain: ExchangeChain, storing fields: StoredHeaderFields)
        -> StoredResponse
    {
        var response = response
        let update = fields.stored(of: response.headers).filter { !Self.bodyFields.contains($0.lowercased()) }
        response.headers = head.headers
        response.headers.replace(with: update)
        // An age that is not repeated belongs to the old response.
        if !update.contains("age") { response.headers["age"] = nil }
        response.status = head.status
        return StoredResponse(response, after: chain, storing: fields)
    }

    private static let bodyFields: Set<String> = [
        "content-encoding", "content-length", "content-range", "content-type",
    ]

    /// Whether a request has the same values in all fields that `Vary` names; `*` never matches (RFC 9111, 4.1).
    func isSelected(by request: DownloadRequest) -> Bool {
        selection.matches(request.headers) { name in
            name == "accept-language"
                && head.headers["content-language"].map { SelectingField.prefers($0, in: request.headers) } ?? false
        }
    }

    /// Creates the metadata of a response. If its header fields are too large, the metadata has none of them, and
    /// matches no request.
    ///
    /// - Parameter chain: The requests that led to the response.
    package init(_ response: DownloadResponse, after chain: ExchangeChain, storing fields: StoredHeaderFields) {
        let redirected = chain.redirects.map {
            Selection.SentRequest(headers: $0.request.headers, response: $0.headers)
        }
        let last = Selection.SentRequest(headers: chain.last.request.headers, response: response.headers)
        self.init(
            head: StoredHead(
                status: response.status, headers: fields.stored(of: response.headers), times: chain.last.times),
            redirects: chain.redirects.map(\.head), selection: Selection(of: redirected + [last]))
        if let last = chain.redirects.isEmpty ? nil : chain.last {
            target = Self.target(last.request.url, salt: selection.salt)
        }
        if !Self.fits([head.headers] + redirects.map(\.headers)) { removeFields() }
    }

    private mutating func removeFields() {
        head.headers = HTTPFields()
        redirects = []
        selection.matchNothing()
    }

    /// Whether the header fields that would be stored are at most ``maximumFieldByteCount`` bytes.
    package static func fits(_ heads: [HTTPFields]) -> Bool {
        heads.reduce(0) { $0 + $1.byteCount } <= maximumFieldByteCount
    }

    /// Whether header fields are at most ``maximumFieldByteCount`` bytes.
    static func fits(_ headers: HTTPFields) -> Bool { headers.byteCount <= maximumFieldByteCount }

    // MARK: Revalidation

    /// Whether the origin can be asked for a change.
    package var hasValidator: Bool {
        head.headers.returnable("etag") != nil || head.headers.returnable("last-modified") != nil
    }

    /// Adds the fields that make a request conditional on a change (RFC 9111, 4.3.1).
    package func addConditions(to headers: inout HTTPFields) {
        if let tag = head.headers.returnable("etag") { headers["If-None-Match"] = tag }
        if let date = head.headers.returnable("last-modified") { headers["If-Modified-Since"] = date }
    }

    /// Whether the response came from a URL, so that its validators apply there.
    ///
    /// - Parameter isFirst: Whether it is the URL of the first request, before redirects.
    func came(from url: URL, isFirst: Bool) -> Bool {
        target.map { $0 == Self.target(url, salt: selection.salt) } ?? isFirst
    }

    /// Whether a 304 response confirms this response, and not another one (RFC 9111, 4.3.4).
    package func isConfirmed(by response: HTTPFields) -> Bool {
        let (tag, own) = (response["etag"].map { EntityTag($0) }, head.headers["etag"].map { EntityTag($0) })
        // A strong tag identifies exact bytes, so the stored response must have the same tag.
        if let tag, !tag.isWeak { return tag == own }
        if let tag, let own { return tag.isWeaklyEqual(to: own) }
        guard let new = response["last-modified"].flatMap(HTTPDate.parse),
            let old = head.headers["last-modified"].flatMap(HTTPDate.parse)
        else { return true }
        return new <= old
    }

    static func target(_ url: URL, salt: String) -> String {
        PartialFile.digest(Data("\(salt)\n\(url.absoluteString)".utf8))
    }
}

/// Which header fields of responses are stored with their images.
package struct StoredHeaderFields: Hashable, Sendable {
    private let names: Set<String>?

    /// The names of the fields that concern caching or describe the body.
    private static let cachingNames: Set<String> = [
        "age", "cache-control", "content-language", "content-type", "date", "etag", "expires", "last-modified",
        "pragma", "vary",
    ]
    /// The names of the fields that concern one connection and must not be stored (RFC 9111, 3.1).
    private static let connectionNames: Set<String> = [
        "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info", "proxy-authorization",
        "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// The fields that caching needs.
    package static let caching = StoredHeaderFields(names: cachingNames)

    /// All fields except those that concern one connection. Their values are stored as they are: a `Set-Cookie` field,
    /// for example, may be a secret.
    package static let all = StoredHeaderFields(names: nil)

    /// Returns the fields that caching needs, and additional ones.
    ///
    /// - Parameter names: The names of the additional fields, in any case. Fields that concern one connection are
    ///   ignored.
    package static func caching(and names: Set<String>) -> StoredHeaderFields {
        StoredHeaderFields(names: cachingNames.union(names.map { $0.lowercased() }).subtracting(connectionNames))
    }

    /// Returns those of the fields that are stored.
    package func stored(of headers: HTTPFields) -> HTTPFields {
        if let names { return headers.filter { names.contains($0.lowercased()) } }
        let excluded = Self.connectionNames.union(headers.list("connection").map { $0.lowercased() })
        return headers.filter { !excluded.contains($0.lowercased()) }
    }
}

/// The head of a stored response, or of a redirect that led to it: what decides how long it is fresh.
package struct StoredHead: Hashable, Sendable {
    package var status: Int
    /// The header fields that ``StoredHeaderFields`` selects.
    package var headers: HTTPFields
    /// The times of its exchange.
    package var times: ExchangeTimes

    /// Creates the head of a response.
    package init(status: Int, headers: HTTPFields, times: ExchangeTimes) {
        self.status = status
        self.headers = headers
        self.times = times
    }

    /// How long the response is fresh, in seconds (RFC 9111, 4.2.1).
    ///
    /// - Parameters:
    ///   - control: The directives of the response.
    ///   - isShared: Whether the cache is a shared one, to which `s-maxage` applies (RFC 9111, 5.2.2.10).
    package func freshnessLifetime(_ control: CacheControl, isShared: Bool = false) -> Double {
        if isShared, let seconds = control.seconds("s-maxage") { return seconds }
        if let seconds = control.seconds("max-age") { return seconds }
        if headers.contains("expires") {
            // 5.3: an invalid date is in the past.
            guard let expires = headers["expires"].flatMap(HTTPDate.parse) else { return 0 }
            return max(0, expires.timeIntervalSince(date))
        }
        return heuristicLifetime(control)
    }

    /// A tenth of the time since the last modification, at most a day (RFC 9111, 4.2.2).
    private func heuristicLifetime(_ control: CacheControl) -> Double {
        // 5.2.2.9: `public` allows it for every status.
        guard StatusCode.isHeuristicallyCacheable(status) || control.has("public"),
            let modified = headers["last-modified"].flatMap(HTTPDate.parse)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, 86_400)
    }

    /// The age of the response, in seconds (RFC 9111, 4.2.3).
    package func age(at now: Date) -> Double {
        let apparent = max(0, times.received.timeIntervalSince(date))
        let delay = max(0, times.received.timeIntervalSince(times.sent))
        // A clock that was set back does not make a response younger.
        return max(apparent, statedAge + delay) + max(0, now.timeIntervalSince(times.received))
    }

    /// The first value of the `Age` field; 0 if there is none, or it is invalid (RFC 9111, 5.1).
    private var statedAge: Double { headers.list("age").first.flatMap(DeltaSeconds.parse) ?? 0 }

    /// When the response was generated; if it does not say, when it was received (RFC 9110, 6.6.1).
    var date: Date { headers["date"].flatMap(HTTPDate.parse) ?? times.received }
}

/// The times of an exchange, for the age of its response (RFC 9111, 4.2.3).
package struct ExchangeTimes: Hashable, Sendable {
    /// The time at which the request was sent.
    package let sent: Date
    /// The time at which the head of the response arrived.
    package let received: Date

    /// Creates the times of an exchange.
    package init(sent: Date, received: Date) {
        self.sent = sent
        self.received = received
    }
}

/// Properties of status codes that concern caching.
enum StatusCode {
    /// Whether a response may be used without explicit freshness (RFC 9110, 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}
