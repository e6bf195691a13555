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
/// Work is shared: a stage that several loads wait for has one span. It is a child of the oldest of these loads, and
/// links to at most 128 others, the default limit of OpenTelemetry, also to those that begin while it runs. A stage
/// whose load has ended, or that loads an alternative source, has no parent.
///
/// Attributes have the names of OpenTelemetry where there are some ([semantic conventions for
/// HTTP](https://opentelemetry.io/docs/specs/semconv/http/http-spans/)): `url.full` without user name, password and
/// signatures, `server.address`, `server.port`, `url.scheme`, `http.response.status_code`, `network.protocol.version`,
/// `http.response.body.size`, `http.request.resend_count`, `error.type`. The others are `tintype.origin` (where the
/// image came from) and `tintype.byte_count`. A failure is a status and an exception, without the URL and the
/// underlying error. A cancelled load is not an error. Requests carry no trace header, since transfers are shared and
/// most origins belong to others.
///
/// ```swift
/// configuration.observers.append(PipelineTracer())
/// ```
public final class PipelineTracer: PipelineObserver {
    private struct State: Sendable {
        var loads = OpenWork<OpenLoad>()
        var stages = OpenWork<OpenStage>()
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
        case .lookedUp, .stageBegan, .responseBegan, .stageEnded, .evicted: break
        }
    }

    // MARK: Loads

    /// Called on the caller's thread, whose task has the parent.
    private func begin(_ id: Int, _ request: ImageRequest) {
        let span = tracer.startSpan("tintype.image")
        span.updateAttributes { $0.addURL(request.source.url) }
        let load = OpenLoad(id: id, span: span, url: request.source.url)
        let source = request.key.source
        let stages = state.withLock { state in
            state.loads.begin(id, of: source, load)
            return state.stages.updateItems(of: source) { $0.reserveLink() }
        }
        for stage in stages { stage.addLink(to: span) }
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
        let source = run.key.source
        let parent = state.withLock { $0.loads.items(of: source, atMost: 1).first }
        let url = parent?.url
        let isRequest = run.stage == .load && url?.isWeb == true
        let span = tracer.startSpan(
            "tintype.\(run.stage.rawValue)", context: parent?.span.context ?? .topLevel,
            ofKind: isRequest ? .client : .internal)
        if run.stage == .load { span.updateAttributes { $0.addURL(url) } }
        // A load that begins from now on adds its own link.
        let loads = state.withLock { state in
            // The parent may be among them.
            let others = state.loads.items(of: source, atMost: OpenStage.maximumLinks + 1).filter {
                $0.id != parent?.id
            }
            let loads = others.prefix(OpenStage.maximumLinks)
            state.stages.begin(run.id, of: source, OpenStage(span: span, linkCount: loads.count))
            return loads
        }
        for load in loads { span.addLink(to: load.span) }
    }

    private func end(_ run: StageRun, _ outcome: StageOutcome) {
        guard let span = state.withLock({ $0.stages.end(run.id) })?.span else { return }
        if let count = outcome.byteCount { span.updateAttributes { $0["tintype.byte_count"] = count } }
        if let error = outcome.error { span.fail(error) }
        span.end()
    }
}

/// The span of a running load.
private struct OpenLoad: Sendable {
    let id: Int
    let span: any Span
    /// The URL of its source, if it has one.
    let url: URL?
}

/// The span of a running stage.
private struct OpenStage: Sendable {
    /// The default limit of OpenTelemetry (`OTEL_SPAN_LINK_COUNT_LIMIT`).
    static let maximumLinks = 128

    let span: any Span
    /// The number of loads that the span links to.
    private var linkCount: Int

    init(span: any Span, linkCount: Int) {
        (self.span, self.linkCount) = (span, linkCount)
    }

    /// Reserves a link, and returns the span that gets it; `nil` at the limit.
    mutating func reserveLink() -> (any Span)? {
        guard linkCount < Self.maximumLinks else { return nil }
        linkCount += 1
        return span
    }
}

extension Span {
    fileprivate func addLink(to other: any Span) {
        addLink(SpanLink(context: other.context, attributes: [:]))
    }
}

/// The running loads or stages by source: a stage of shared work belongs to all loads of its source. A pure struct.
struct OpenWork<Item: Sendable>: Sendable {
    private var items: [Int: (source: String, item: Item)] = [:]
    /// The identifiers of the items of a source, the oldest first.
    private var ids: [String: [Int]] = [:]

    mutating func begin(_ id: Int, of source: String, _ item: Item) {
        items[id] = (source, item)
        ids[source, default: []].append(id)
    }

    /// Removes an item, and returns it. O(*n*) in the items of its source.
    mutating func end(_ id: Int) -> Item? {
        guard let (source, item) = items.removeValue(forKey: id) else { return nil }
        ids[source]?.removeAll { $0 == id }
        if ids[source]?.isEmpty == true { ids[source] = nil }
        return item
    }

    /// Returns the oldest items of a source, in their order.
    func items(of source: String, atMost limit: Int = .max) -> [Item] {
        (ids[source] ?? []).prefix(limit).compactMap { items[$0]?.item }
    }

    /// Changes the items of a source, and returns the results that are not `nil`.
    mutating func updateItems<Result>(of source: String, _ update: (inout Item) -> Result?) -> [Result] {
        var results: [Result] = []
        for id in ids[source] ?? [] {
            guard var entry = items[id] else { continue }
            if let result = update(&entry.item) { results.append(result) }
            items[id] = entry
        }
        return results
    }

    var isEmpty: Bool { items.isEmpty && ids.isEmpty }
}
#endif
