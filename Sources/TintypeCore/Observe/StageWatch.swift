import Synchronization

/// Sends events to a pipeline's observers. Costs nothing if there are none.
struct StageWatch: Sendable {
    private let observers: [any PipelineObserver]
    private let time: TimeSource

    init(_ observers: [any PipelineObserver], time: TimeSource) {
        self.observers = observers
        self.time = time
    }

    /// Whether there are no observers.
    var isIdle: Bool { observers.isEmpty }

    /// Returns a watch that also sends events to the observers in the overrides of a request.
    func including(_ request: ImageRequest) -> StageWatch {
        guard let own = request.overrides?.observers, !own.isEmpty else { return self }
        return StageWatch(observers + own, time: time)
    }

    /// Sends an event to every observer. The event is created only if there are observers.
    func report(_ event: @autoclosure () -> PipelineEvent) {
        guard !observers.isEmpty else { return }
        let event = event()
        for observer in observers { observer.observe(event) }
    }

    /// Reports that a store has evicted images from memory, if it has.
    func reportEvictions(_ count: Int) {
        if count > 0 { report(.evicted(count)) }
    }

    /// Runs a stage, and reports when it begins and ends.
    ///
    /// - Parameters:
    ///   - byteCount: Returns the number of encoded bytes of the result.
    ///   - work: Receives the run, which is `nil` if there are no observers.
    /// - Throws: The errors of `work`.
    nonisolated(nonsending) func watch<Value>(
        _ stage: TintypeError.Stage, _ key: CacheKey, byteCount: (Value) -> Int? = { _ in nil },
        _ work: nonisolated(nonsending) (StageRun?) async throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        guard !isIdle else { return try await work(nil) }
        let run = StageRun(id: Self.nextID(), stage: stage, key: key, began: time.uptime())
        report(.stageBegan(run))
        do throws(TintypeError) {
            let value = try await work(run)
            report(.stageEnded(run, outcome(run, error: nil, byteCount: byteCount(value))))
            return value
        } catch {
            report(.stageEnded(run, outcome(run, error: error, byteCount: nil)))
            throw error
        }
    }

    /// Runs a synchronous stage on the current thread, and reports when it begins and ends.
    ///
    /// The parameters are those of the asynchronous variant.
    ///
    /// - Throws: The errors of `work`.
    func blockingWatch<Value>(
        _ stage: TintypeError.Stage, _ key: CacheKey, byteCount: (Value) -> Int? = { _ in nil },
        _ work: (StageRun?) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        guard !isIdle else { return try work(nil) }
        let run = StageRun(id: Self.nextID(), stage: stage, key: key, began: time.uptime())
        report(.stageBegan(run))
        do throws(TintypeError) {
            let value = try work(run)
            report(.stageEnded(run, outcome(run, error: nil, byteCount: byteCount(value))))
            return value
        } catch {
            report(.stageEnded(run, outcome(run, error: error, byteCount: nil)))
            throw error
        }
    }

    /// Reports the start of a load.
    ///
    /// - Returns: The value to pass to ``loadEnded(_:_:_:)``.
    func loadBegan(_ request: ImageRequest) -> (id: Int, at: Duration) {
        let id = Self.nextID()
        report(.loadBegan(id: id, request))
        return (id, time.uptime())
    }

    /// Reports the end of a load that ``loadBegan(_:)`` reported.
    func loadEnded(
        _ load: (id: Int, at: Duration)?, _ request: ImageRequest, _ result: Result<ImageResponse, TintypeError>
    ) {
        guard let load else { return }
        report(.loadEnded(id: load.id, request, result, time.uptime() - load.at))
    }

    private func outcome(_ run: StageRun, error: TintypeError?, byteCount: Int?) -> StageOutcome {
        StageOutcome(duration: time.uptime() - run.began, error: error, byteCount: byteCount)
    }

    /// Returns an identifier for a load or a run, unique in the process.
    static func nextID() -> Int {
        lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let lastID = Atomic(0)
}

/// Reports once that the source of a stage has responded: at the first progress, which is either the expected number of
/// bytes or the first bytes.
final class ResponseNotice: Sendable {
    private let watch: StageWatch
    private let run: Locked<StageRun?>

    /// Creates a notice.
    ///
    /// - Parameter run: The stage; `nil` if there are no observers.
    init(_ watch: StageWatch, _ run: StageRun?) {
        self.watch = watch
        self.run = Locked(run)
    }

    /// Records progress. The first call reports ``PipelineEvent/responseBegan(_:expected:)``.
    func recordProgress(_ progress: LoadProgress) {
        guard !watch.isIdle else { return }
        let stage = run.withLock { run in
            defer { run = nil }
            return run
        }
        if let stage { watch.report(.responseBegan(stage, expected: progress.expected)) }
    }
}

extension ResponseNotice {
    /// Returns a reporter that records the first progress and then reports to `next`.
    func reporter(before next: JobReporter<ReceivedBytes>) -> JobReporter<ReceivedBytes> {
        JobReporter { received in
            self.recordProgress(received.progress)
            next.report(received)
        }
    }
}
