import Foundation
import TintypeCore

/// Decides whether a stored response may be used for a request (RFC 9111, for a private or a shared cache).
///
/// A pure function of the request as it would be sent, the stored response and the time. A response that was found
/// through redirects is as fresh as the least fresh of them, because each of them may change independently.
struct Freshness: Sendable {
    let request: DownloadRequest
    let stored: StoredResponse
    let now: Date
    /// Whether the cache has many users.
    var isShared = false

    /// How the stored response may be used (RFC 9111, 4).
    var verdict: StoredVerdict {
        // 4: only for the method of the stored response. 4.1: only for equal header fields, whatever its age.
        guard request.isCacheable, stored.isSelected(by: request) else { return .stale(usableOnError: false) }
        let asked = CacheControl(request.headers)
        let responses = responses
        // 5.2.1.4 and 5.2.2.4: only after revalidation. A load with another policy may have stored a response despite
        // 5.2.2.5.
        if asked.has("no-cache") || asked.has("no-store") || responses.contains(where: \.forbidsReuse) {
            return .stale(usableOnError: false)
        }
        if responses.allSatisfy({ $0.isFreshEnough(for: asked) }) { return .fresh }
        // 5.2.2.2: once stale, only after revalidation.
        guard !responses.contains(where: { $0.mustBeRevalidated(isShared: isShared) }) else {
            return .stale(usableOnError: false)
        }
        // A request with limits of its own gets nothing beyond them.
        guard !asked.has("max-age"), !asked.has("min-fresh") else { return .stale(usableOnError: false) }
        if isAllowed(by: asked, responses) { return .fresh }
        if responses.allSatisfy({ $0.isStale(byAtMost: $0.control.seconds("stale-while-revalidate")) }) {
            return .usableWhileRevalidating
        }
        let limit = asked.seconds("stale-if-error")
        if responses.allSatisfy({ $0.isStale(byAtMost: $0.control.seconds("stale-if-error") ?? limit) }) {
            return .stale(usableOnError: true)
        }
        // 4.2.4: a disconnected cache may use a stale response, unless the request or the response limits its
        // staleness.
        let isLimited = limit != nil || responses.contains { $0.control.has("stale-if-error") }
        return isLimited ? .stale(usableOnError: false) : .usableWhenUnreachable
    }

    /// Whether the request accepts a response that is as stale as this one (RFC 9111, 5.2.1.2).
    private func isAllowed(by asked: CacheControl, _ responses: [DatedResponse]) -> Bool {
        guard let limit = asked.seconds("max-stale") else { return false }
        // Without an argument, at any staleness.
        return asked.isUnqualified("max-stale") || responses.allSatisfy { $0.isStale(byAtMost: limit) }
    }

    private var responses: [DatedResponse] {
        (stored.redirects + [stored.head]).map { head in
            let control = CacheControl(head.headers)
            return DatedResponse(
                control: control, lifetime: head.freshnessLifetime(control, isShared: isShared), age: head.age(at: now),
                isForbidden: !Storability.allows(control, status: head.status))
        }
    }

    /// A redirect that led to the stored response, or the stored response itself.
    private struct DatedResponse {
        let control: CacheControl
        /// How long it is fresh, in seconds.
        let lifetime: Double
        /// Its age in seconds.
        let age: Double
        let isForbidden: Bool

        /// Whether a stale response must not be used (RFC 9111, 5.2.2.2). For a shared cache, `proxy-revalidate` says
        /// the same, which is also part of `s-maxage` (5.2.2.8 and 5.2.2.10).
        func mustBeRevalidated(isShared: Bool) -> Bool {
            control.has("must-revalidate")
                || isShared && (control.has("proxy-revalidate") || control.has("s-maxage"))
        }

        var forbidsReuse: Bool { isForbidden || control.isUnqualified("no-cache") }

        /// Whether the response is fresh (RFC 9111, 4.2), also by `max-age` and `min-fresh` of the request (5.2.1.1,
        /// 5.2.1.3).
        func isFreshEnough(for asked: CacheControl) -> Bool {
            // RFC 8246, 2: `max-age` of the request, which a reload sends as 0, does not apply to an `immutable`
            // response.
            let limit = control.has("immutable") ? nil : asked.seconds("max-age")
            return age + (asked.seconds("min-fresh") ?? 0) < min(lifetime, limit ?? .infinity)
        }

