import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Arguments, file names, lists and environment variables from outside.
@Suite(.timeLimited) struct HostileInputTests {
    /// The name has a line break, control sequences of both kinds, and reverses the direction of text.
    private static let name = "a\n\u{1B}[31m\u{9B}2J\u{202E}\u{2028}gpj.png"

    private func isPrintable(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy { $0 == "\n" || $0.isPrintable }
    }

    @Test func namesOnATerminalAreEscaped() async throws {
        try await withCommandFixture { fixture in
            let file = try fixture.write(try CommandFixture.png(width: 4, height: 4), Self.name)
            let cut = try fixture.write(try CommandFixture.png(width: 4, height: 4).prefix(60), "cut\(Self.name)")
            let commands = [
                ["info", file, cut], ["info", "--json", file], ["fetch", file, cut], ["fetch", "--json", file, cut],
                ["fetch", "--partial", cut], ["prefetch", cut], ["convert", cut, fixture.path("out.png")],
                ["convert", file, fixture.path("\(Self.name)/out.png")], ["convert", file, "\(file).\u{202E}"],
                ["fetch", "--\(Self.name)", file], ["fetch", "--header", Self.name, file], [Self.name],
                ["cache", "stats", "--cache", fixture.path(Self.name)],
            ]
            for arguments in commands {
                let run = try await CommandRun.tintype(arguments)
                #expect(isPrintable(run.output) && isPrintable(run.error), "\(arguments)")
                let all = run.output + run.error
                #expect(["\\u{202E}", "\\u202E", "%E2%80%AE"].contains { all.contains($0) }, "\(arguments): \(all)")
            }
        }
    }

    @Test func jsonHasTheNameItself() async throws {
        try await withCommandFixture { fixture in
            let file = try fixture.write(try CommandFixture.png(width: 4, height: 4), Self.name)
            let run = try await CommandRun.tintype("info", "--json", file)
            #expect(try run.records.first?["url"] as? String == file)
        }
    }

    /// A path goes into scripts, so it is escaped only on a terminal.
    @Test func cachePathIsThePathItself() async throws {
        let run = try await CommandRun.tintype("cache", "path", "--cache", "/tmp/\u{202E}x")
        #expect(run.output == "/tmp/\u{202E}x/\n")
    }

    // MARK: Arguments

    @Test func argumentsThatAreNotUTF8AreAUsageError() async throws {
        let run = try await CommandRun.shell("tintype \"$@\" \"$(printf '\\377\\376.png')\"", ["info"])
        #expect(run.status == 64 && run.output.isEmpty)
        #expect(run.error.contains("is not valid UTF-8: \\xFF\\xFE.png\n"), "\(run.error)")
    }

    @Test(arguments: [
        ["fetch", "--cache", "", "x"], ["fetch", "--output", "", "x"], ["fetch", "--from", ""],
        ["fetch", "--trace", "", "x"], ["convert", "x", ""], ["cache", "clear", "--cache", ""],
        ["demo", "--output", ""],
    ]) func anEmptyPathIsAUsageError(_ arguments: [String]) async throws {
        let run = try await CommandRun.tintype(arguments)
        #expect(run.status == 64 && run.error.contains("expected a path"), "\(run.error)")
    }

    /// It usually comes from an unset variable of a script.
    @Test(arguments: ["fetch", "prefetch", "info", "show"]) func anEmptyNameIsShownAsQuotes(_ command: String)
        async throws
    {
        let run = try await CommandRun.tintype(command, "")
        #expect(run.status == 1 && run.error == "tintype: '': expected a URL or a path [invalidSource, request]\n")
    }

    @Test func longArgumentsAreShortInErrors() async throws {
        let long = String(repeating: "a", count: 100_000)
        for source in [long, "http://\(long)/", "http://[\(long)", "data:image/png;base64,\(long)", "x:\(long)"] {
            let run = try await CommandRun.tintype("fetch", source)
            #expect(run.status == 1 && run.error.split(separator: "\n").count == 1)
            #expect(run.error.utf8.count < 3000)
        }
    }

    // MARK: Lists

    @Test func aListThatCannotBeReadIsAnError() async throws {
        for (input, reason) in [("< /", "standard input: "), ("<&-", "standard input: ")] {
            let run = try await CommandRun.shell("tintype \"$@\" \(input)", ["fetch", "--from", "-"])
            #expect(run.status == 1 && run.error.contains(reason) && run.error.contains("[unreadable, load]"))
        }
    }

    @Test func anEndlessListIsRefused() async throws {
        try await withCommandFixture { fixture in
            let path = try fixture.write(Data("http://a/".utf8), "list")
            #expect(truncate(path, 1 << 40) == 0)
            for script in ["tintype \"$@\" \(path)", "tintype \"$@\" - < \(path)"] {
                let run = try await CommandRun.shell(script, ["fetch", "--from"])
                #expect(run.status == 1 && run.error.contains("[limitExceeded, load]"), "\(run.error)")
            }
        }
    }

    // MARK: Environment

    @Test(arguments: [
        ["HOME": "", "XDG_CACHE_HOME": ""], ["HOME": "relative", "XDG_CACHE_HOME": "relative"],
        ["HOME": "/dev/null", "XDG_CACHE_HOME": ""], ["TMPDIR": ""], ["TMPDIR": "relative"], ["TMPDIR": "/dev/null"],
        ["http_proxy": ":::", "https_proxy": "\u{1B}", "no_proxy": ",,,*,,"], ["LC_ALL": "nonsense", "TZ": "\u{1B}"],
    ]) func strangeVariablesDoNotMatter(_ environment: [String: String]) async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                ["fetch", "--no-cache", fixture.url("/a.jpg")], environment: environment)
            #expect(run.status == 0, "\(run.error)")
            let path = try await CommandRun.tintype(["cache", "path"], environment: environment)
            #expect(path.status == 0 && path.output.hasPrefix("/") && !path.output.contains("relative"))
        }
    }

    @Test func aCacheThatCannotBeWrittenIsAWarningAfterTheResult() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                ["fetch", fixture.url("/a.jpg")], environment: ["XDG_CACHE_HOME": "/dev/null"])
            #expect(run.status == 0 && run.output.contains("120×80") && run.error.split(separator: "\n").count == 1)
            #expect(run.error.contains("[unwritable, "), "\(run.error)")
        }
    }
}
