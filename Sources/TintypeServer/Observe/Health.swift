/// Whether the server is able to work: the answers of `/health/live` and `/health/ready`.
package struct Health: Hashable, Sendable {
    /// What the answers depend on.
    struct Inputs: Hashable, Sendable {
        /// The load of the workers.
        var load: AdmissionStatus
        /// Whether the server accepts connections.
        var isStarted: Bool
        /// The time of a whole request, after which its work has stopped unless it hangs.
        var requestTimeout: Duration
        /// The states of shared stores by their names, which are reported, but not required.
        var stores: [String: String] = [:]
    }

    /// Why the server should get no requests. Empty for a server that is ready.
    let reasons: [String]
    /// Whether the process can go on. One that is not alive should be restarted.
    let isAlive: Bool
    private let stores: [String: String]

    /// A job that runs for this many times the time-out of requests will not end.
    private static let hangFactor = 2
    /// All workers hang for this many times the time-out of requests before the process counts as dead.
    private static let deathFactor = 6

    /// Decides the answers.
    ///
    /// A server whose workers all hang is neither ready nor alive, although it answers health checks.
    init(_ inputs: Inputs) {
        let load = inputs.load
        var reasons: [String] = []
        if !inputs.isStarted { reasons.append("starting") }
        if load.isDraining { reasons.append("draining") }
        if load.isQueueFull { reasons.append("queue full") }
        if load.oldestJobAge ?? .zero > inputs.requestTimeout * Self.hangFactor { reasons.append("worker hangs") }
        self.reasons = reasons
        let isFull = load.runningCount >= load.limits.workers
        isAlive = !isFull || load.youngestJobAge ?? .zero <= inputs.requestTimeout * Self.deathFactor
        stores = inputs.stores
    }

    /// Whether the server should get requests.
    var isReady: Bool { reasons.isEmpty }

    /// The status of `/health/live`.
    var liveStatus: Int { isAlive ? 200 : 503 }

    /// The status of `/health/ready`.
    var readyStatus: Int { isReady ? 200 : 503 }

    /// The JSON object of `/health/ready`.
    var readyBody: String {
        var object = JSONObjectText()
        object.add("status", isReady ? "ready" : "not ready")
        if !isReady { object.add("reasons", reasons.joined(separator: ", ")) }
        if !stores.isEmpty {
            var states = JSONObjectText()
            for (name, state) in stores.sorted(by: { $0.key < $1.key }) { states.add(name, state) }
            object.add("stores", states)
        }
        return object.text
    }
}
