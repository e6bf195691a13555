import Foundation
import TintypeCore

/// Decides whether a stored response may be used for a request (RFC 9111, for a private cache).
///
/// A pure function of the request, the stored response and the time.
struct Freshness: Sendable {
    let request: DownloadRequest
    let stored: StoredResponse
    let now: Date

    private var requestControl: CacheControl { CacheControl(request.headers) }
    private var responseControl: CacheControl { CacheControl(stored.headers) }

    /// How the stored response may be used (RFC 9111, 4).
    var verdict: StoredVerdict {
        // 4.1: a response to a request with other header fields does not match, whatever its age.
        guard stored.isSelected(by: request) else { return .stale(usableOnError: false) }
        let (requestControl, responseControl) = (requestControl, responseControl)
        // 5.2.1.4 and 5.2.2.4: only after revalidation.
        if requestControl.has("no-cache") || responseControl.isUnqualified("no-cache") {
            return .stale(usableOnError: false)
        }
        if isFreshEnough(for: requestControl) { return .fresh }
        // 5.2.2.2: once stale, only after revalidation.
        guard !responseControl.has("must-revalidate") else { return .stale(usableOnError: false) }
        if let allowed = requestControl.seconds("max-stale") {
            // 5.2.1.2: without an argument, at any staleness.
            if requestControl.isUnqualified("max-stale") || staleness <= allowed { return .fresh }
        }
        if isStale(byAtMost: responseControl.seconds("stale-while-revalidate")) { return .usableWhileRevalidating }
        return .stale(
            usableOnError: isStale(
                byAtMost: responseControl.seconds("stale-if-error") ?? requestControl.seconds("stale-if-error")))
    }

    /// Whether a response may be stored (RFC 9111, 3 and 5.2.2.5).
    static func isStorable(_ response: DownloadResponse, for request: DownloadRequest) -> Bool {
        !CacheControl(response.headers).has("no-store") && !CacheControl(request.headers).has("no-store")
            && !response.headers.list("vary").contains("*")
    }

    /// Whether the response is fresh (RFC 9111, 4.2), also by `max-age` and `min-fresh` of the request (5.2.1.1,
    /// 5.2.1.3).
    private func isFreshEnough(for requestControl: CacheControl) -> Bool {
        let limit = min(freshnessLifetime, requestControl.seconds("max-age") ?? .infinity)
        return age + (requestControl.seconds("min-fresh") ?? 0) < limit
    }

    /// Whether the response has been stale for at most this long (RFC 5861, 3 and 4); `nil` allows none.
    private func isStale(byAtMost seconds: Double?) -> Bool {
        seconds.map { staleness <= $0 } ?? false
    }

    private var staleness: Double { age - freshnessLifetime }

    /// How long the response is fresh, in seconds (RFC 9111, 4.2.1). `s-maxage` does not apply to a private cache.
    var freshnessLifetime: Double {
        if let seconds = responseControl.seconds("max-age") { return seconds }
        if stored.headers.contains("expires") {
            // 5.3: an invalid date is in the past.
            guard let expires = stored.headers["expires"].flatMap(HTTPDate.parse) else { return 0 }
            return max(0, expires.timeIntervalSince(date))
        }
        return heuristicLifetime
    }

    /// A tenth of the time since the last modification, at most a day (RFC 9111, 4.2.2).
    private var heuristicLifetime: Double {
        guard [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(stored.status),
            let modified = stored.headers["last-modified"].flatMap(HTTPDate.parse)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, 86_400)
    }

    /// The age of the response, in seconds (RFC 9111, 4.2.3).
    var age: Double {
        let apparent = max(0, stored.received.timeIntervalSince(date))
        let stated = stored.headers["age"].flatMap { Double($0) }.map { max(0, $0) } ?? 0
        let delay = max(0, stored.received.timeIntervalSince(stored.requested))
        // A clock that was set back does not make a response younger.
        return max(apparent, stated + delay) + max(0, now.timeIntervalSince(stored.received))
    }

    /// When the response was generated; if it does not say, when it was received (RFC 9110, 6.6.1).
    private var date: Date {
        stored.headers["date"].flatMap(HTTPDate.parse) ?? stored.received
    }
}

/// The `Cache-Control` directives of a request or a response (RFC 9111, 5.2).
struct CacheControl: Hashable, Sendable {
    private var directives: [String: String?] = [:]

    /// Reads the directives. Names are case-insensitive; of repeated directives, the first counts (RFC 9111, 4.2.1).
    init(_ headers: HTTPFields) {
        for element in headers.list("cache-control") {
            let pair = element.split(separator: "=", maxSplits: 1)
            let name = HTTPList.trimmed(pair.first ?? "").lowercased()
            guard directives[name] == nil else { continue }
            directives[name] = .some(pair.count > 1 ? HTTPList.unquoted(HTTPList.trimmed(pair[1])) : nil)
        }
        // RFC 9111, 5.4: the form of HTTP/1.0.
        if !headers.contains("cache-control"), headers.list("pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = .some(nil)
        }
    }

    /// Whether a directive is present, with or without an argument.
    func has(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a directive is present without an argument; an argument may restrict it to some header fields.
    func isUnqualified(_ name: String) -> Bool {
        if case .some(nil) = directives[name] { true } else { false }
    }

    /// The argument of a directive, in seconds (RFC 9111, 1.2.2); `nil` without the directive.
    ///
    /// A value that is too large counts as 2^31, and an invalid one as 0, so that no response is used for too long.
    func seconds(_ name: String) -> Double? {
        guard let argument = directives[name] else { return nil }
        guard let text = argument, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        return min(Double(text) ?? 0, 2_147_483_648)
    }
}
