import ArgumentParser
import TestSupport
import Testing
import Tintype

@testable import TintypeCommand

/// The output for people: colours, hints and help.
@Suite(.timeLimited) struct TerminalTests {
    // MARK: Colours

    @Test(
        arguments: [
            (.auto, true, [:], true), (.auto, false, [:], false), (.auto, true, ["NO_COLOR": "1"], false),
            (.auto, true, ["NO_COLOR": ""], true), (.auto, true, ["TERM": "dumb"], false),
            (.auto, true, ["TERM": "xterm"], true), (.always, false, ["NO_COLOR": "1"], true),
            (.never, true, [:], false),
        ] as [(ColorChoice, Bool, [String: String], Bool)])
    func automaticColoursNeedATerminalAndNoObjection(
        _ choice: ColorChoice, _ isTerminal: Bool, _ environment: [String: String], _ hasColors: Bool
    ) {
        #expect(choice.hasColors(isTerminal: isTerminal, environment: environment) == hasColors)
    }

    @Test(
        arguments: [
            ([], .auto), (["fetch", "--color", "never"], .never), (["fetch", "--color=always", "a"], .always),
            (["--color", "never", "--color", "always"], .always), (["--color"], .auto), (["--color", "red"], .auto),
            (["--", "--color=never"], .auto), (["--color", "--color=never"], .auto), (["--colour=never"], .auto),
        ] as [([String], ColorChoice)])
    func theChoiceIsKnownBeforeArgumentsAreParsed(_ arguments: [String], _ choice: ColorChoice) {
        #expect(ColorChoice(in: arguments) == choice)
    }

    @Test func onlyStyledPartsHaveControlSequences() {
        let line = StyledText("a\u{1B}[2J", .success) + StyledText("b") + StyledText("", .failure)
        #expect(line.rendered(inColor: false) == "a\\u{1B}[2Jb" && line.text == "a\u{1B}[2Jb")
        #expect(line.rendered(inColor: true) == "\u{1B}[32ma\\u{1B}[2J\u{1B}[0mb")
    }

    @Test(arguments: [
        ("tintype: a: b", "\u{1B}[1;31mtintype:\u{1B}[0m a: b"), ("Error: no", "\u{1B}[1;31mError:\u{1B}[0m no"),
        ("Usage: tintype: a", "Usage: tintype: a"),
    ])
    func theFirstWordOfAFailureIsColoured(_ line: String, _ colored: String) {
        #expect(StyledText.message(line, .failure).rendered(inColor: true) == colored)
        #expect(StyledText.message(line, .failure).rendered(inColor: false) == line)
    }

