/// A line in which pieces of work wait for their turn, the most urgent first.
package protocol WaitingLine: AnyObject, Sendable {
    /// Puts a piece into the line; it may be run before this returns.
    func push(_ piece: WaitingPiece, at priority: ImagePriority) -> WaitingTicket?
    func move(_ ticket: WaitingTicket, to priority: ImagePriority)
    /// Takes a piece out and drops it, if it has not been run.
    func drop(_ ticket: WaitingTicket)
}

/// Something that waits for its turn: exactly one of the two is called, once, with no lock held.
package struct WaitingPiece: Sendable {
    package let run: @Sendable () -> Void
    package let drop: @Sendable () -> Void

    package init(run: @escaping @Sendable () -> Void, drop: @escaping @Sendable () -> Void) {
        self.run = run
        self.drop = drop
    }
}

package typealias WaitingTicket = PriorityQueue<WaitingPiece>.Ticket

extension WaitingLine {
    /// Waits for a turn without blocking, at the priority of `job` as it changes.
    ///
    /// - Parameter run: called when the turn has come; has to call what it is given, once.
    /// - Throws: ``TintypeError/Code/cancelled`` when the job was cancelled before its turn.
    package func turn<Value: Sendable>(
        for job: JobContext,
        _ run: @escaping @Sendable (_ resume: (Result<Value, TintypeError>) -> Void) -> Void
    ) async throws(TintypeError) -> Value {
        try await turn(for: job) { _, resume in run(resume) }
    }

    /// The same for what goes on in another line when its turn has come.
    ///
    /// - Parameter run: may take the place that it is given in that line; `resume` has to be called once, by whatever
    ///   runs or is dropped last.
    func turn<Value: Sendable>(
        for job: JobContext,
        _ run: @escaping @Sendable (_ place: WaitingPlace, _ resume: @escaping Resume<Value>) -> Void
    ) async throws(TintypeError) -> Value {
        try job.checkCancelled()
        let place = WaitingPlace(job: job)
        let follower = job.addFollower(place)
        defer { job.removeFollower(follower) }
        let result: Result<Value, TintypeError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let resume: Resume<Value> = { continuation.resume(returning: $0) }
                place.take(
                    WaitingPiece(run: { run(place, resume) }, drop: { resume(.failure(.cancelled)) }), in: self)
            }
        } onCancel: {
            place.leave()
        }
        return try result.get()
    }

    typealias Resume<Value> = @Sendable (Result<Value, TintypeError>) -> Void
}
