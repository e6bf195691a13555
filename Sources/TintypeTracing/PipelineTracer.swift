#if Tracing
import Foundation
public import TintypeCore
public import Tracing

/// Reports the loads of a pipeline, and their stages, as spans of swift-distributed-tracing.
///
/// | span | kind | begins and ends with |
/// | --- | --- | --- |
/// | `tintype.image` | internal | a load that memory could not answer; a child of the caller's current span |
/// | `tintype.load` | client for HTTP, otherwise internal | the transfer of the bytes, with its retries and redirects |
/// | `tintype.decode`, `tintype.disk`, `tintype.transform`, `tintype.encode` | internal | that stage |
///
/// Work is shared: a stage that several loads wait for has one span. It is a child of the oldest of these loads, and links to
/// the others. A stage whose load has ended, or that loads an alternative source, has no parent.
///
/// Attributes have the names of OpenTelemetry where there are some ([semantic conventions for
/// HTTP](https://opentelemetry.io/docs/specs/semconv/http/http-spans/)): `url.full` without user name, password and
/// signatures, `server.address`, `server.port`, `url.scheme`, `http.response.status_code`, `network.protocol.version`,
/// `http.response.body.size`, `http.request.resend_count`, `error.type`. The others are `tintype.origin` (where the image came
/// from) and `tintype.byte_count`. A failure is a status and an exception, without the URL and the underlying error. A cancelled
/// load is not an error. Requests carry no trace header, since transfers are
/// shared and most origins belong to others.
///
/// ```swift
/// configuration.observers.append(PipelineTracer())
/// ```
public final class PipelineTracer: PipelineObserver {
    private struct State: Sendable {
        var loads = OpenLoads<OpenLoad>()
        var stages: [Int: any Span] = [:]
    }

    private let tracer: any Tracer
    private let stages: Set<TintypeError.Stage>
    private let state = Locked(State())

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - tracer: The tracer; by default the one that the program bootstrapped.
    ///   - stages: The stages that have spans.
    public init(
        tracer: any Tracer = InstrumentationSystem.tracer,
        stages: Set<TintypeError.Stage> = [.disk, .load, .decode, .transform, .encode]
    ) {
        self.tracer = tracer
        self.stages = stages
    }

    /// Begins or ends the span of a load or of a stage.
    public func observe(_ event: PipelineEvent) {
        switch event {
        case .loadBegan(let id, let request): begin(id, request)
        case .loadEnded(let id, _, let result, _): end(id, result)
        case .stageBegan(let run) where stages.contains(run.stage): begin(run)
        case .stageEnded(let run, let outcome) where stages.contains(run.stage): end(run, outcome)
        case .lookedUp, .stageBegan, .answered, .stageEnded, .evicted: break
        }
    }

    // MARK: Loads

    /// Called on the caller's thread, whose task has the parent.
    private func begin(_ id: Int, _ request: ImageRequest) {
        let span = tracer.startSpan("tintype.image")
        span.updateAttributes { $0.addURL(request.source.url) }
        let load = OpenLoad(span: span, url: request.source.url)
        state.withLock { $0.loads.begin(id, of: request.key.source, load) }
    }

    private func end(_ id: Int, _ result: Result<ImageResponse, TintypeError>) {
        guard let span = state.withLock({ $0.loads.end(id) })?.span else { return }
        switch result {
        case .success(let response): span.updateAttributes { $0.addResponse(response) }
        case .failure(let error): span.fail(error)
        }
        span.end()
    }

    // MARK: Stages

    private func begin(_ run: StageRun) {
        let loads = state.withLock { $0.loads.waiting(for: run.key.source) }
        let url = loads.first?.url
        let isRequest = run.stage == .load && url?.isWeb == true
        let span = tracer.startSpan(
            "tintype.\(run.stage.rawValue)", context: loads.first?.span.context ?? .topLevel,
            ofKind: isRequest ? .client : .internal)
        for load in loads.dropFirst() { span.addLink(SpanLink(context: load.span.context, attributes: [:])) }
        if run.stage == .load { span.updateAttributes { $0.addURL(url) } }
        state.withLock { $0.stages[run.id] = span }
    }

    private func end(_ run: StageRun, _ outcome: StageOutcome) {
        guard let span = state.withLock({ $0.stages.removeValue(forKey: run.id) }) else { return }
        if let count = outcome.byteCount { span.updateAttributes { $0["tintype.byte_count"] = count } }
        if let error = outcome.error { span.fail(error) }
        span.end()
    }
}

/// The span of a running load.
private struct OpenLoad: Sendable {
    let span: any Span
    /// The URL of its source, if it has one.
    let url: URL?
}

/// The running loads by source: a stage of shared work belongs to all loads of its source. A pure struct.
struct OpenLoads<Load: Sendable>: Sendable {
    private var loads: [Int: (source: String, load: Load)] = [:]
    /// The identifiers of the loads of a source, the oldest first.
    private var ids: [String: [Int]] = [:]

    mutating func begin(_ id: Int, of source: String, _ load: Load) {
        loads[id] = (source, load)
        ids[source, default: []].append(id)
    }

    /// Removes a load, and returns it. O(*n*) in the loads of its source.
    mutating func end(_ id: Int) -> Load? {
        guard let (source, load) = loads.removeValue(forKey: id) else { return nil }
        ids[source]?.removeAll { $0 == id }
        if ids[source]?.isEmpty == true { ids[source] = nil }
        return load
    }

    /// The loads of a source, the oldest first.
    func waiting(for source: String) -> [Load] {
        (ids[source] ?? []).compactMap { loads[$0]?.load }
    }

    var isEmpty: Bool { loads.isEmpty && ids.isEmpty }
}
#endif
