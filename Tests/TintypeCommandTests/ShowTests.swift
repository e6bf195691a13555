import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTerminal
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimited) struct ShowTests {
    @Test func withoutATerminalEachImageIsALine() async throws {
        try await withCommandFixture { fixture in
            let animation = CommandFixture.codecFixture("forever.gif")
            let run = try await CommandRun.tintype("show", fixture.url("/a.jpg"), fixture.url("/b.png"), animation)
            let lines = run.output.split(separator: "\n")
            #expect(lines.prefix(2) == ["a.jpg  jpeg  120×80", "b.png  png  60×90"])
            #expect(lines.last?.hasPrefix("forever.gif  gif  ") == true && lines.last?.hasSuffix(" frames") == true)
            #expect(run.status == 0 && run.error == "" && !run.output.contains("\u{1B}"))
        }
    }

    @Test func failuresAreCounted() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "show", fixture.url("/corrupt.png"), fixture.url("/a.jpg"), fixture.path("none.png"))
            #expect(run.status == 2)
            #expect(run.output == "a.jpg  jpeg  120×80\n")
            #expect(run.error.split(separator: "\n").count == 2)
        }
    }

    /// Half blocks in true colour, which are exact: the file has 20 columns, and two rows of pixels in each line.
    @Test func aChosenProtocolIsWrittenToAFile() async throws {
        try await withCommandFixture { fixture in
            let colors = ["COLORTERM": "truecolor", "TERM": "xterm-256color", "NO_COLOR": ""]
            let run = try await CommandRun.tintype(
                ["show", "--protocol", "blocks", "--size", "20x10", fixture.url("/a.jpg")], environment: colors)
            #expect(run.status == 0)
            let lines = run.output.split(separator: "\r\n")
            #expect(lines.count == 7 && lines.allSatisfy { $0.contains("\u{1B}[48;2;") && $0.hasSuffix("\u{1B}[0m") })
            let kitty = try await CommandRun.tintype("show", "--protocol", "kitty", "--once", fixture.url("/b.png"))
            #expect(kitty.output.contains("\u{1B}_Ga=T,") && kitty.output.contains("s=60,v=90"))
        }
    }

    @Test func aGridHasNamesAndLeavesRoomForFailures() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                ["show", "--protocol", "blocks", "--grid", "3", "--size", "60x20"]
                    + ["/a.jpg", "/corrupt.png", "/b.png", "/a.jpg"].map(fixture.url),
                environment: ["NO_COLOR": "1"])
            #expect(run.status == 1)
            let names = run.output.split(separator: "\r\n").filter { $0.contains(".") }
            #expect(names.map { $0.split(separator: " ") } == [["a.jpg", "✗", "corrupt.png", "b.png"], ["a.jpg"]])
        }
    }

    @Test(arguments: ["kitty", "blocks"]) func theAnimationsOfAGridInAFileAreStill(_ name: String) async throws {
        try await withCommandFixture { fixture in
            let animation = CommandFixture.codecFixture("forever.gif")
            let run = try await CommandRun.tintype("show", "--protocol", name, "--loop", "--grid", "2", animation)
            #expect(run.status == 0 && run.output.contains("forever.gif"))
            #expect(!run.output.contains("a=f") && !run.output.contains("\u{1B}[?25l"))
        }
    }

    @Test(arguments: [
        (["show"], "no source given"), (["show", "--size", "0x9", "x"], "such as 80x24"),
        (["show", "--size", "9x", "x"], "such as 80x24"), (["show", "--grid", "0", "x"], "--grid: expected a number"),
        (["show", "--grid", "2", "--watch", "x"], "--grid and --watch exclude each other"),
        (["show", "--protocol", "ascii", "x"], "quadrants"), (["show", "--loop", "--once", "x"], "--once"),
    ])
    func wrongArgumentsAreRefused(_ arguments: [String], _ message: String) async throws {
        let run = try await CommandRun.tintype(arguments)
        #expect(run.status == 64 && run.error.contains(message), "\(run.error)")
    }

    @Test(arguments: [
        ("photos/a b.jpg", "a b.jpg"), ("https://example.org/x/y.png?z=1#f", "y.png"), ("-", "standard input"),
        ("data:image/png;base64,AAAA", "data URL"), ("https://example.org", "example.org"),
    ])
    func namesAreShort(_ source: String, _ name: String) {
        #expect(ShowLine.name(SourceArgument(argument: source)) == name)
    }
}
