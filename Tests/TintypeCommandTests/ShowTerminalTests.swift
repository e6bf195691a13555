import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// `tintype show` on a terminal.
@Suite(.timeLimited) struct ShowTerminalTests {
    /// Runs the command on a terminal, which must be as before afterwards.
    ///
    /// - Parameter unanswered: The query that the terminal does not answer.
    private func withTerminal(
        _ arguments: [String], unanswered: String? = nil, _ body: (CommandTerminal) async throws -> Int32
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-show-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let terminal = try CommandTerminal(
            try CommandRun.binary, ["show"] + arguments,
            environment: [
                "SWIFT_BACKTRACE": "enable=no", "TERM": "xterm-256color", "COLORTERM": "truecolor",
                "XDG_CACHE_HOME": folder.path(percentEncoded: false),
            ], unanswered: unanswered)
        let status: Int32
        do { status = try await body(terminal) } catch {
            kill(terminal.process, SIGKILL)
            _ = await terminal.end()
            throw error
        }
        #expect(await terminal.end() == status)
        #expect(terminal.modes == terminal.formerModes)
    }

    private let photo = CommandFixture.codecFixture("small-image.gif")
    private let animation = CommandFixture.codecFixture("forever.gif")

    @Test func aStillImageIsPrintedAmongTheText() async throws {
        try await withTerminal([photo]) { terminal in
            let output = await terminal.readToEnd()
            #expect(output.contains("\u{1B}[c") && output.contains("▄"))
            #expect(!output.contains("\u{1B}[?1049h"))
            return 0
        }
    }

    @Test func anAnimationPlaysOnceAndEnds() async throws {
        try await withTerminal(["--once", animation]) { terminal in
            let output = await terminal.readToEnd()
            #expect(output.contains("\u{1B}[?25l") && output.contains("\u{1B}[?25h"))
            return 0
        }
    }

    @Test func keysEndAnAnimation() async throws {
        try await withTerminal(["--loop", animation]) { terminal in
            _ = await terminal.read(until: "\u{1B}[5n")
            terminal.type("q")
            let end = await terminal.readToEnd()
            #expect(end.contains("\u{1B}[?25h"))
            return 0
        }
    }

    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalEndsAnAnimation(_ signal: Int32) async throws {
        try await withTerminal(["--loop", animation]) { terminal in
            _ = await terminal.read(until: "\u{1B}[12;1H\u{1B}[5n")
            kill(terminal.process, signal)
            #expect(await terminal.readToEnd().contains("\u{1B}[?25h"))
            return signal == SIGHUP ? -signal : 130
        }
    }

    /// While the command waits for the position of the cursor.
    @Test(arguments: [[SIGHUP], [SIGQUIT], [SIGINT, SIGTERM]])
    func signalsDuringAQuestionRestoreTheTerminal(_ signals: [Int32]) async throws {
        let query = "\u{1B}[6n"
        try await withTerminal(["--loop", animation], unanswered: query) { terminal in
            _ = await terminal.read(until: query)
            for signal in signals { kill(terminal.process, signal) }
            _ = await terminal.readToEnd()
            return signals.count == 1 ? -signals[0] : 130
        }
    }

    // MARK: Grid

    /// The cursor is on row 12, below a row of images of 24 × 9 cells and their names.
    @Test func theAnimationsOfAGridPlayOnceWhereTheyWerePrinted() async throws {
        try await withTerminal(["--once", "--grid", "3", animation, photo, animation]) { terminal in
            let output = await terminal.readToEnd()
            let parts = output.components(separatedBy: "\u{1B}[?25l")
            try #require(parts.count == 2)
            #expect(parts[0].contains("forever.gif") && parts[0].contains("small-image.gif"))
            let moves = parts[1].components(separatedBy: "\u{1B}[").filter { $0.hasSuffix("H") || $0.contains("H▄") }
            #expect(!moves.isEmpty)
            // Each frame leaves the cursor below the grid, and so does the end.
            #expect(parts[1].contains("\u{1B}[12;1H\u{1B}[5n"))
            let positions = moves.map { $0.prefix { $0 != "H" }.split(separator: ";").compactMap { Int($0) } }
            let drawn = positions.filter { $0 != [12, 1] }
            #expect(drawn.allSatisfy { (2...10).contains($0[0]) })
            #expect(drawn.contains { $0[1] <= 24 } && drawn.contains { $0[1] > 52 })
            #expect(drawn.allSatisfy { $0[1] <= 24 || $0[1] > 52 })
            #expect(parts[1].contains("\u{1B}[?25h"))
            return 0
        }
    }

    /// Three rows need 30 lines, of which 11 are above the cursor.
    @Test func animationsThatHaveScrolledOffTheScreenAreNotDrawn() async throws {
        try await withTerminal(["--once", "--grid", "1", animation, animation, animation]) { terminal in
            let output = await terminal.readToEnd()
            let played = try #require(output.components(separatedBy: "\u{1B}[?25l").last)
            #expect(played.contains("\u{1B}[2;") && !played.contains("\u{1B}[1;"))
            return 0
        }
    }

