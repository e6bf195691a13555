import NIOCore

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
