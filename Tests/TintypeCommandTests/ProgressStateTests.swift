import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// The lines of the progress display. Names and sizes come from outside.
@Suite(.timeLimited) struct ProgressStateTests {
    @Test(arguments: [1, 2, 8, 20, 79, 80, 1000, 65_535]) func linesArePrintableAndFit(_ columns: Int) {
        let names = [
            "http://a/\u{1B}[2J\u{202E}\n.png", String(repeating: "x\u{9B}", count: 100_000), "", "short",
            "a" + String(repeating: "\u{301}", count: 100_000),
        ]
        let amounts = [
            LoadProgress(received: 7), LoadProgress(received: 5, expected: 10),
            LoadProgress(received: 11, expected: 10),
            LoadProgress(received: 1, expected: .max), LoadProgress(received: 1, expected: 0),
        ]
        var state = ProgressState()
        state.begin(total: 5)
        for (name, amount) in zip(names, amounts) { state.add(name, amount) }
        let lines = state.lines(columns: columns)
        #expect(lines.count == 6)
        for line in lines {
            #expect(line.count < columns || line.isEmpty)
            #expect(line.unicodeScalars.allSatisfy { $0.isPrintable })
        }
    }

    @Test func theEndOfALongNameIsShown() {
        var state = ProgressState()
        let name = "http://example.org/" + String(repeating: "x", count: 2000) + "/photo.jpg"
        state.add(name, LoadProgress(received: 1))
        #expect(state.lines(columns: 80).first?.hasSuffix("xx/photo.jpg") == true)
        #expect(state.lines(columns: 80).first?.contains("…xx") == true)
    }

    /// A name is shortened once, not for every line that is drawn. Otherwise this would exceed the time limit.
    @Test func drawingIsCheapForLongNames() {
        var state = ProgressState()
        state.add(String(repeating: "é", count: 2_000_000), LoadProgress(received: 1))
        #expect(state.lines(columns: .max).allSatisfy { $0.count < 1100 })
        let lines = state.lines(columns: 80)
        for _ in 0..<20_000 where state.lines(columns: 80) != lines { Issue.record("the lines have changed") }
    }

    @Test(arguments: [
        (0, 0.0, "0 of 10 done, 5.0 MB"), (0, 2.0, "0 of 10 done, 5.0 MB, 2.5 MB/s"),
        (4, 2.0, "4 of 10 done, 5.0 MB, 2.5 MB/s, 3 s left"), (1, 60.0, "1 of 10 done, 5.0 MB, 83 kB/s, 9 min left"),
        (1, 3600.0, "1 of 10 done, 5.0 MB, 1.4 kB/s, 9 h left"), (10, 4.0, "10 of 10 done, 5.0 MB, 1.2 MB/s"),
    ]) func theTotalHasRateAndRemainingTime(_ finished: Int, _ seconds: Double, _ line: String) {
        var state = ProgressState()
        state.begin(total: 10)
        state.add("a", LoadProgress(received: 5_000_000))
        for _ in 0..<finished { state.finish() }
        #expect(state.lines(columns: 100, after: .seconds(seconds)).last == line)
    }

    @Test func aLineFollowsItsLoadFromTheFirstByteToTheEnd() {
        let arrived = Locked(LoadProgress())
        var state = ProgressState()
        state.begin(total: 2)
        let number = state.beginLoad("a") { arrived.withLock { $0 } }
        #expect(state.lines(columns: 80) == ["0 of 2 done, 0 B"])
        arrived.withLock { $0 = LoadProgress(received: 5, expected: 10) }
        #expect(state.lines(columns: 80) == ["━━━━━━━━╌╌╌╌╌╌╌╌ 5 B of 10 B        a", "0 of 2 done, 5 B"])
        arrived.withLock { $0.received = 9 }
        state.endLoad(number)
        #expect(state.lines(columns: 80) == ["0 of 2 done, 9 B"])
        state.finish(times: 2, bytes: 1)
        #expect(state.lines(columns: 80) == ["2 of 2 done, 10 B"])
    }

    /// Loads of one source have equal names.
    @Test func eachLoadHasALineOfItsOwn() {
        var state = ProgressState()
        let first = state.add("a", LoadProgress(received: 1))
        state.add("a", LoadProgress(received: 2))
        #expect(state.lines(columns: 80).count == 3)
        state.endLoad(first)
        #expect(state.lines(columns: 80).count == 2 && state.lines(columns: 80).last == "0 of 0 done, 3 B")
    }
}

extension ProgressState {
    /// Adds a load that makes no progress.
    @discardableResult fileprivate mutating func add(_ name: String, _ progress: LoadProgress) -> Int {
        beginLoad(name) { progress }
    }
}

/// The progress of a command on a terminal.
@Suite(.timeLimited) struct ProgressDisplayTests {
    @Test func aTransferIsShownWhileItRuns() async throws {
        try await withCommandFixture { fixture in
            let gate = OriginGate(after: 100)
            defer { gate.open() }
            let jpeg = try CommandFixture.jpeg(width: 120, height: 80)
            fixture.origin.serve("/slow.jpg", response: .image(jpeg, type: "image/jpeg").setting(\.gate, to: gate))
            let terminal = try CommandTerminal(
                try CommandRun.binary, ["fetch", "--timeout", "3600", "--min-rate", "0", fixture.url("/slow.jpg")],
                environment: ["TERM": "xterm", "XDG_CACHE_HOME": fixture.path("cache")])
            _ = await terminal.read(until: "100 B of \(HumanFormat.bytes(jpeg.count))")
            gate.open()
            let rest = await terminal.readToEnd()
            #expect(rest.hasSuffix("A\u{1B}[J"), "\(rest)")
            #expect(await terminal.end() == 0)
        }
    }
}

/// The control sequences that draw the progress in place.
@Suite struct ProgressBlockTests {
    @Test func aBlockIsDrawnOverTheFormerOne() {
        var block = ProgressBlock()
        #expect(block.erase().isEmpty)
        #expect(block.draw(["a", "b"], inColor: false) == "\u{1B}[?7l\ra\u{1B}[K\nb\u{1B}[K\n\u{1B}[J\u{1B}[?7h")
        #expect(block.draw(["c"], inColor: false) == "\u{1B}[?7l\r\u{1B}[2Ac\u{1B}[K\n\u{1B}[J\u{1B}[?7h")
        // The same lines are not written again ten times a second.
        #expect(block.draw(["c"], inColor: false).isEmpty)
        #expect(block.erase() == "\r\u{1B}[1A\u{1B}[J")
        #expect(block == ProgressBlock())
    }

    @Test func onlyTheReceivedPartOfABarHasAColour() {
        var block = ProgressBlock()
        let text = block.draw(["━━╌╌ a", "b ━"], inColor: true)
        #expect(text.contains("\u{1B}[32m━━\u{1B}[0m╌╌ a") && text.contains("\nb ━\u{1B}[K"))
    }
}
