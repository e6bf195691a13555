import Testing
import TintypeCore

@testable import TintypeTerminal

@Suite struct TerminalEnvironmentTests {
    @Test(arguments: [
        (["TERM": "xterm"], ColorDepth.ansi16), (["TERM": "xterm-256color"], .palette256),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor"], .trueColor), (["TERM": "konsole-direct"], .trueColor),
        (["TERM": "xterm", "COLORTERM": "24bit"], .trueColor), (["TERM": "xterm", "COLORTERM": "yes"], .ansi16),
        (["TERM": "xterm-256color", "COLORTERM": "truecolor", "NO_COLOR": "1"], .none),
        // An empty variable counts as not set (https://no-color.org).
        (["TERM": "xterm-256color", "NO_COLOR": ""], .palette256), (["TERM": "dumb", "COLORTERM": "truecolor"], .none),
    ])
    func colors(_ variables: [String: String], _ colors: ColorDepth) {
        #expect(TerminalEnvironment(variables).colors == colors)
    }

    @Test(arguments: [("15;0", false), ("0;15", true), ("0;default;15", true), ("0;7", true)])
    func brightBackgrounds(_ value: String, _ isBright: Bool) {
        #expect(TerminalEnvironment(["COLORFGBG": value]).hasBrightBackground == isBright)
    }

    /// A terminal below tmux is described by tmux, which also reduces colours.
    @Test func tmuxSaysWhatItsTerminalShows() throws {
        let reduced = try #require(TmuxClient("xterm-kitty|bpaste,ccolour,title\n"))
        #expect(reduced.term == "xterm-kitty" && !reduced.hasTrueColor)
        let full = try #require(TmuxClient("xterm-kitty|256,RGB,title"))
        #expect(full.hasTrueColor)
        #expect(TmuxClient("nonsense") == nil)
        let variables = ["TERM": "tmux-256color", "COLORTERM": "truecolor", "TMUX": "/tmp/x,1,0"]
        for (client, colors) in [(reduced, ColorDepth.palette256), (full, .trueColor)] {
            let detection = TerminalDetection(
                TerminalEnvironment(variables), size: TerminalSize(columns: 80, rows: 24), isCellKnown: false,
                tmux: client)
            #expect(detection.result.colors == colors)
            // tmux would answer in place of its terminal.
            #expect(!detection.queries(shared: nil).contains(UInt8(ascii: "G")))
        }
    }

    @Test func aDetachedTmuxInventsItsCells() {
        let invented = TerminalSize(columns: 80, rows: 24, cell: PixelSize(width: 16, height: 32))
        let variables = ["TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"]
        let detection = TerminalDetection(TerminalEnvironment(variables), size: invented, isCellKnown: true)
        #expect(detection.result.size.cell == TerminalSize.assumedCell)
    }

    @Test func aCommandThatDoesNotEndIsEnded() {
        #expect(CommandOutput.read(["sleep", "600"], within: .zero) == nil)
        #expect(CommandOutput.read(["tintype-no-such-command"], within: .seconds(60)) == nil)
        #expect(CommandOutput.read(["echo", "a|b"], within: .seconds(60)) == "a|b\n")
        #expect(CommandOutput.read(["false"], within: .seconds(60)) == nil)
    }

    @Test func aCommandThatClosesItsOutputAndGoesOnIsEnded() {
        #expect(CommandOutput.read(["sh", "-c", "exec >&-; sleep 600"], within: .milliseconds(50)) == nil)
    }
}