    @Test func linesHaveColoursOnRequestAndJSONHasNone() async throws {
        let image = CommandFixture.codecFixture("animated.png")
        let plain = try await CommandRun.tintype("info", image, "/no/such/file")
        let colored = try await CommandRun.tintype("info", "--color", "always", image, "/no/such/file")
        #expect(!plain.output.contains("\u{1B}") && !plain.error.contains("\u{1B}"))
        #expect(colored.output.contains("\u{1B}[1m") && colored.error.contains("\u{1B}[1;31mtintype:\u{1B}[0m"))
        let bare = [colored.output, colored.error].map { $0.replacing(/\u{1B}\[[0-9;]*m/, with: "") }
        #expect(bare == [plain.output, plain.error])
        let json = try await CommandRun.tintype("info", "--json", "--color=always", image)
        #expect(json.status == 0 && !json.output.contains("\u{1B}"))
        let usage = try await CommandRun.tintype("info", "--color", "always")
        #expect(usage.status == 64 && usage.error.hasPrefix("\u{1B}[1;31mError:\u{1B}[0m "), "\(usage.error)")
        let invalid = try await CommandRun.tintype("info", "--color", "red", image)
        #expect(invalid.status == 64 && invalid.error.contains("always"))
    }

    // MARK: Hints

    @Test(
        arguments: [
            (TintypeError(.badStatus, stage: .load, "HTTP 401", status: 401), "--user"),
            (TintypeError(.badStatus, stage: .load, "HTTP 503", status: 503), "--retry"),
            (TintypeError(.badStatus, stage: .load, "HTTP 404", status: 404), nil),
            (TintypeError(.timedOut, stage: .load, "x"), "--timeout"),
            (.exceeded(byteLimit: 100), "--max-bytes"),
            (TintypeError(.limitExceeded, stage: .load, "more than 100 bytes"), nil),
            (TintypeError(.limitExceeded, stage: .decode, "more than 100 frames"), nil),
            (TintypeError(.undecodable, stage: .decode, "x"), nil), (.cancelled, nil),
            (TintypeError(.notFound, stage: .load, "x"), nil),
        ] as [(TintypeError, String?)])
    func aFailureNamesTheOptionThatMayHelp(_ error: TintypeError, _ option: String?) throws {
        let line = FailureHint(transfer: try TransferOptions.parse([])).description(error)
        #expect(line.hasPrefix("\(error)") && !line.contains("\n"))
        #expect(option.map { line.contains("; \($0)") } ?? (line == "\(error)"))
        // `cache` and `doctor` load nothing.
        #expect(FailureHint().description(error) == "\(error)")
    }

    @Test func anOptionThatWasGivenIsNotSuggested() throws {
        let given = FailureHint(transfer: try TransferOptions.parse(["--retry", "1", "--user", "me:secret"]))
        for status in [401, 503] {
            #expect(given.hint(for: TintypeError(.badStatus, stage: .load, "HTTP \(status)", status: status)) == nil)
        }
        #expect(given.hint(for: TintypeError(.truncatedBody, stage: .load, "x")) == nil)
        #expect(given.hint(for: TintypeError(.timedOut, stage: .load, "x")) != nil)
    }

    @Test func theHintAboutPartialImagesIsForThoseWhoHaveTheChoice() async throws {
        let error = TintypeError(.undecodable, stage: .decode, "x")
        #expect(FailureHint(offersPartial: true).hint(for: error)?.contains("--partial") == true)
        try await withCommandFixture { fixture in
            let url = fixture.url("/corrupt.png")
            let run = try await CommandRun.tintype("fetch", url)
            #expect(run.status == 1 && run.error.contains("; --partial accepts"), "\(run.error)")
            let prefetch = try await CommandRun.tintype("prefetch", url)
            #expect(prefetch.status == 1 && !prefetch.error.contains("--partial"))
        }
    }

    // MARK: Help

    private static let commands: [any ParsableCommand.Type] =
        [TintypeCommand.self] + TintypeCommand.configuration.subcommands + Cache.configuration.subcommands

    @Test(
        arguments: [
            ([], .common), (["convert", "--help"], .common), (["convert", "--help-all"], .all),
            (["--experimental-dump-help"], .all), (["--generate-completion-script=zsh"], .all),
            (["--generate-completion-script", "bash"], .all), (["info", "--", "--help-all"], .common),
        ] as [([String], HelpDetail)])
    func theFullHelpIsShownOnRequest(_ arguments: [String], _ detail: HelpDetail) {
        #expect(HelpDetail(arguments) == detail)
    }

    @Test func fetchHidesRareOptionsToo() async throws {
        let (common, all) = (
            try await CommandRun.tintype("fetch", "--help").output,
            try await CommandRun.tintype("fetch", "--help-all").output
        )
        for option in ["--header", "--user", "--retry", "--timeout"] {
            #expect(common.contains("\n  \(option) "), "\(option)")
        }
        for option in ["--proxy", "--insecure", "--min-rate", "--cookies"] {
            #expect(!common.contains("\n  \(option)") && all.contains("\n  \(option)"), "\(option)")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"]) func completionsHaveRareOptionsToo(_ shell: String) async throws {
        let script = try await CommandRun.tintype("--generate-completion-script", shell)
        #expect(script.status == 0)
        for option in ["proxy", "overlay", "no-cache", "resize"] {
            #expect(script.output.contains(option), "\(option)")
        }
    }

    /// Other lines of the help are broken between words.
    @Test func anExampleFitsIntoEightyColumns() {
        let discussions = Self.commands.map { $0.configuration.discussion } + [Convert.discussion(.all)]
        let examples = discussions.flatMap { $0.split(separator: "\n") }
            .filter { $0.hasPrefix("  ") }
        #expect(examples.count > 20)
        for example in examples { #expect(example.count <= 80, "\(example)") }
    }
}
