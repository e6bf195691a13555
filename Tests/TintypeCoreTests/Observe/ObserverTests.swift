import Foundation
import Logging
import MetricsTestKit
import TestSupport
import Testing
import TintypeTesting

@testable import TintypeCore

/// The events that observers receive, among them the counterparts of SDWebImage's notifications.
@Suite(.timeLimited) struct ObserverTests {
    /// Records every event as a word.
    private final class EventRecorder: PipelineObserver {
        let words = Shared<[String]>([])

        func observe(_ event: PipelineEvent) {
            words.withLock { $0.append(Self.word(event)) }
        }

        private static func word(_ event: PipelineEvent) -> String {
            switch event {
            case .lookedUp(_, let tiers, let found): "\(tiers == .memory ? "memory" : "disk") \(found ? "hit" : "miss")"
            case .loadBegan: "began"
            case .loadEnded(_, _, .success, _): "ended"
            case .loadEnded(_, _, .failure(let error), _): "ended \(error.code)"
            case .stageBegan(let run): "\(run.stage)…"
            case .responseBegan: "response"
            case .stageEnded(let run, let outcome): "\(run.stage)" + (outcome.error.map { " \($0.code)" } ?? "")
            case .evicted(let count): "evicted \(count)"
            }
        }
    }

    private func observed(_ observers: any PipelineObserver...) -> PipelineFixture {
        PipelineFixture { $0.observers = observers }
    }

