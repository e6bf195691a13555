import Foundation

/// The head of a stored response, or of a redirect that led to it: what decides how long it is fresh.
struct StoredHead: Hashable, Sendable {
    var status: Int
    /// The header fields that ``StoredHeaderFields`` selects.
    var headers: HTTPFields
    /// The times of its exchange.
    var times: ExchangeTimes

    /// How long the response is fresh, in seconds (RFC 9111, 4.2.1). `s-maxage` does not apply to a private cache.
    func freshnessLifetime(_ control: CacheControl) -> Double {
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
    func age(at now: Date) -> Double {
        let apparent = max(0, times.answered.timeIntervalSince(date))
        let delay = max(0, times.answered.timeIntervalSince(times.sent))
        // A clock that was set back does not make a response younger.
        return max(apparent, statedAge + delay) + max(0, now.timeIntervalSince(times.answered))
    }

    /// The `Age` field: of several values, the first counts; an invalid one is ignored (RFC 9111, 5.1).
    private var statedAge: Double { headers.list("age").first.flatMap(DeltaSeconds.parse) ?? 0 }

    /// When the response was generated; if it does not say, when it was received (RFC 9110, 6.6.1).
    var date: Date { headers["date"].flatMap(HTTPDate.parse) ?? times.answered }
}

/// The times of an exchange, for the age of its response (RFC 9111, 4.2.3).
struct ExchangeTimes: Hashable, Sendable {
    /// The time at which the request was sent.
    let sent: Date
    /// The time at which the head of the response arrived.
    let answered: Date
}

/// Properties of status codes that concern caching.
enum StatusCode {
    /// Whether a response may be used without explicit freshness (RFC 9110, 15.1).
    static func isHeuristicallyCacheable(_ status: Int) -> Bool {
        [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501].contains(status)
    }
}
