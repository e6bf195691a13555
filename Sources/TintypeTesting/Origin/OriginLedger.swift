import TintypeCore

/// The routes and the record of an origin, shared by its connections.
package final class OriginLedger: Sendable {
    typealias Answer = @Sendable (OriginRequest) -> OriginResponse

    let record = Shared(OriginRecord())
    private let routes = Locked<[String: Answer]>([:])

    /// The path with a leading slash.
    static func rooted(_ path: String) -> String {
        path.hasPrefix("/") ? path : "/" + path
    }

    /// Sets the response of a path.
    func route(_ path: String, to answer: @escaping Answer) {
        routes.withLock { $0[Self.rooted(path)] = answer }
    }

    /// Records a request and returns its response.
    func answer(_ request: OriginRequest) -> OriginResponse {
        let answer = routes.withLock { $0[request.path] }
        // Find the response before counting the request: a test that waits for the count may then replace the response.
        let response = answer?(request) ?? .status(404)
        record.withLock { $0.append(request) }
        return response
    }

    /// Records a connection.
    func opened() {
        record.withLock { $0.openConnections += 1 }
    }

    /// Records the end of a connection.
    ///
    /// - Parameter isEarly: Whether it ended during a response.
    func closed(isEarly: Bool) {
        record.withLock { record in
            record.openConnections -= 1
            if isEarly, !record.isStopped { record.closedEarly += 1 }
        }
    }

    /// Makes connections that end from now on not count as closed by the client.
    func stop() {
        record.withLock { $0.isStopped = true }
    }
}

/// The events at an origin so far.
struct OriginRecord: Sendable {
    private(set) var requests: [OriginRequest] = []
    private var countsByPath: [String: Int] = [:]
    var openConnections = 0
    var closedEarly = 0
    var isStopped = false

    /// Records a request.
    mutating func append(_ request: OriginRequest) {
        requests.append(request)
        countsByPath[request.path, default: 0] += 1
    }

    /// Removes all requests.
    mutating func forgetRequests() {
        (requests, countsByPath) = ([], [:])
    }

    /// Returns the number of requests to a path; `nil` counts all.
    func requestCount(_ path: String?) -> Int {
        guard let path else { return requests.count }
        return countsByPath[OriginLedger.rooted(path), default: 0]
    }
}

/// A sequence of responses whose last one repeats. An empty sequence is a 404.
final class OriginSequence: Sendable {
    private let remaining: Locked<ArraySlice<OriginResponse>>

    init(_ responses: [OriginResponse]) {
        remaining = Locked(responses[...])
    }

    /// Returns the next response.
    func next() -> OriginResponse {
        remaining.withLock { remaining in
            (remaining.count > 1 ? remaining.popFirst() : remaining.first) ?? .status(404)
        }
    }
}
