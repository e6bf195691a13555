import Synchronization

/// Tells a pipeline's observers what happens; costs nothing where there are none.
struct StageWatch: Sendable {
    private let observers: [any PipelineObserver]
    private let time: TimeSource

    init(_ observers: [any PipelineObserver], time: TimeSource) {
        self.observers = observers
        self.time = time
    }

    var isIdle: Bool { observers.isEmpty }

    func tell(_ event: @autoclosure () -> PipelineEvent) {
        guard !observers.isEmpty else { return }
        let event = event()
        for observer in observers { observer.observe(event) }
    }

    /// Does the work of a stage and tells when it began and how it ended.
    ///
    /// - Parameter byteCount: tells the encoded bytes of what was made.
    nonisolated(nonsending) func watch<Value>(
        _ stage: TintypeError.Stage, _ key: CacheKey, byteCount: (Value) -> Int? = { _ in nil },
        _ work: nonisolated(nonsending) (StageRun?) async throws(TintypeError) -> Value
    ) async throws(TintypeError) -> Value {
        guard !isIdle else { return try await work(nil) }
        let run = StageRun(id: Self.nextID(), stage: stage, key: key, began: time.uptime())
        tell(.stageBegan(run))
        do throws(TintypeError) {
            let value = try await work(run)
            tell(.stageEnded(run, outcome(run, error: nil, byteCount: byteCount(value))))
            return value
        } catch {
            tell(.stageEnded(run, outcome(run, error: error, byteCount: nil)))
            throw error
        }
    }

    /// The same for work on the thread that it is called on.
    func watch<Value>(
        _ stage: TintypeError.Stage, _ key: CacheKey, byteCount: (Value) -> Int? = { _ in nil },
        _ work: () throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        guard !isIdle else { return try work() }
        let run = StageRun(id: Self.nextID(), stage: stage, key: key, began: time.uptime())
        tell(.stageBegan(run))
        do throws(TintypeError) {
            let value = try work()
            tell(.stageEnded(run, outcome(run, error: nil, byteCount: byteCount(value))))
            return value
        } catch {
            tell(.stageEnded(run, outcome(run, error: error, byteCount: nil)))
            throw error
        }
    }

    /// What to give to ``loadEnded(_:_:_:)``; `nil` where no one watches.
    func loadBegan(_ request: ImageRequest) -> (id: Int, at: Duration)? {
        guard !isIdle else { return nil }
        let id = Self.nextID()
        tell(.loadBegan(id: id, request))
        return (id, time.uptime())
    }

    func loadEnded(
        _ load: (id: Int, at: Duration)?, _ request: ImageRequest, _ result: Result<ImageResponse, TintypeError>
    ) {
        guard let load else { return }
        tell(.loadEnded(id: load.id, request, result, time.uptime() - load.at))
    }

    private func outcome(_ run: StageRun, error: TintypeError?, byteCount: Int?) -> StageOutcome {
        StageOutcome(duration: time.uptime() - run.began, error: error, byteCount: byteCount)
    }

    /// Numbers for loads and runs.
    static func nextID() -> Int {
        lastID.wrappingAdd(1, ordering: .relaxed).newValue
    }

    private static let lastID = Atomic(0)
}
