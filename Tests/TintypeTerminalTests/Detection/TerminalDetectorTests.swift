import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// The detection on a pseudoterminal whose other end answers by a script.
@Suite struct TerminalDetectorTests {
    /// Text that the terminal sends, and the time since the former step.
    struct Step {
        var after = Duration.milliseconds(1)
        let text: String
    }

    private struct Outcome {
        let capabilities: TerminalCapabilities
        let elapsed: Duration
        let queries: String
        let terminal: PseudoTerminal
    }

    private static let xterm = ["TERM": "xterm-256color"]

    /// Detects with a clock that moves only when the detection waits.
    private func detect(
        _ steps: [Step], _ variables: [String: String] = xterm, pixels: PixelSize = PixelSize(width: 0, height: 0)
    ) throws -> Outcome {
        let terminal = try PseudoTerminal(columns: 80, rows: 24, pixels: pixels)
        let modes = terminal.modes
        let clock = ManualClock()
        var queries: [UInt8] = []
        var rest = steps[...]
        var nextTime = steps.first?.after
        let capabilities = try TerminalDetector.detect(terminal.device, variables: variables, time: clock.timeSource) {
            _, end in
            // The kernel passes bytes on in a thread of its own.
            while !queries.ends(with: "\u{1B}[c".utf8) {
                terminal.waitForOutput()
                queries += terminal.written()
            }
            guard let step = rest.first, let time = nextTime, time <= end else {
                clock.advance(by: end - clock.uptime)
                return false
            }
            clock.advance(by: time - clock.uptime)
            terminal.send(step.text)
            while terminal.unreadCount < step.text.utf8.count { sched_yield() }
            rest = rest.dropFirst()
            nextTime = rest.first.map { time + $0.after }
            return true
        }
        #expect(terminal.modes == modes)
        return Outcome(
            capabilities: capabilities, elapsed: clock.uptime, queries: String(decoding: queries, as: UTF8.self),
            terminal: terminal)
    }

    // MARK: Terminals

    @Test func kitty() throws {
        let answers =
            "\u{1B}P>|kitty(0.26.5)\u{1B}\\\u{1B}[6;20;9t\u{1B}[4;400;639t\u{1B}[?2026;2$y\u{1B}]11;rgb:1e1e/0000/ffff\u{1B}\\"
            + "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}_Gi=32;OK\u{1B}\\\u{1B}[?62;c"
        let outcome = try detect([Step(text: answers)], ["TERM": "xterm-kitty", "COLORTERM": "truecolor"])
        let found = outcome.capabilities
        #expect(found.protocols == [.kitty, .blocks, .quadrants])
        #expect(found.name == "kitty(0.26.5)" && found.hasSharedMemory && found.hasSynchronizedOutput)
        #expect(found.size.cell == PixelSize(width: 9, height: 20))
        #expect(found.background == Color(red: 0x1E, green: 0, blue: 255))
        #expect(found.colors == .trueColor && found.hasAnswered)
        #expect(outcome.elapsed == .milliseconds(1))
    }

    @Test func xtermWithSixel() throws {
        let answers = "\u{1B}P>|XTerm(379)\u{1B}\\\u{1B}[?2026;0$y\u{1B}[?1;0;1024S\u{1B}[?63;1;2;4;6;9;15;22c"
        let outcome = try detect([Step(text: answers)], pixels: PixelSize(width: 484, height: 316))
        #expect(outcome.capabilities.protocols == [.sixel, .blocks, .quadrants])
        #expect(outcome.capabilities.colorRegisters == 256)
        #expect(!outcome.capabilities.hasSynchronizedOutput)
        // The border of xterm is counted: 484 / 80 is 6, and 316 / 24 is 13.
        #expect(outcome.capabilities.size.cell == PixelSize(width: 6, height: 13))
        #expect(outcome.capabilities.colors == .palette256)
    }