    @Test func everyStageOfALoadIsObservedInOrder() async throws {
        let events = EventRecorder()
        let fixture = observed(events)
        fixture.answer()
        let request = fixture.request().transformed(by: CountingTransformer(identifier: "t"))
        _ = try await fixture.pipeline.image(for: request)
        _ = try await fixture.pipeline.image(for: request)
        try await fixture.pipeline.flush()
        // Encoding for the disk runs in the background.
        let words = events.words.now.filter { !$0.hasPrefix("encode") }
        #expect(
            words == [
                "memory miss", "began", "disk…", "disk", "disk miss", "disk…", "disk", "disk miss", "load…", "response",
                "load", "decode…", "decode", "transform…", "transform", "store…", "store", "ended", "memory hit",
            ])
        #expect(events.words.now.contains("encode"))
    }

    @Test func anObserverOfARequestSeesItsLoadsAlone() async throws {
        let (all, own) = (EventRecorder(), EventRecorder())
        let fixture = observed(all)
        for name in ["a", "b"] { fixture.answer(name) }
        let request = fixture.request().overrides(RequestOverrides(observers: [own]))
        _ = try await fixture.pipeline.image(for: request)
        _ = try await fixture.pipeline.image(for: request)
        let words = own.words.now
        #expect(words == all.words.now && words.first == "memory miss" && words.last == "memory hit")
        #expect(words.contains("load") && words.contains("decode") && words.contains("ended"))
        _ = try await fixture.pipeline.image(for: fixture.request("b"))
        #expect(own.words.now == words && all.words.now.count > words.count)
    }

    @Test func theNotificationsOfADownloadHaveCounterparts() async {
        // Start is "load…", ReceiveResponse "response", Finish "load", and Stop without Finish "load" with an error.
        let events = EventRecorder()
        let fixture = observed(events)
        fixture.answer("a", .failure(TintypeError(.unreachable, stage: .load, "test")))
        await expectError(.unreachable) { try await fixture.pipeline.image(for: fixture.request()) }
        #expect(events.words.now.suffix(3) == ["load…", "load unreachable", "ended unreachable"])
    }

    @Test func sharedWorkIsObservedOnceAndEveryLoadToo() async throws {
        let events = EventRecorder()
        let fixture = observed(events)
        let gate = Gate()
        fixture.answer("a", .gated(gate, .data(PipelineFixture.png)))
        let tasks = (0..<5).map { _ in fixture.pipeline.start(fixture.request()) }
        await gate.waitForArrivals(1)
        gate.open()
        for task in tasks { _ = try await task.response }
        let words = events.words.now
        #expect(words.filter { $0 == "load" }.count == 1 && words.filter { $0 == "decode" }.count == 1)
        #expect(words.filter { $0 == "began" }.count == 5 && words.filter { $0 == "ended" }.count == 5)
    }

    /// A trace is a text that is also read in a terminal.
    @Test func aTraceContainsNoControlCharacters() async throws {
        let recorder = TraceRecorder()
        let fixture = observed(recorder)
        let name = "a\u{9B}31m\u{202E}\u{7F}\u{1B}é"
        fixture.answer(name)
        _ = try await fixture.pipeline.image(for: fixture.request(name))
        let trace = recorder.chromeTrace()
        let text = String(decoding: trace, as: UTF8.self)
        #expect(text.unicodeScalars.allSatisfy { $0.isPrintable })
        let object = try #require(try JSONSerialization.jsonObject(with: trace) as? [String: Any])
        #expect("\(object)".contains("é") && text.contains("202E"))
    }

    @Test func evictionsAreObserved() async throws {
        let events = EventRecorder()
        let info = ImageInfo(format: .png, size: PixelSize(width: 200, height: 200))
        let fixture = PipelineFixture(info: info) { $0.observers = [events] }
        for number in 0..<10 {
            fixture.answer("\(number)")
            _ = try await fixture.pipeline.image(for: fixture.request("\(number)"))
        }
        #expect(events.words.now.contains { $0.hasPrefix("evicted") })
    }

    @Test func metricsCountLookupsBytesDurationsAndFailures() async throws {
        let metrics = TestMetrics()
        let fixture = observed(PipelineMetrics(factory: metrics))
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        _ = try await fixture.pipeline.image(for: fixture.request())
        fixture.answer("b", .failure(TintypeError(.unreachable, stage: .load, "test")))
        await expectError(.unreachable) { try await fixture.pipeline.image(for: fixture.request("b")) }
        func total(_ label: String, _ dimensions: [(String, String)]) throws -> Int64 {
            try metrics.expectCounter(label, dimensions).totalValue
        }
        #expect(try total("tintype_lookups", [("tier", "memory"), ("result", "hit")]) == 1)
        #expect(try total("tintype_lookups", [("tier", "memory"), ("result", "miss")]) == 2)
        #expect(try total("tintype_lookups", [("tier", "disk"), ("result", "miss")]) == 2)
        #expect(try total("tintype_loads", [("origin", "network")]) == 1)
        #expect(try total("tintype_failures", [("code", "unreachable")]) == 1)
        #expect(try total("tintype_bytes", [("stage", "load")]) == Int64(PipelineFixture.png.count))
        #expect(try metrics.expectTimer("tintype_stage_duration", [("stage", "decode")]).values.count == 1)
        #expect(try metrics.expectTimer("tintype_load_duration").values.count == 2)
    }

    @Test func theTraceHasTheFormatThatChromeReads() async throws {
        struct Trace: Decodable {
            struct Event: Decodable {
                let name: String
                let ph: String
                let pid: Int
                let tid: Int
                let ts: Double
                let dur: Double?
                let args: [String: String]
            }
            let traceEvents: [Event]
        }
        let recorder = TraceRecorder()
        let fixture = PipelineFixture {
            $0.observers = [recorder]
            $0.time = .system
        }
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        let trace = try JSONDecoder().decode(Trace.self, from: recorder.chromeTrace())
        let spans = trace.traceEvents.filter { $0.ph == "X" }
        #expect(spans.map(\.name).sorted() == ["closure:a", "decode", "disk", "load", "store"])
        #expect(spans.allSatisfy { $0.ts >= 0 && ($0.dur ?? -1) >= 0 && $0.args["key"] != nil })
        // The spans of the stages lie within the span of the load.
        let load = try #require(spans.first { $0.pid == 1 })
        let end = load.ts + (load.dur ?? 0)
        #expect(spans.filter { $0.pid == 2 }.allSatisfy { $0.ts >= load.ts && $0.ts + ($0.dur ?? 0) <= end })
    }

    @Test func aLoadInATraceHasTheTimesOfItsTransfer() throws {
        let image = try Image.pixel()
        var response = ImageResponse(image: image, origin: .network)
        var metrics = TransferMetrics()
        (metrics.nameLookup, metrics.handshake) = (.microseconds(250), .milliseconds(3))
        response.metrics = metrics
        let span = TraceSpan(PipelineFixture().request(), .success(response), began: .zero, .seconds(1))
        let times = span.details.filter { $0.value.hasSuffix(" ms") }
        #expect(
            times == [
                "queued": "0.0 ms", "name_lookup": "0.25 ms", "handshake": "3.0 ms", "first_byte": "0.0 ms",
                "body": "0.0 ms",
            ])
    }

    @Test func spansInOneRowOfATraceDoNotOverlap() {
        let key = CacheKey(source: "a")
        var random = SeededRandom.printed("trace")
        let spans = (0..<200).map { id in
            let run = StageRun(
                id: id, stage: .load, key: key, began: .milliseconds(Int.random(in: 0..<500, using: &random)))
            let duration = Duration.milliseconds(Int.random(in: 0..<50, using: &random))
            return TraceSpan(run, StageOutcome(duration: duration, error: nil, byteCount: nil))
        }
        let rows = Dictionary(grouping: ChromeTrace(spans).traceEvents.filter { $0.ph == "X" }, by: \.tid)
        #expect(rows.values.reduce(0) { $0 + $1.count } == spans.count)
        for row in rows.values {
            let sorted = row.sorted { $0.ts < $1.ts }
            for (former, next) in zip(sorted, sorted.dropFirst()) {
                #expect(former.ts + (former.dur ?? 0) <= next.ts + 0.001)
            }
        }
    }

    @Test func nanosecondsSaturate() {
        #expect(Duration(secondsComponent: 1, attosecondsComponent: 5_000_000_000).nanoseconds == 1_000_000_005)
        let almost = Int64.max / 1_000_000_000
        let last = Duration(secondsComponent: almost, attosecondsComponent: 999_999_999_000_000_000)
        let endless = Duration(secondsComponent: .max, attosecondsComponent: 0)
        #expect(last.nanoseconds == .max && endless.nanoseconds == .max)
        #expect((Duration.zero - last).nanoseconds == .min)
    }

    @Test func theTraceIsBounded() async throws {
        let recorder = TraceRecorder(capacity: 2)
        let fixture = observed(recorder)
        fixture.answer()
        _ = try await fixture.pipeline.image(for: fixture.request())
        #expect(recorder.droppedCount == 3)
    }

    @Test func loadsAreLoggedAtDebugAndStagesAtTrace() async throws {
        for (level, expected) in [(Logger.Level.info, 0), (.debug, 1), (.trace, 5)] {
            let lines = Shared<[String]>([])
            let fixture = PipelineFixture {
                $0.logger = Logger(label: "test") { _ in LinesHandler(lines) }
                $0.logger.logLevel = level
            }
            fixture.answer()
            _ = try await fixture.pipeline.image(for: fixture.request())
            #expect(lines.now.count == expected, "\(lines.now)")
        }
    }
}

/// A log handler that records its lines.
private struct LinesHandler: LogHandler {
    let lines: Shared<[String]>
    var metadata: Logger.Metadata = [:]
    var logLevel = Logger.Level.trace

    init(_ lines: Shared<[String]>) {
        self.lines = lines
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        lines.withLock { $0.append("\(event.message)") }
    }
}