        /// Whether the response is fresh, or has been stale for at most this long (RFC 5861, 3 and 4).
        ///
        /// - Parameter seconds: `nil` allows no staleness.
        func isStale(byAtMost seconds: Double?) -> Bool {
            age < lifetime || seconds.map { age - lifetime <= $0 } ?? false
        }
    }
}

/// Decides whether a response may be stored (RFC 9111, 3).
package enum Storability {
    /// Whether the response to a request, and the redirects that led to it, may be stored.
    ///
    /// - Parameter isShared: Whether the cache has many users.
    package static func allows(
        _ response: DownloadResponse, to request: DownloadRequest, after redirects: [StoredHead] = [],
        isShared: Bool = false
    ) -> Bool {
        (!isShared || allowsSharing(CacheControl(response.headers), with: request.headers)) && request.isCacheable
            && !CacheControl(request.headers).has("no-store")
            && allows(response.headers, status: response.status)
            && redirects.allSatisfy { allows($0.headers, status: $0.status) }
    }

    /// Whether a response is for other users, too (RFC 9111, 5.2.2.7), although the request may have a credential
    /// (3.5).
    private static func allowsSharing(_ control: CacheControl, with request: HTTPFields) -> Bool {
        guard !control.has("private") else { return false }
        return !request.contains("authorization")
            || ["public", "s-maxage", "must-revalidate"].contains { control.has($0) }
    }

    private static func allows(_ headers: HTTPFields, status: Int) -> Bool {
        !VaryField.names(in: headers).contains("*") && allows(CacheControl(headers), status: status)
    }

    /// Whether the directives of a response allow storing it (RFC 9111, 5.2.2.3 and 5.2.2.5).
    static func allows(_ control: CacheControl, status: Int) -> Bool {
        guard control.has("must-understand") else { return !control.has("no-store") }
        return StatusCode.isHeuristicallyCacheable(status)
    }
}

extension DownloadRequest {
    /// Whether a response to the request may be stored and used again. The content of a request is not part of the key,
    /// so `POST` is excluded (RFC 9110, 9.2.3).
    package var isCacheable: Bool { method == "GET" || method == "HEAD" }

    /// Whether the method may change the resource, so that responses stored for its URL become invalid (RFC 9110, 9.2.1
    /// and RFC 9111, 4.4). Unknown methods count as unsafe.
    var isUnsafe: Bool { !["GET", "HEAD", "OPTIONS", "TRACE"].contains(method) }
}

/// The `Cache-Control` directives of a request or a response (RFC 9111, 5.2).
package struct CacheControl: Hashable, Sendable {
    private var directives: [String: String?] = [:]

    /// Reads the directives. Names are case-insensitive. The first one of repeated directives counts (RFC 9111, 4.2.1).
    package init(_ headers: HTTPFields) {
        for element in headers.list("cache-control") {
            let pair = element.split(separator: "=", maxSplits: 1)
            let name = HTTPList.trimmed(pair.first ?? "").lowercased()
            guard directives[name] == nil else { continue }
            directives[name] = .some(pair.count > 1 ? HTTPList.unquoted(HTTPList.trimmed(pair[1])) : nil)
        }
        // RFC 9111, 5.4: `Pragma: no-cache` is the HTTP/1.0 form of `Cache-Control: no-cache`.
        if !headers.contains("cache-control"), headers.list("pragma").contains(where: { $0.lowercased() == "no-cache" })
        {
            directives["no-cache"] = .some(nil)
        }
    }

    /// Whether a directive is present, with or without an argument.
    package func has(_ name: String) -> Bool { directives[name] != nil }

    /// Whether a directive is present without an argument; an argument may restrict it to some header fields.
    package func isUnqualified(_ name: String) -> Bool {
        if case .some(nil) = directives[name] { true } else { false }
    }

    /// The argument of a directive, in seconds (RFC 9111, 1.2.2); `nil` without the directive.
    ///
    /// An invalid value counts as 0, so that no response is used for too long.
    package func seconds(_ name: String) -> Double? {
        guard let argument = directives[name] else { return nil }
        return argument.flatMap(DeltaSeconds.parse) ?? 0
    }
}

/// Durations in header fields: numbers of seconds without sign and fraction (RFC 9111, 1.2.2).
enum DeltaSeconds {
    /// Parses a number of ASCII digits; returns `nil` for anything else. A value that is too large counts as 2^31.
    static func parse(_ text: String) -> Double? {
        guard !text.isEmpty, text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        return min(Double(text) ?? .infinity, 2_147_483_648)
    }
}
