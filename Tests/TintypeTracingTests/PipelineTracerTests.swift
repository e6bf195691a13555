#if Tracing
import Foundation
import InMemoryTracing
import Testing
import TestSupport
import TintypeCore
import TintypeTesting
import Tracing

@testable import TintypeTracing

/// The spans of a pipeline, by a tracer that keeps them in memory.
@Suite(.timeLimited) struct PipelineTracerTests {
    private let tracer = InMemoryTracer()
    private let loader = FakeLoader()
    private let pipeline: ImagePipeline

    private static let png = Data([0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]) + Data(repeating: 7, count: 100)
    private static let address = "https://user:secret@images.test:8443/a.png?w=100&sig=abc#part"

    init() {
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        configuration.coders = ImageCoderRegistry(decoders: [GatedDecoder()])
        configuration.cache = ImageCache(memory: MemoryCache(limits: CacheLimits(cost: 1 << 20)))
        configuration.observers = [PipelineTracer(tracer: tracer)]
        pipeline = ImagePipeline(configuration)
    }

    private func request() throws -> ImageRequest { ImageRequest(url: try #require(URL(string: Self.address))) }

    private func answer(_ answer: FakeLoader.Answer) throws {
        loader.setAnswer(answer, for: try request().source.identity)
    }

    private func spans(_ name: String) -> [FinishedInMemorySpan] {
        tracer.finishedSpans.filter { $0.operationName == name }
    }

    @Test func aLoadHasASpanWithItsStages() async throws {
        try answer(.data(Self.png))
        try await tracer.withSpan("caller") { _ in _ = try await pipeline.image(for: try request()) }
        let (caller, image) = (try #require(spans("caller").first), try #require(spans("tintype.image").first))
        let (load, decode) = (try #require(spans("tintype.load").first), try #require(spans("tintype.decode").first))
        #expect(image.parentSpanID == caller.spanID)
        #expect(load.parentSpanID == image.spanID && decode.parentSpanID == image.spanID)
        #expect(load.traceID == caller.traceID && load.kind == .client && decode.kind == .internal)
        #expect(load.attributes.get("tintype.byte_count") == .int64(Int64(Self.png.count)))
        #expect(image.attributes.get("tintype.origin") == "network")
        #expect(image.errors.isEmpty && image.status == nil && tracer.activeSpans.isEmpty)
    }

    @Test func theAttributesOfAURLAreStandardAndContainNoSecret() async throws {
        try answer(.data(Self.png))
        _ = try await pipeline.image(for: try request())
        for span in [try #require(spans("tintype.image").first), try #require(spans("tintype.load").first)] {
            #expect(
                span.attributes.get("url.full") == "https://images.test:8443/a.png?w=100&sig=REDACTED")
            #expect(span.attributes.get("url.scheme") == "https")
            #expect(span.attributes.get("server.address") == "images.test")
            #expect(span.attributes.get("server.port") == .int64(8443))
        }
    }

    @Test func anImageInMemoryHasNoSpan() async throws {
        try answer(.data(Self.png))
        _ = try await pipeline.image(for: try request())
        tracer.clearFinishedSpans()
        _ = try await pipeline.image(for: try request())
        #expect(tracer.finishedSpans.isEmpty && tracer.activeSpans.isEmpty)
    }

    /// Two loads begin while the transfer of the first one runs.
    @Test func sharedWorkHasOneSpanThatLinksToTheOtherLoads() async throws {
        let gate = Gate()
        try answer(.gated(gate, .data(Self.png)))
        var tasks = [pipeline.start(try request())]
        await gate.waitForArrivals(1)
        let first = try #require(tracer.activeSpans.first { $0.operationName == "tintype.image" }).spanID
        for width in 1...2 { tasks.append(pipeline.start(try request().fitting(width: width))) }
        while pipeline.activity.loads.subscribers < 3 { await Task.yield() }
        gate.open()
        for task in tasks { _ = try await task.response }
        let others = Set(spans("tintype.image").map(\.spanID)).subtracting([first])
        let load = try #require(spans("tintype.load").first)
        #expect(spans("tintype.load").count == 1 && others.count == 2)
        #expect(load.parentSpanID == first && load.links.count == 2)
        #expect(Set(load.links.compactMap { $0.context.inMemorySpanContext?.spanID }) == others)
        #expect(spans("tintype.decode").contains { $0.links.count == 2 })
    }

    /// The loads join the transfer while it runs, and wait for the decode before it begins.
    @Test func aSpanHasAtMost128Links() async throws {
        let gate = Gate()
        try answer(.gated(gate, .data(Self.png)))
        var tasks = [pipeline.start(try request())]
        await gate.waitForArrivals(1)
        for _ in 0..<140 { tasks.append(pipeline.start(try request())) }
        gate.open()
        for task in tasks { _ = try await task.response }
        #expect(spans("tintype.image").count == 141)
        #expect(spans("tintype.load").map(\.links.count) == [128])
        #expect(spans("tintype.decode").map(\.links.count).max() == 128)
    }

    @Test func aSpanHasTheTimesOfItsTransfer() async throws {
        try answer(.data(Self.png))
        var response = try await pipeline.response(for: try request())
        var metrics = TransferMetrics()
        (metrics.connecting, metrics.handshake) = (.microseconds(250), .milliseconds(3))
        response.metrics = metrics
        var attributes = SpanAttributes()
        attributes.addResponse(response)
        #expect(attributes.get("tintype.transfer.connecting_ms") == .double(0.25))
        #expect(attributes.get("tintype.transfer.handshake_ms") == .double(3))
        #expect(attributes.get("tintype.transfer.name_lookup_ms") == nil)
    }

    @Test(arguments: [(404, "404"), (nil, "unreachable")] as [(Int?, String)])
    func aFailureIsAnErrorOfItsSpans(_ status: Int?, _ type: String) async throws {
        let code = status == nil ? TintypeError.Code.unreachable : .badStatus
        try answer(.failure(TintypeError(code, stage: .load, "no", status: status)))
        await expectError(code) { try await pipeline.image(for: try request()) }
        for name in ["tintype.image", "tintype.load"] {
            let span = try #require(spans(name).first)
            #expect(span.status?.code == .error && span.errors.count == 1)
            #expect(span.attributes.get("error.type") == .string(type))
            #expect(span.attributes.get("http.response.status_code") == status.map { .int64(Int64($0)) })
        }
        #expect(spans("tintype.decode").isEmpty)
    }

    @Test func aFailureContainsNoSecret() async throws {
        let message = "a redirect to \(Self.address) was refused"
        let cause = TintypeError(.transport, stage: .load, message)
        try answer(
            .failure(TintypeError(.forbidden, stage: .load, message, subject: Self.address, underlying: cause)))
        await expectError(.forbidden) { try await pipeline.image(for: try request()) }
        #expect(tracer.finishedSpans.count >= 2)
        for span in tracer.finishedSpans {
            let text = Self.text(of: span)
            #expect(text.contains("a redirect to https://images.test:8443/a.png… [forbidden, load]"))
            for secret in ["abc", "user", "secret", "part"] { #expect(!text.contains(secret), "\(text)") }
        }
    }

    /// Everything that a span exports as text.
    private static func text(of span: FinishedInMemorySpan) -> String {
        var parts = ["\(span.status?.message ?? "")", "\(span.events)"]
        span.attributes.forEach { parts.append("\($0)=\($1)") }
        for recorded in span.errors {
            recorded.attributes.forEach { parts.append("\($0)=\($1)") }
            let error = recorded.error as? TintypeError
            parts.append("\(recorded.error) \(error?.subject ?? "") \(error?.underlying.map { "\($0)" } ?? "")")
        }
        return parts.joined(separator: "\n")
    }

    @Test func aCancelledLoadIsNoError() async throws {
        let gate = Gate()
        try answer(.gated(gate, .data(Self.png)))
        let task = pipeline.start(try request())
        await gate.waitForArrivals(1)
        task.cancel()
        await expectError(.cancelled) { try await task.response }
        while !tracer.activeSpans.isEmpty { await Task.yield() }
        let image = try #require(spans("tintype.image").first)
        #expect(image.attributes.get("error.type") == "cancelled" && image.status == nil && image.errors.isEmpty)
    }

    @Test func onlyTheChosenStagesHaveSpans() async throws {
        let own = InMemoryTracer()
        var configuration = PipelineConfiguration()
        configuration.loaders = [loader]
        configuration.coders = ImageCoderRegistry(decoders: [GatedDecoder()])
        configuration.cache = ImageCache(memory: nil)
        configuration.observers = [PipelineTracer(tracer: own, stages: [.decode])]
        try answer(.data(Self.png))
        _ = try await ImagePipeline(configuration).image(for: try request())
        while !own.activeSpans.isEmpty { await Task.yield() }
        #expect(Set(own.finishedSpans.map(\.operationName)) == ["tintype.image", "tintype.decode"])
    }
}

@Suite struct OpenWorkTests {
    @Test func theItemsOfASourceAreUpdated() {
        var stages = OpenWork<Int>()
        for id in 1...3 { stages.begin(id, of: "a", 10 * id) }
        stages.begin(4, of: "b", 0)
        let results = stages.updateItems(of: "a") { item in
            item += 1
            return item > 20 ? "\(item)" : nil
        }
        #expect(results == ["21", "31"] && stages.items(of: "a") == [11, 21, 31] && stages.items(of: "b") == [0])
        #expect(stages.items(of: "a", atMost: 2) == [11, 21] && stages.items(of: "c", atMost: 1).isEmpty)
    }

    @Test func theLoadsOfASourceAreInOrder() {
        var loads = OpenWork<String>()
        loads.begin(1, of: "a", "first")
        loads.begin(2, of: "b", "other")
        loads.begin(3, of: "a", "second")
        #expect(loads.items(of: "a") == ["first", "second"] && loads.items(of: "c").isEmpty)
        let ended = [1, 1, 9].map { loads.end($0) }
        #expect(ended == ["first", nil, nil] && loads.items(of: "a") == ["second"])
        let rest = [3, 2].map { loads.end($0) }
        #expect(rest == ["second", "other"] && loads.isEmpty)
    }
}

@Suite struct SpanURLTests {
    @Test(arguments: [
        ("https://a.test/b?c=d", "https://a.test/b?c=d"),
        ("https://user:password@a.test/", "https://a.test/"),
        (
            "https://a.test/?X-Amz-Signature=1&w=2&ACCESS_TOKEN=3",
            "https://a.test/?X-Amz-Signature=REDACTED&w=2&ACCESS_TOKEN=REDACTED"
        ),
        ("https://a.test/b%20c?d=%26#e", "https://a.test/b%20c?d=%26"),
        ("file:///tmp/a.png", "file:///tmp/a.png"),
        ("data:image/png;base64,AAAA", "data:"),
    ])
    func secretsAreRemoved(_ text: String, _ expected: String) throws {
        let url = try #require(URL(string: text))
        #expect(url.withoutSecrets == expected)
    }

    @Test(arguments: [
        ("the server answered 404 Not Found", "the server answered 404 Not Found"),
        ("a redirect to https://user:password@a.test/b?sig=c d was refused", "a redirect to https://a.test/b…"),
        ("redirected to an invalid URL: //u:p@a.test:x/#token", "redirected to an invalid URL: //a.test:x/…"),
        ("redirected to an invalid URL: ?sig=a", "redirected to an invalid URL: …"),
        ("redirected to an invalid URL: https://u:p/w@a.test:x/", "redirected to an invalid URL: https://a.test:x/"),
        ("an@address is no password", "an@address is no password"),
    ])
    func secretsInAMessageAreRemoved(_ message: String, _ expected: String) {
        #expect(message.withoutSecrets == expected)
    }
}
#endif
