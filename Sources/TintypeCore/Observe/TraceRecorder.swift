public import Foundation

/// Records every load and every stage of a pipeline, to be looked at in `chrome://tracing` or Perfetto.
///
/// Bounded: beyond ``capacity`` spans the rest is counted, not kept.
public final class TraceRecorder: PipelineObserver {
    private struct State: Sendable {
        var spans: [TraceSpan] = []
        var dropped = 0
        /// When the loads under way began.
        var began: [Int: Duration] = [:]
    }

    /// Spans that are kept; those beyond are counted.
    public let capacity: Int
    private let time: TimeSource
    private let state = Locked(State())

    /// - Parameter time: the pipeline's.
    public init(capacity: Int = 1_000_000, time: TimeSource = .system) {
        self.capacity = capacity
        self.time = time
    }

    /// Spans that found no room.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    public func observe(_ event: PipelineEvent) {
        switch event {
        case .stageEnded(let run, let outcome): add(TraceSpan(run, outcome))
        case .loadBegan(let id, _):
            let now = time.uptime()
            state.withLock { $0.began[id] = now }
        case .loadEnded(let id, let request, let result, _): loadEnded(id, request, result)
        case .lookedUp, .stageBegan, .answered, .evicted: break
        }
    }

    /// By its own clock: a load is drawn around its stages, however long this took to be called.
    private func loadEnded(_ id: Int, _ request: ImageRequest, _ result: Result<ImageResponse, TintypeError>) {
        let now = time.uptime()
        guard let began = state.withLock({ $0.began.removeValue(forKey: id) }) else { return }
        add(TraceSpan(request, result, began: began, now - began))
    }

    /// What has ended so far, in the JSON form of Chrome's trace events.
    public func chromeTrace() -> Data {
        ChromeTrace(state.withLock { $0.spans }).encoded
    }

    private func add(_ span: TraceSpan) {
        state.withLock { state in
            if state.spans.count < capacity { state.spans.append(span) } else { state.dropped += 1 }
        }
    }
}
