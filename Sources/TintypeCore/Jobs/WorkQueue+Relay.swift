extension WorkQueue {
    /// Runs `find` on this queue and then, if it found something, `make` on another, at the priority of `job`, and waits
    /// for both without blocking.
    ///
    /// The second piece runs on the thread of the first when `next` has room, and else gets in line where the first
    /// ends: changes of thread are a good part of what a picture from disk costs beside its decoding.
    ///
    /// - Returns: `nil` when nothing was found.
    /// - Throws: what either throws, or ``TintypeError/Code/cancelled`` when the job was cancelled before its turn.
    package func run<Found: Sendable, Value: Sendable>(
        for job: JobContext, _ find: @escaping @Sendable () throws(TintypeError) -> Found?, then next: WorkQueue,
        _ make: @escaping @Sendable (Found) throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value? {
        try await turn(for: job) { place, resume in
            switch Result(catching: find) {
            case .failure(let error): resume(.failure(error))
            case .success(nil): resume(.success(nil))
            case .success(let found?):
                let piece = WaitingPiece(
                    run: { resume(Result { () throws(TintypeError) -> Value? in try make(found) }) },
                    drop: { resume(.failure(.cancelled)) })
                if !next.runHere({ place.isLeft ? piece.drop() : piece.run() }) { place.take(piece, in: next) }
            }
        }
    }
}
