import Foundation
import TintypeCore

/// RFC 9111 for a private cache: whether a stored response may be used for a request now. Pure.
struct Freshness: Sendable {
    let request: DownloadRequest
    let stored: StoredResponse
    let now: Date

    private var asked: CacheControl { CacheControl(request.headers) }
    private var answered: CacheControl { CacheControl(stored.headers) }

    /// RFC 9111, 4: what may be done with it.
    var verdict: StoredVerdict {
        // 4.1: it was selected by other fields; no age makes it right.
        guard stored.isSelected(by: request) else { return .stale(usableOnError: false) }
        let (asked, answered) = (asked, answered)
        // 5.2.1.4 and 5.2.2.4: not without asking.
        if asked.has("no-cache") || answered.isUnqualified("no-cache") { return .stale(usableOnError: false) }
        if isFreshEnough(asked) { return .fresh }
        // 5.2.2.2: once stale, never without asking.
        guard !answered.has("must-revalidate") else { return .stale(usableOnError: false) }
        if let allowed = asked.seconds("max-stale") {
            // 5.2.1.2: without an argument, however stale.
            if asked.isUnqualified("max-stale") || staleness <= allowed { return .fresh }
        }
        if isWithin(answered.seconds("stale-while-revalidate")) { return .usableWhileRevalidating }
        return .stale(usableOnError: isWithin(answered.seconds("stale-if-error") ?? asked.seconds("stale-if-error")))
    }

    /// RFC 9111, 3 and 5.2.2.5: whether a response may be kept at all.
    static func isStorable(_ response: DownloadResponse, for request: DownloadRequest) -> Bool {
        !CacheControl(response.headers).has("no-store") && !CacheControl(request.headers).has("no-store")
            && !response.headers.list("vary").contains("*")
    }

    /// RFC 9111, 4.2, with what the request asks for by `max-age` and `min-fresh` (5.2.1.1 and 5.2.1.3).
    private func isFreshEnough(_ asked: CacheControl) -> Bool {
        let limit = min(lifetime, asked.seconds("max-age") ?? .infinity)
        return age + (asked.seconds("min-fresh") ?? 0) < limit
    }

    /// RFC 5861, 3 and 4: seconds beyond freshness.
    private func isWithin(_ seconds: Double?) -> Bool {
        seconds.map { staleness <= $0 } ?? false
    }

    private var staleness: Double { age - lifetime }

    /// RFC 9111, 4.2.1, in seconds. `s-maxage` is for shared caches, which this is not.
    var lifetime: Double {
        if let seconds = answered.seconds("max-age") { return seconds }
        if stored.headers.contains("expires") {
            // 5.3: what is no date has passed.
            guard let expires = stored.headers["expires"].flatMap(HTTPDate.parse) else { return 0 }
            return max(0, expires.timeIntervalSince(date))
        }
        return heuristicLifetime
    }

    /// RFC 9111, 4.2.2: a tenth of the time since the last change, at most a day.
    private var heuristicLifetime: Double {
        guard [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(stored.status),
            let modified = stored.headers["last-modified"].flatMap(HTTPDate.parse)
        else { return 0 }
        return min(max(0, date.timeIntervalSince(modified)) / 10, 86_400)
    }

    /// RFC 9111, 4.2.3, in seconds.
    var age: Double {
        let apparent = max(0, stored.received.timeIntervalSince(date))
        let told = stored.headers["age"].flatMap { Double($0) }.map { max(0, $0) } ?? 0
        let delay = max(0, stored.received.timeIntervalSince(stored.requested))
        // A clock that was set back makes nothing younger.
        return max(apparent, told + delay) + max(0, now.timeIntervalSince(stored.received))
    }

    /// When the response was made; when it came, if it does not say (RFC 9110, 6.6.1).
    private var date: Date {
        stored.headers["date"].flatMap(HTTPDate.parse) ?? stored.received
    }
}

/// The directives of `Cache-Control` fields (RFC 9111, 5.2), of a request or of a response.
struct CacheControl: Hashable, Sendable {
    private var directives: [String: String?] = [:]

    /// Names are compared without case; of a directive given twice, the first counts, which RFC 9111, 4.2.1 allows.
    init(_ headers: HTTPFields) {
        for element in headers.list("cache-control") {
            let pair = element.split(separator: "=", maxSplits: 1)
            let name = HTTPList.trimmed(pair.first ?? "").lowercased()
            guard directives[name] == nil else { continue }
            directives[name] = .some(pair.count > 1 ? HTTPList.unquoted(HTTPList.trimmed(pair[1])) : nil)
        }
        // RFC 9111, 5.4: what HTTP/1.0 said in its place.
        if !headers.contains("cache-control"), headers.list("pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = .some(nil)
        }
    }

    /// Whether a directive is there, with or without an argument.
    func has(_ name: String) -> Bool { directives[name] != nil }

    /// Whether it is there without an argument, which may restrict it to some fields.
    func isUnqualified(_ name: String) -> Bool {
        if case .some(nil) = directives[name] { true } else { false }
    }

    /// An argument in seconds (RFC 9111, 1.2.2); one that is too large counts as 2^31, one that is none as 0, so that
    /// nothing is used longer than it may be.
    func seconds(_ name: String) -> Double? {
        guard let argument = directives[name] else { return nil }
        guard let text = argument, !text.isEmpty, text.utf8.allSatisfy({ (48...57).contains($0) }) else { return 0 }
        return min(Double(text) ?? 0, 2_147_483_648)
    }
}
