#if Tracing
import InMemoryTracing
import Testing
import TestSupport
import Tintype
import TintypeTesting
import Tracing

@testable import TintypeServer

/// The spans of requests.
@Suite(.timeLimited) struct TracingTests {
    private let tracer = InMemoryTracer()

    @Test func thePartsOfARequestAreChildrenOfItsSpan() async throws {
        try await ServiceFixture.run({ $0.tracer = RequestTracer(tracer) }) { fixture in
            try fixture.servePicture("/a.png")
            _ = await fixture.get("w:40", "/a.png")
        }
        let spans = tracer.finishedSpans
        let request = try #require(spans.first { $0.operationName == "tintype.request" })
        #expect(request.attributes.get("http.response.status_code") == .int64(200))
        for name in ["downloading_source_image", "queue", "processing_image"] {
            let part = try #require(spans.first { $0.operationName == name }, "\(name)")
            #expect(part.parentSpanID == request.spanID && part.traceID == request.traceID)
        }
    }

    @Test func aHitHasNoParts() async throws {
        try await ServiceFixture.run({ $0.tracer = RequestTracer(tracer) }) { fixture in
            try fixture.servePicture("/a.png")
            _ = await fixture.get("w:40", "/a.png")
            tracer.clearFinishedSpans()
            _ = await fixture.get("w:40", "/a.png")
        }
        #expect(tracer.finishedSpans.map(\.operationName) == ["tintype.request"])
        #expect(tracer.finishedSpans.first?.attributes.get("tintype.tier") == .string("memory"))
    }

    @Test func theSpanOfTheClientIsTheParent() async throws {
        try await ServiceFixture.run({ $0.tracer = RequestTracer(tracer) }) { fixture in
            let fields: HTTPFields = [
                InMemoryTracer.traceIDKey: "the trace", InMemoryTracer.spanIDKey: "the caller",
            ]
            #expect(await fixture.get("w:40", "/none", fields).status == 404)
        }
        let request = try #require(tracer.finishedSpans.first { $0.operationName == "tintype.request" })
        #expect(request.traceID == "the trace" && request.parentSpanID == "the caller")
        #expect(request.attributes.get("error.type") == .string("badStatus"))
    }
}
#endif
