extension Origin {
    /// Every request so far, in order of arrival: a request has arrived when its body has.
    public var requests: [OriginRequest] { ledger.record.value.requests }

    /// The number of connections open now.
    public var openConnections: Int { ledger.record.value.connections.count }

    /// The number of responses during which the client hung up: delayed, held by a gate, silent or half sent.
    public var closedEarly: Int { ledger.record.value.closedEarly }

    /// The number of requests so far.
    ///
    /// - Parameter path: Counts the requests to this path only; nil counts all.
    public func requestCount(_ path: String? = nil) -> Int {
        ledger.record.value.requestCount(path)
    }

    /// Returns when `count` requests have arrived, counted from the start, or when the task is cancelled.
    ///
    /// - Parameter path: Counts the requests to this path only; nil counts all.
    public func waitForRequests(_ count: Int, path: String? = nil) async {
        await ledger.record.wait { $0.requestCount(path) >= count }
    }

    /// Returns when the client has hung up on `count` responses, or when the task is cancelled.
    public func waitForClosedEarly(_ count: Int) async {
        await ledger.record.wait { $0.closedEarly >= count }
    }
}