    /// The first attribute is the class of the terminal, not a feature.
    @Test func aTerminalOfClassFourHasNoSixel() throws {
        let outcome = try detect([Step(text: "\u{1B}[?4;6c")])
        #expect(outcome.capabilities.protocols == [.blocks, .quadrants])
    }

    @Test(arguments: [
        ("WezTerm", "WezTerm 20240203", [GraphicsProtocol.iterm2, .kitty, .blocks, .quadrants]),
        ("iTerm.app", "iTerm2 3.5.0", [.kitty, .iterm2, .blocks, .quadrants]),
    ])
    func inlineImagesAreKnownByTheEnvironment(_ program: String, _ name: String, _ protocols: [GraphicsProtocol]) throws
    {
        let answers = "\u{1B}P>|\(name)\u{1B}\\\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?65;c"
        let outcome = try detect([Step(text: answers)], ["TERM": "xterm-256color", "TERM_PROGRAM": program])
        #expect(outcome.capabilities.protocols == protocols)
        #expect(!outcome.capabilities.hasSharedMemory)
    }

    @Test func anErrorOfTheGraphicsProtocolIsNoConsent() throws {
        let outcome = try detect([Step(text: "\u{1B}_Gi=31;ENOTSUPPORTED\u{1B}\\\u{1B}[?62;c")])
        #expect(outcome.capabilities.protocols == [.blocks, .quadrants])
    }

    // MARK: Trouble

    @Test func aTerminalThatNeverAnswersCostsTheDeadline() throws {
        let local = try detect([])
        #expect(local.elapsed == .seconds(1) && !local.capabilities.hasAnswered)
        #expect(local.capabilities.protocols == [.blocks, .quadrants])
        #expect(local.capabilities.size == TerminalSize(columns: 80, rows: 24))
        let remote = try detect([], ["TERM": "xterm", "SSH_TTY": "/dev/pts/1"])
        #expect(remote.elapsed == .seconds(2) && remote.capabilities.isRemote)
    }

    @Test func answersInSmallPartsAreJoined() throws {
        let answers = "\u{1B}P>|foot(1.16)\u{1B}\\\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[6;18;8t\u{1B}[?62;4;22c"
        let outcome = try detect(answers.map { Step(text: String($0)) })
        #expect(outcome.capabilities.protocols == [.kitty, .sixel, .blocks, .quadrants])
        #expect(outcome.capabilities.size.cell == PixelSize(width: 8, height: 18))
        #expect(outcome.capabilities.name == "foot(1.16)")
    }

    /// kitty answers as late while it starts.
    @Test(arguments: [220, 500, 900]) func aTerminalThatAnswersLateIsBelieved(_ delay: Int) throws {
        let answers = "\u{1B}P>|kitty(0.26.5)\u{1B}\\\u{1B}_Gi=31;OK\u{1B}\\\u{1B}[?62;c"
        let outcome = try detect([Step(after: .milliseconds(delay), text: answers)])
        #expect(outcome.capabilities.bestProtocol == .kitty && outcome.terminal.unreadCount == 0)
    }

    @Test func aLateAnswerCountsForNothingAndIsNotLeftForTheShell() throws {
        let outcome = try detect([
            Step(text: "\u{1B}_Gi=31;OK\u{1B}\\"), Step(after: .milliseconds(1500), text: "\u{1B}[?62;c"),
        ])
        #expect(outcome.elapsed == .seconds(1) && !outcome.capabilities.hasAnswered)
        // Answers from before the deadline are believed.
        #expect(outcome.capabilities.protocols == [.kitty, .blocks, .quadrants])
        #expect(outcome.terminal.unreadCount == 0)
    }

    /// Input between the fence and the restored modes would be typed into the shell.
    @Test func whatFollowsTheFenceIsDropped() throws {
        let outcome = try detect([Step(text: "\u{1B}[?62;c\u{1B}]11;rgb:0/0/0\u{1B}\\late")])
        #expect(outcome.terminal.unreadCount == 0)
    }

