/// Tells observers once that the other side has answered: at the first word of how much will come, or the first bytes.
final class AnswerNotice: Sendable {
    private let watch: StageWatch
    private let run: Locked<StageRun?>

    /// - Parameter run: `nil` where no one watches.
    init(_ watch: StageWatch, _ run: StageRun?) {
        self.watch = watch
        self.run = Locked(run)
    }

    func noticed(_ progress: LoadProgress) {
        guard !watch.isIdle else { return }
        let answered = run.withLock { run in
            defer { run = nil }
            return run
        }
        if let answered { watch.tell(.answered(answered, expected: progress.expected)) }
    }
}
