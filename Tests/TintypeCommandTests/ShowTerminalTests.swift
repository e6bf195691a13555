import Foundation
import Testing
import Tintype
import TintypeTesting

/// `tintype show` on a terminal.
@Suite(.timeLimit(.minutes(15))) struct ShowTerminalTests {
    /// Runs the command on a terminal, which must be as before afterwards.
    private func withTerminal(_ arguments: [String], _ body: (CommandTerminal) async throws -> Int32) async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-show-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let terminal = try CommandTerminal(
            try CommandRun.binary, ["show"] + arguments,
            environment: [
                "SWIFT_BACKTRACE": "enable=no", "TERM": "xterm-256color", "COLORTERM": "truecolor",
                "XDG_CACHE_HOME": folder.path(percentEncoded: false),
            ])
        let modes = terminal.modes
        let status = try await body(terminal)
        #expect(await terminal.end() == status)
        #expect(terminal.modes == modes)
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
