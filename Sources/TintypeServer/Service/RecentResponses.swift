import Foundation
import TintypeCore
import TintypeHTTP

/// The responses of the current second that came from memory. Requests for one image that follow each other get equal
/// responses until the next second changes `Age` and `max-age`, so all but the first need neither their URL read nor
/// their fields made.
struct RecentResponses: Sendable {
    /// What the response to a request depends on.
    struct Key: Hashable, Sendable {
        let target: String
        let accept: String
    }

    /// The number of responses beyond which no more are kept.
    private static let limit = 1024

    private var second = 0
    private var responses: [Key: ServiceResponse] = [:]
    /// The number of purges so far. A response that was begun before a purge must not be kept after it.
    private(set) var purgeCount = 0

    /// Returns the response to an equal request in the same second of the Unix time.
    func response(for key: Key, at second: Int) -> ServiceResponse? {
        second == self.second ? responses[key] : nil
    }

    /// Keeps a response until the second ends.
    mutating func keep(_ response: ServiceResponse, for key: Key, at second: Int) {
        // An earlier second: its response came late.
        guard second >= self.second else { return }
        if second > self.second { removeAll(before: second) }
        if responses.count < Self.limit { responses[key] = response }
    }

    /// Forgets all responses, because a source was purged.
    mutating func purge() {
        responses.removeAll(keepingCapacity: true)
        purgeCount += 1
    }

    private mutating func removeAll(before second: Int) {
        responses.removeAll(keepingCapacity: true)
        self.second = second
    }
}

extension RecentResponses.Key {
    /// The fields that never change a response. One of `Accept` is part of the key.
    private static let neutralNames: Set<String> = [
        "accept", "accept-encoding", "accept-language", "connection", "cookie", "dnt", "forwarded", "host",
        "keep-alive",
        "priority", "referer", "sec-fetch-dest", "sec-fetch-mode", "sec-fetch-site", "sec-fetch-user", "traceparent",
        "tracestate", "upgrade-insecure-requests", "user-agent", "via", "x-forwarded-for", "x-forwarded-host",
        "x-forwarded-port", "x-forwarded-proto", "x-real-ip", "x-request-id",
    ]

    /// Creates the key of a request.
    ///
    /// - Returns: `nil` if anything else in it may change the response, such as a condition, a range, an origin or a
    ///   token.
    init?(_ request: ServerRequest) {
        guard request.method == "GET", request.body == nil,
            request.fields.all.allSatisfy({ Self.neutralNames.contains($0.name.lowercased()) })
        else { return nil }
        self.init(target: request.target, accept: request.fields.values("accept").joined(separator: ","))
    }
}

extension Date {
    /// The Unix time in whole seconds.
    var unixSecond: Int { Int(timeIntervalSince1970.rounded(.down)) }
}

extension ServiceResponse {
    /// Whether equal requests in the same second get the same response: one from memory.
    var isRepeatable: Bool { status == 200 && report.tier == .memory && body != nil && stream == nil }
}