    @Test(arguments: [
        "\u{1B}P>|cut", "\u{1B}[?62", "\u{1B}_Gi=;OK\u{1B}\\", "\u{1B}[6;0;0t\u{1B}[4;-1;9t",
        "\u{1B}]11;rgb:zz/zz/zz\u{7}",
        "\u{1B}[6;99999999999999999999;2t", "\u{1B}[?2026$y", "\u{FF}\u{1B}\u{1B}\u{1B}[", "\u{1B}]11;rgb:1/2\u{1B}\\",
    ])
    func garbledAnswersAreIgnored(_ garbage: String) throws {
        let outcome = try detect([Step(text: garbage), Step(text: "\u{1B}\\\u{1B}[?64;4c")])
        #expect(outcome.elapsed == .milliseconds(2))
        #expect(outcome.capabilities.protocols == [.sixel, .blocks, .quadrants])
        #expect(outcome.capabilities.size.cell == TerminalSize.assumedCell)
        #expect(outcome.capabilities.background == nil)
    }

    @Test func keysBetweenAnswersDoNotDisturb() throws {
        let outcome = try detect([
            Step(text: "ls\u{1B}[A"), Step(text: "\u{1B}_Gi=31;OK\u{1B}\\q\u{1B}OB"), Step(text: "\u{1B}[?62;c"),
        ])
        #expect(outcome.capabilities.protocols.first == .kitty)
    }

    // MARK: Queries

    @Test func nothingIsWrittenToADumbTerminal() throws {
        for variables in [["TERM": "dumb"], [:]] {
            let outcome = try detect([], variables)
            #expect(outcome.queries.isEmpty && outcome.elapsed == .zero)
            #expect(outcome.capabilities.colors == .none)
        }
    }

    /// They print what they do not understand.
    @Test func stringsAreNotSentToTerminalsThatPrintThem() throws {
        for term in ["linux", "screen.xterm-256color"] {
            let queries = try detect([], ["TERM": term]).queries
            #expect(!queries.contains("\u{1B}_") && !queries.contains("\u{1B}]") && queries.hasSuffix("\u{1B}[c"))
        }
        #expect(try detect([]).queries.contains("\u{1B}_Ga=q,i=31"))
    }

    @Test func sharedMemoryIsAskedForOnlyOnThisMachineAndRemoved() throws {
        let queries = try detect([]).queries
        let command = try #require(try KittyDecoder.commands(Array(queries.utf8)).first { $0.keys["t"] == "s" })
        let file = "/dev/shm" + String(decoding: command.payload, as: UTF8.self)
        #expect(!FileManager.default.fileExists(atPath: file))
        #expect(!(try detect([], ["TERM": "xterm", "SSH_CONNECTION": "x"]).queries.contains("t=s")))
    }

    @Test func theEnvironmentMayChooseTheProtocol() throws {
        let answers = [Step(text: "\u{1B}_Gi=31;OK\u{1B}\\\u{1B}_Gi=32;OK\u{1B}\\\u{1B}[?62;c")]
        let blocks = try detect(answers, ["TERM": "xterm-kitty", "TINTYPE_PROTOCOL": "blocks"]).capabilities
        #expect(blocks.bestProtocol == .blocks && blocks.hasSharedMemory)
        let sixel = try detect(answers, ["TERM": "xterm-kitty", "TINTYPE_PROTOCOL": "sixel"]).capabilities
        #expect(sixel.bestProtocol == .sixel && !sixel.hasSharedMemory)
        #expect(try detect(answers, ["TERM": "x", "TINTYPE_PROTOCOL": "nonsense"]).capabilities.bestProtocol == .kitty)
    }
}

extension [UInt8] {
    fileprivate func ends(with end: String.UTF8View) -> Bool { suffix(end.count).elementsEqual(end) }
}
