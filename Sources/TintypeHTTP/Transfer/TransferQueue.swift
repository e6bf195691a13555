import TintypeCore

/// The line in which transfers wait for one of a few places: ``TransferQueue`` with a lock around it.
final class TransferLine: Sendable {
    fileprivate typealias Queue = TransferQueue<WaitingPiece>

    private let queue: Locked<Queue>

    init(_ configuration: DownloaderConfiguration) {
        queue = Locked(Queue(Self.limits(configuration)))
    }

    /// Takes a place where one is free and no one else waits; ``leave(_:)`` gives it back.
    func enterAtOnce(_ host: String, for job: JobContext) -> Bool {
        !job.isCancelled && queue.withLock { $0.beginAtOnce(at: host) }
    }

    /// Waits for a place, which ``leave(_:)`` gives back.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/cancelled``; then there is nothing to give back.
    func enter(_ host: String, for job: JobContext) async throws(TintypeError) {
        try job.checkCancelled()
        try await TransferLane(line: self, host: host).turn(for: job) { resume in resume(.success(())) }
    }

    func leave(_ host: String) {
        change { $0.end(at: host) }
    }

    var running: Int { queue.withLock { $0.running } }
    var waiting: Int { queue.withLock { $0.count } }

    var isSuspended: Bool {
        get { queue.withLock { $0.isSuspended } }
        set { change { $0.isSuspended = newValue } }
    }

    func follow(_ configuration: DownloaderConfiguration) {
        change { $0.change(Self.limits(configuration)) }
    }

    private static func limits(_ configuration: DownloaderConfiguration) -> Queue.Limits {
        Queue.Limits(
            total: max(1, configuration.maximumConcurrentDownloads), perHost: max(1, configuration.connectionsPerHost),
            order: configuration.order)
    }

    /// Lets go whoever may begin after a change.
    fileprivate func change<Value: Sendable>(_ body: (inout Queue) -> Value) -> Value {
        let (value, pieces) = queue.withLock { queue in
            let value = body(&queue)
            var pieces: [WaitingPiece] = []
            while let piece = queue.next() { pieces.append(piece) }
            return (value, pieces)
        }
        for piece in pieces { piece.run() }
        return value
    }
}

/// The line as one who asks a certain host sees it.
private final class TransferLane: WaitingLine {
    private let line: TransferLine
    private let host: String

    init(line: TransferLine, host: String) {
        self.line = line
        self.host = host
    }

    func push(_ piece: WaitingPiece, at priority: ImagePriority) -> WaitingTicket? {
        WaitingTicket(number: line.change { $0.add(piece, from: host, at: priority) })
    }

    func move(_ ticket: WaitingTicket, to priority: ImagePriority) {
        line.change { $0.move(ticket.number, to: priority) }
    }

    func drop(_ ticket: WaitingTicket) {
        line.change { $0.remove(ticket.number) }?.drop()
    }
}
