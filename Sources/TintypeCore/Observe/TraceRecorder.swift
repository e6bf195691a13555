public import Foundation

/// Records every load and every stage of a pipeline, for `chrome://tracing` or Perfetto.
///
/// Memory is bounded: spans beyond the capacity are only counted. All members may be used from any thread.
public final class TraceRecorder: PipelineObserver {
    private struct State: Sendable {
        var spans: [TraceSpan] = []
        var dropped = 0
        /// The start times of the running loads, by identifier.
        var loadStarts: [Int: Duration] = [:]
    }

    /// The maximum number of recorded spans.
    package let capacity: Int
    private let time: TimeSource
    private let state = Locked(State())

    /// Creates an empty recorder.
    ///
    /// - Parameters:
    ///   - capacity: The maximum number of recorded spans.
    ///   - time: The time source of the pipeline.
    public init(capacity: Int = 1_000_000, time: TimeSource = .system) {
        self.capacity = capacity
        self.time = time
    }

    /// The number of spans that were not recorded because of the capacity.
    public var droppedCount: Int { state.withLock { $0.dropped } }

    /// Records the load or stage that an event ends.
    public func observe(_ event: PipelineEvent) {
        switch event {
        case .stageEnded(let run, let outcome): add(TraceSpan(run, outcome))
        case .loadBegan(let id, _):
            let now = time.uptime()
            state.withLock { $0.loadStarts[id] = now }
        case .loadEnded(let id, let request, let result, _): loadEnded(id, request, result)
        case .lookedUp, .stageBegan, .responseBegan, .evicted: break
        }
    }

    /// Records a load with start and end from this recorder's clock, so that its span encloses those of its stages.
    private func loadEnded(_ id: Int, _ request: ImageRequest, _ result: Result<ImageResponse, TintypeError>) {
        let now = time.uptime()
        guard let began = state.withLock({ $0.loadStarts.removeValue(forKey: id) }) else { return }
        add(TraceSpan(request, result, began: began, now - began))
    }

    /// Returns the spans so far in the JSON format of Chrome's trace events.
    public func chromeTrace() -> Data {
        ChromeTrace(state.withLock { $0.spans }).encoded
    }

    private func add(_ span: TraceSpan) {
        state.withLock { state in
            if state.spans.count < capacity { state.spans.append(span) } else { state.dropped += 1 }
        }
    }
}

/// The time span of a load or of a stage.
struct TraceSpan: Sendable {
    /// The process that a span is shown under.
    enum Track: Int, Sendable, CaseIterable {
        case loads = 1
        case stages
    }

    let track: Track
    let name: String
    let began: Duration
    let duration: Duration
    let details: [String: String]

    var ended: Duration { began + duration }

    init(_ run: StageRun, _ outcome: StageOutcome) {
        track = .stages
        name = run.stage.rawValue
        began = run.began
        duration = outcome.duration
        var details = ["key": run.key.description]
        details["error"] = outcome.error?.description
        details["bytes"] = outcome.byteCount.map(String.init)
        self.details = details
    }

    init(
        _ request: ImageRequest, _ result: Result<ImageResponse, TintypeError>, began: Duration, _ duration: Duration
    ) {
        track = .loads
        name = request.source.url?.lastPathComponent ?? request.source.identity
        self.began = began
        self.duration = duration
        var details = ["key": request.key.description, "priority": "\(request.priority)"]
        switch result {
        case .success(let response):
            details["origin"] = response.origin.rawValue
            for part in response.metrics?.parts ?? [] { details[part.name] = "\(part.duration / .milliseconds(1)) ms" }
        case .failure(let error): details["error"] = error.description
        }
        self.details = details
    }
}

/// Spans as Chrome's complete events ("Trace Event Format"): loads and stages are two processes, each with as many rows
/// as there were concurrent spans.
struct ChromeTrace: Encodable {
    /// An event as Chrome expects it; its property names are keys of the JSON.
    struct Event: Encodable {
        let name: String
        /// The phase: `X` for a span, `M` for a name.
        let ph: String
        let pid: Int
        let tid: Int
        /// The start in microseconds.
        let ts: Double
        /// The duration in microseconds.
        let dur: Double?
        let args: [String: String]
    }

    let traceEvents: [Event]

    init(_ spans: [TraceSpan]) {
        traceEvents = TraceSpan.Track.allCases.flatMap { track in
            [Self.title(track)] + Self.rows(spans.filter { $0.track == track })
        }
    }

    /// The JSON. Names and errors in it come from outside, so characters that a terminal would interpret are escaped.
    var encoded: Data {
        let json = (try? JSONEncoder().encode(self)) ?? Data()
        return Data(String(decoding: json, as: UTF8.self).printableJSON.utf8)
    }

    private static func title(_ track: TraceSpan.Track) -> Event {
        Event(
            name: "process_name", ph: "M", pid: track.rawValue, tid: 0, ts: 0, dur: nil, args: ["name": "\(track)"])
    }

    /// Places each span in the first row that is free at its start.
    private static func rows(_ spans: [TraceSpan]) -> [Event] {
        var freeFrom: [Duration] = []
        return spans.sorted { $0.began < $1.began }.map { span in
            let row = freeFrom.firstIndex { $0 <= span.began } ?? freeFrom.endIndex
            if row == freeFrom.endIndex { freeFrom.append(span.ended) } else { freeFrom[row] = span.ended }
            return Event(
                name: span.name, ph: "X", pid: span.track.rawValue, tid: row + 1, ts: span.began.microseconds,
                dur: span.duration.microseconds, args: span.details)
        }
    }
}

extension Duration {
    fileprivate var microseconds: Double { Double(nanoseconds) / 1000 }
}
