import NIOCore
import TintypeCore

/// What an origin was told to answer and what it has been asked: shared by its connections.
final class OriginLedger: Sendable {
    typealias Answer = @Sendable (OriginRequest) -> OriginResponse

    let record = Watched(OriginRecord())
    private let routes = Locked<[String: Answer]>([:])

    /// A path with the slash it must begin with.
    static func rooted(_ path: String) -> String {
        path.hasPrefix("/") ? path : "/" + path
    }

    func route(_ path: String, to answer: @escaping Answer) {
        routes.withLock { $0[Self.rooted(path)] = answer }
    }

    /// Records a request and finds the response to it.
    func answer(_ request: OriginRequest) -> OriginResponse {
        let answer = routes.withLock { $0[request.path] }
        // First the response, then the count: who waited for the count may replace the response.
        let response = answer?(request) ?? .status(404)
        record.update { $0.append(request) }
        return response
    }

    /// Records a connection.
    ///
    /// - Throws: An error if the origin has stopped in the meantime, and nobody is left to close the connection.
    func opened(_ channel: any Channel) throws {
        let isStopped = record.update { record in
            if !record.isStopped { record.connections[ObjectIdentifier(channel)] = channel }
            return record.isStopped
        }
        if isStopped { throw ChannelError.ioOnClosedChannel }
    }

    func closed(_ channel: any Channel) {
        record.update { $0.connections[ObjectIdentifier(channel)] = nil }
    }

    /// Records that a client hung up during a response.
    func clientHungUp() {
        record.update { if !$0.isStopped { $0.closedEarly += 1 } }
    }

    /// Admits no more connections and hands over those that are left, to be closed.
    func stop() -> [any Channel] {
        record.update { record in
            record.isStopped = true
            return Array(record.connections.values)
        }
    }
}

/// What has happened at an origin so far.
struct OriginRecord: Sendable {
    private(set) var requests: [OriginRequest] = []
    private var countsByPath: [String: Int] = [:]
    var connections: [ObjectIdentifier: any Channel] = [:]
    var closedEarly = 0
    var isStopped = false

    mutating func append(_ request: OriginRequest) {
        requests.append(request)
        countsByPath[request.path, default: 0] += 1
    }

    func requestCount(_ path: String?) -> Int {
        guard let path else { return requests.count }
        return countsByPath[OriginLedger.rooted(path), default: 0]
    }
}

/// Responses given one after another, of which the last repeats; without any, a 404.
final class OriginSequence: Sendable {
    private let remaining: Locked<ArraySlice<OriginResponse>>

    init(_ responses: [OriginResponse]) {
        remaining = Locked(responses[...])
    }

    func next() -> OriginResponse {
        remaining.withLock { remaining in
            (remaining.count > 1 ? remaining.popFirst() : remaining.first) ?? .status(404)
        }
    }
}