    @Test func theFailuresOfAGridAreBelowIt() async throws {
        try await withTerminal(["--once", "--grid", "2", animation, "/none.png"]) { terminal in
            let output = await terminal.readToEnd()
            let end = try #require(output.range(of: "\u{1B}[?25h"))
            #expect(!output[..<end.lowerBound].contains("tintype:"))
            #expect(output[end.upperBound...].components(separatedBy: "/none.png").count == 2)
            return 1
        }
    }

    @Test func aKeyEndsTheAnimationsOfAGrid() async throws {
        try await withTerminal(["--loop", "--grid", "2", animation, animation]) { terminal in
            _ = await terminal.read(until: "\u{1B}[12;1H\u{1B}[5n")
            terminal.type("q")
            let end = await terminal.readToEnd()
            #expect(end.contains("\u{1B}[?25h"))
            return 0
        }
    }

    /// As a key: the terminal is restored, the cursor is below the grid, and the failures follow.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP]) func aSignalEndsTheAnimationsOfAGrid(_ signal: Int32) async throws {
        try await withTerminal(["--loop", "--grid", "2", animation, "/none.png"]) { terminal in
            _ = await terminal.read(until: "\u{1B}[12;1H\u{1B}[5n")
            kill(terminal.process, signal)
            let output = await terminal.readToEnd()
            let end = try #require(output.range(of: "\u{1B}[?25h"))
            #expect(!output[..<end.lowerBound].contains("tintype:"))
            #expect(output[end.upperBound...].components(separatedBy: "/none.png").count == 2)
            // The command itself handles those that interrupt its loads as well.
            return signal == SIGHUP ? -signal : 130
        }
    }

    /// The terminal answers nothing more, so the play cannot end by itself.
    @Test func aSecondInterruptionRestoresTheTerminal() async throws {
        try await withTerminal(["--loop", animation]) { terminal in
            _ = await terminal.read(until: "\u{1B}[12;1H\u{1B}[5n")
            terminal.stopAnswering()
            // Two of one kind may be merged.
            for signal in [SIGINT, SIGTERM] { kill(terminal.process, signal) }
            #expect(await terminal.readToEnd().contains("\u{1B}[?25h"))
            return 130
        }
    }

    /// kitty plays by itself: it gets the frames after each row, and the command ends.
    @Test func aGridOfAnimationsIsSentToATerminalThatPlaysThem() async throws {
        let arguments = ["--protocol", "kitty", "--once", "--grid", "2", animation, photo, animation]
        try await withTerminal(arguments) { terminal in
            let output = await terminal.readToEnd()
            let commands = output.components(separatedBy: "\u{1B}_G").map { $0.prefix { $0 != ";" && $0 != "\u{1B}" } }
            #expect(commands.count { $0.hasPrefix("a=T") } == 3)
            let numbers = Set(commands.filter { $0.hasPrefix("a=f,i=") }.map { $0.split(separator: ",")[1] })
            #expect(numbers.count == 2)
            #expect(commands.count { $0.hasPrefix("a=a") && $0.contains("v=2") } == 2)
            #expect(!output.contains("\u{1B}[?25l"))
            return 0
        }
    }

    // MARK: Viewer

    @Test func theViewerStepsThroughFilesAndQuits() async throws {
        try await withTerminal(["--interactive", photo, animation]) { terminal in
            #expect(await terminal.read(until: "1/2  small-image.gif").contains("\u{1B}[?1049h"))
            terminal.type("n")
            _ = await terminal.read(until: "2/2  forever.gif")
            terminal.type("+")
            _ = await terminal.read(until: "125 %")
            terminal.type("q")
            let end = await terminal.readToEnd()
            #expect(end.contains("\u{1B}[?1049l") && end.contains("\u{1B}[?25h"))
            return 0
        }
    }

    /// The last look at each file counts.
    @Test func theViewerExitsWithTheNumberOfFilesThatItCouldNotShow() async throws {
        try await withTerminal(["--interactive", photo, "/no/such/file.png"]) { terminal in
            _ = await terminal.read(until: "1/2  small-image.gif")
            terminal.type("n")
            _ = await terminal.read(until: "no such file")
            terminal.type("q")
            _ = await terminal.readToEnd()
            return 1
        }
    }

    /// The frames of the former animation must not go on under the name of the next file, and over its error.
    @Test func theViewerShowsTheErrorOfAFile() async throws {
        try await withTerminal(["--interactive", animation, "/none.png"]) { terminal in
            _ = await terminal.read(until: "1/2  forever.gif")
            terminal.type("n")
            _ = await terminal.read(until: "/none.png:")
            // Draws the screen again.
            terminal.type("+")
            let again = await terminal.read(until: "/none.png:")
            #expect(!again.contains("2/2"))
            terminal.type("q")
            let end = await terminal.readToEnd()
            #expect(!end.contains("2/2") && end.contains("\u{1B}[?1049l"))
            return 1
        }
    }

    /// The terminal is restored, and the signal has its usual effect. The last one stands for crashes.
    @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGABRT])
    func signalsRestoreTheTerminal(_ signal: Int32) async throws {
        try await withTerminal(["--interactive", photo]) { terminal in
            _ = await terminal.read(until: "small-image.gif")
            kill(terminal.process, signal)
            let end = await terminal.readToEnd()
            #expect(end.contains("\u{1B}[?1049l") && end.contains("\u{1B}[?25h"))
            return -signal
        }
    }
}
