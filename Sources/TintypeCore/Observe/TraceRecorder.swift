public import Foundation

/// Records every load and every stage of a pipeline, to be looked at in `chrome://tracing` or Perfetto.
///
/// Bounded: beyond ``capacity`` spans the rest is counted, not kept.
public final class TraceRecorder: PipelineObserver {
    private struct State: Sendable {
        var spans: [TraceSpan] = []
        var dropped = 0
    }

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
        case .loadEnded(_, let request, let result, let duration):
            add(TraceSpan(request, result, began: time.uptime() - duration, duration))
        case .lookedUp, .loadBegan, .stageBegan, .answered, .evicted: break
        }
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
