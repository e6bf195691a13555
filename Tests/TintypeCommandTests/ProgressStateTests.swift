import Testing
import Tintype

@testable import TintypeCommand

/// The lines of the progress display. Names and sizes come from outside.
@Suite(.timeLimit(.minutes(15))) struct ProgressStateTests {
    @Test(arguments: [1, 2, 8, 20, 79, 80, 1000, 65_535]) func linesArePrintableAndFit(_ columns: Int) {
        let names = [
            "http://a/\u{1B}[2J\u{202E}\n.png", String(repeating: "x\u{9B}", count: 100_000), "", "short",
            "a" + String(repeating: "\u{301}", count: 100_000),
        ]
        let amounts = [
            LoadProgress(), LoadProgress(received: 5, expected: 10), LoadProgress(received: 11, expected: 10),
            LoadProgress(received: 1, expected: .max), LoadProgress(received: 1, expected: 0),
        ]
        var state = ProgressState()
        state.begin(total: 5)
        for (name, amount) in zip(names, amounts) { state.update(name, amount) }
        let lines = state.lines(columns: columns)
        #expect(lines.count == 6)
        for line in lines {
            #expect(line.count < columns || line.isEmpty)
            #expect(line.unicodeScalars.allSatisfy { $0.isPrintable })
        }
    }

    @Test func theEndOfALongNameIsShown() {
        var state = ProgressState()
        state.update("http://example.org/" + String(repeating: "x", count: 2000) + "/photo.jpg", LoadProgress())
        #expect(state.lines(columns: 80).first?.hasSuffix("xx/photo.jpg") == true)
        #expect(state.lines(columns: 80).first?.contains("…xx") == true)
    }

    /// A name is shortened once, not for every line that is drawn. Otherwise this would exceed the time limit.
    @Test func drawingIsCheapForLongNames() {
        var state = ProgressState()
        state.update(String(repeating: "é", count: 2_000_000), LoadProgress())
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
        state.update("a", LoadProgress(received: 5_000_000))
        for number in 0..<finished { state.finish("\(number)", times: 1) }
        #expect(state.lines(columns: 100, after: .seconds(seconds)).last == line)
    }
}

/// The control sequences that draw the progress in place.
@Suite struct ProgressBlockTests {
    @Test func aBlockIsDrawnOverTheFormerOne() {
        var block = ProgressBlock()
        #expect(block.erase().isEmpty)
        #expect(block.draw(["a", "b"], inColor: false) == "\u{1B}[?7l\ra\u{1B}[K\nb\u{1B}[K\n\u{1B}[J\u{1B}[?7h")
        #expect(block.draw(["c"], inColor: false) == "\u{1B}[?7l\r\u{1B}[2Ac\u{1B}[K\n\u{1B}[J\u{1B}[?7h")
        #expect(block.erase() == "\r\u{1B}[1A\u{1B}[J")
        #expect(block == ProgressBlock())
    }

    @Test func onlyTheReceivedPartOfABarHasAColour() {
        var block = ProgressBlock()
        let text = block.draw(["━━╌╌ a", "b ━"], inColor: true)
        #expect(text.contains("\u{1B}[32m━━\u{1B}[0m╌╌ a") && text.contains("\nb ━\u{1B}[K"))
    }
}
