import TintypeHTTP

#if Tracing
import Tracing
#endif

/// The spans of requests, through swift-distributed-tracing. Without the trait `Tracing` it does nothing.
///
/// | span | kind | begins and ends with |
/// | --- | --- | --- |
/// | `tintype.request` | server | a request for an image; a child of the span that the client names, such as by `traceparent` |
/// | `queue`, `downloading_source_image`, `processing_image` | internal | that part of the request |
///
/// What header fields name the parent is up to the tracer. The loads of the pipeline are children of these spans.
struct RequestTracer: Sendable {
    #if Tracing
    private let tracer: any Tracer

    /// Creates spans of a tracer; by default the one that the program bootstrapped.
    init(_ tracer: any Tracer = InstrumentationSystem.tracer) {
        self.tracer = tracer
    }

    /// Answers a request inside a span.
    func request(_ request: ServerRequest, _ respond: () async -> ServiceResponse) async -> ServiceResponse {
        var context = ServiceContext.current ?? .topLevel
        tracer.extract(request.fields, into: &context, using: FieldExtractor())
        let span = tracer.startSpan("tintype.request", context: context, ofKind: .server)
        defer { span.end() }
        let response = await ServiceContext.$current.withValue(span.context) { await respond() }
        span.attributes["http.request.method"] = request.method
        span.attributes["http.response.status_code"] = response.status
        if !response.report.host.isEmpty { span.attributes["tintype.source.host"] = response.report.host }
        if let tier = response.report.tier { span.attributes["tintype.tier"] = tier.rawValue }
        if let failure = response.report.failure {
            span.attributes["error.type"] = failure.code
            if failure.status >= 500 { span.setStatus(SpanStatus(code: .error, message: failure.code)) }
        }
        return response
    }

    /// Does a part of a request inside a span.
    func part<Value: Sendable>(
        _ part: ServerMetrics.Span, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        let span = tracer.startSpan(part.rawValue, context: ServiceContext.current ?? .topLevel, ofKind: .internal)
        defer { span.end() }
        let result: Result<Value, Failure> = await ServiceContext.$current.withValue(span.context) {
            do throws(Failure) { return .success(try await body()) } catch { return .failure(error) }
        }
        if case .failure(let failure) = result { span.attributes["error.type"] = failure.code }
        return try result.get()
    }

    private struct FieldExtractor: Extractor {
        func extract(key: String, from fields: HTTPFields) -> String? { fields[key] }
    }
    #else
    /// Answers a request.
    func request(_ request: ServerRequest, _ respond: () async -> ServiceResponse) async -> ServiceResponse {
        await respond()
    }

    /// Does a part of a request.
    func part<Value: Sendable>(
        _ part: ServerMetrics.Span, _ body: () async throws(Failure) -> Value
    ) async throws(Failure) -> Value {
        try await body()
    }
    #endif
}
