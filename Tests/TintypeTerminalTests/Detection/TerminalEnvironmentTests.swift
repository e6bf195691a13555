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
        let reduced = try #require(TmuxClient("xterm-kitty|bpaste,ccolour,title|0|1|kitty(0.26.5)\n"))
        #expect(reduced.term == "xterm-kitty" && !reduced.hasTrueColor)
        let full = try #require(TmuxClient("xterm-kitty|256,RGB,title|1|1|"))
        #expect(full.hasTrueColor)
        #expect(TmuxClient("nonsense") == nil && TmuxClient("a|b|c|d") == nil)
        let variables = ["TERM": "tmux-256color", "COLORTERM": "truecolor", "TMUX": "/tmp/x,1,0"]
        for (client, colors) in [(reduced, ColorDepth.palette256), (full, .trueColor)] {
            let detection = DetectionState(
                TerminalEnvironment(variables), size: TerminalSize(columns: 80, rows: 24), isCellKnown: false,
                tmux: client)
            #expect(detection.result.colors == colors)
            // tmux would answer in place of its terminal.
            #expect(!detection.queries(shared: nil).contains(UInt8(ascii: "G")))
        }
    }

    private static let tmux = ["TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"]

    /// Graphics go through tmux only to a terminal that is known to show placeholders, if tmux passes them on, and if
    /// no other terminal shows the session.
    @Test(arguments: [
        ("xterm-kitty|RGB|1|1|kitty(0.28.0)", true), ("xterm-kitty|RGB|on|1|kitty(0.43.1)", true),
        ("xterm-256color||all|1|kitty(1.0)", true), ("xterm-ghostty|RGB|on|1|", true),
        ("xterm-256color||on|1|ghostty 1.2.3", true), ("xterm-kitty|RGB|0|1|kitty(0.28.0)", false),
        ("xterm-kitty|RGB|off|1|kitty(0.28.0)", false), ("xterm-kitty|RGB||1|kitty(0.28.0)", false),
        ("xterm-kitty|RGB|1|2|kitty(0.28.0)", false), ("xterm-kitty|RGB|1|0|kitty(0.28.0)", false),
        // The version of Debian 12, and one that is unknown.
        ("xterm-kitty|RGB|1|1|kitty(0.26.5)", false), ("xterm-kitty|RGB|1|1|", false),
        ("xterm-kitty|RGB|1|1|kitty(0.x)", false), ("xterm-kitty|RGB|1|1|kitty(28)", false),
        ("xterm-256color|RGB|1|1|Konsole 24.02", false), ("xterm-256color|RGB|1|1|WezTerm 20240203", false),
        ("tmux-256color|RGB|1|1|tmux 3.5", false), ("||1|1||kitty(0.28.0)", false), ("", false),
    ])
    func placeholdersNeedATerminalThatIsKnown(_ answer: String, _ hasPlaceholders: Bool) {
        var detection = DetectionState(
            TerminalEnvironment(Self.tmux), size: TerminalSize(columns: 80, rows: 24), isCellKnown: false,
            tmux: TmuxClient(answer))
        detection.receive("\u{1B}P>|tmux 3.4\u{1B}\\".utf8)
        let protocols: [GraphicsProtocol] = hasPlaceholders ? [.kitty, .blocks, .quadrants] : [.blocks, .quadrants]
        #expect(detection.result.protocols == protocols)
        // If the user chooses the protocol, it goes the same way.
        #expect(detection.result.using(.kitty).hasPlaceholders)
    }

    @Test func aTerminalThatWasStartedInTmuxIsNotTmux() {
        var detection = DetectionState(
            TerminalEnvironment(Self.tmux), size: TerminalSize(columns: 80, rows: 24), isCellKnown: false,
            tmux: TmuxClient("xterm-kitty|RGB|1|1|kitty(0.43.1)"))
        detection.receive("\u{1B}P>|XTerm(379)\u{1B}\\".utf8)
        #expect(detection.result.protocols == [.blocks, .quadrants])
    }

    @Test func outsideOfTmuxThereAreNoPlaceholders() {
        let detection = DetectionState(
            TerminalEnvironment(["TERM": "xterm-kitty"]), size: TerminalSize(columns: 80, rows: 24), isCellKnown: false)
        #expect(!detection.result.hasPlaceholders)
    }

    @Test func aDetachedTmuxInventsItsCells() {
        let invented = TerminalSize(columns: 80, rows: 24, cell: PixelSize(width: 16, height: 32))
        let variables = ["TERM": "tmux-256color", "TMUX": "/tmp/x,1,0"]
        let detection = DetectionState(TerminalEnvironment(variables), size: invented, isCellKnown: true)
        #expect(detection.result.size.cell == TerminalSize.assumedCell)
    }

    @Test func aCommandThatDoesNotEndIsEnded() {
        #expect(CommandOutput.read(["sleep", "600"], within: .zero) == nil)
        #expect(CommandOutput.read(["tintype-no-such-command"], within: .seconds(60)) == nil)
        #expect(CommandOutput.read(["echo", "a|b"], within: .seconds(60)) == "a|b\n")
        #expect(CommandOutput.read(["false"], within: .seconds(60)) == nil)
    }

    @Test func aCommandThatClosesItsOutputAndGoesOnIsEnded() {
        #expect(CommandOutput.read(["sh", "-c", "exec >&-; exec sleep 600"], within: .milliseconds(50)) == nil)
    }
}
