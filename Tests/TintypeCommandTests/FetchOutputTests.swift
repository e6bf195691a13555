import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// Where `fetch` writes images, and which it leaves.
@Suite(.timeLimited) struct FetchOutputTests {
    private func inputs(_ sources: [String]) -> [BatchInput] {
        sources.map { BatchInput(source: SourceArgument(argument: $0)) }
    }

    private func paths(_ sources: [String], _ output: String) throws -> FetchPaths {
        try FetchPaths(inputs(sources), to: FetchOutput(output, isDirectory: false))
    }

    @Test(
        arguments: [
            ("-", .standardOutput), ("images", .directory("images")), ("images/", .directory("images/")),
            ("a/{stem}.jpg", .template(OutputTemplate(pieces: [.text("a/"), .field(.stem), .text(".jpg")]))),
        ] as [(String, FetchOutput)])
    func aFieldMakesATemplate(_ text: String, _ output: FetchOutput) throws {
        #expect(try FetchOutput(text, isDirectory: false) == output)
    }

    @Test func anExistingDirectoryMayHaveBracesInItsName() throws {
        #expect(try FetchOutput("{stem}", isDirectory: true) == .directory("{stem}"))
        #expect(throws: OutputTemplate.ParsingError.self) { try FetchOutput("{stme}", isDirectory: false) }
    }

    /// The order of the list decides, not the order in which transfers end.
    @Test func equalNamesGetNumbersInTheOrderOfTheList() throws {
        let sources = ["http://h/x/a.jpg", "http://h/y/a.jpg", "http://h/z/b", "http://h/x/a.jpg"]
        var paths = try paths(sources, "out")
        let all = inputs(sources)
        #expect(all.map { paths.path(of: $0) } == ["out/a.jpg", "out/a-2.jpg", nil, "out/a.jpg"])
        let size = PixelSize(width: 1, height: 2)
        let (late, early) = (try paths.claimPath(of: all[2], .webp, size), try paths.claimPath(of: all[0], .png, size))
        #expect(late == "out/b.webp" && early == "out/a.jpg")
        #expect(paths.path(of: all[2]) == "out/b.webp")
    }

    @Test(
        arguments: [
            ("o/{stem}.jpg", "o/a.jpg"), ("{name}", "a.jpg"), ("{index}-{stem}.x", "1-a.x"), ("{stem}.{ext}", nil),
            ("{format}/{name}", nil), ("{width}.jpg", nil),
        ] as [(String, String?)])
    func aPathIsKnownUnlessItDependsOnTheImage(_ template: String, _ path: String?) throws {
        let source = "http://h/x/a.jpg"
        #expect(try paths([source], template).path(of: inputs([source])[0]) == path)
    }

    /// In a path, `#`, `?` and `%` are characters like others.
    @Test(
        arguments: [
            ("shot #1.png", "out/shot #1.png"), ("x/a#1.PNG", "out/a#1.PNG"), ("a%41b.gif", "out/a%41b.gif"),
            ("a?b.webp", "out/a_b.webp"), ("http://h/a%41b.gif?x#y", "out/aAb.gif"),
            ("file:///x/a%23b.jpg", "out/a#b.jpg"),
            ("./-", nil), ("a#1.txt", nil),
        ] as [(String, String?)])
    func aFileKeepsItsNameAndExtension(_ source: String, _ path: String?) throws {
        var paths = try paths([source], "out")
        let input = inputs([source])[0]
        #expect(paths.path(of: input) == path)
        let claimed = try paths.claimPath(of: input, .png, PixelSize(width: 1, height: 1))
        #expect(claimed == path ?? (source == "./-" ? "out/image.png" : "out/a#1.txt.png"))
    }

    /// `a.png` is read later than `x/a.png`, whose copy would replace it.
    @Test func aFileThatIsStillToBeReadIsNotReplaced() throws {
        let sources = ["/home/me/x/a.png", "/home/me/a.png"]
        #expect(throws: OutputPlan.Problem.replacesInput(sources[0], output: "./a.png")) {
            try FetchPaths(inputs(sources), to: .directory("."), in: "/home/me")
        }
        #expect(
            try FetchPaths(inputs([sources[1]]), to: .directory("."), in: "/home/me").path(of: inputs(sources)[1])
                == "./a.png")
    }

    @Test func fieldsOfTheImageAreFilledInWhenItIsLoaded() throws {
        var paths = try paths(["http://h/x/a", "http://h/x/b.jpeg"], "{stem}-{width}x{height}.{ext}")
        let all = inputs(["http://h/x/a", "http://h/x/b.jpeg"])
        let first = try paths.claimPath(of: all[0], .png, PixelSize(width: 3, height: 4))
        let second = try paths.claimPath(of: all[1], .jpeg, PixelSize(width: 5, height: 6))
        #expect(first == "a-3x4.png" && second == "b-5x6.jpeg")
    }

    @Test func equalPathsAreRefused() throws {
        let sources = ["http://h/x/a.jpg", "http://h/y/a.jpg"]
        #expect(throws: OutputPlan.Problem.collision(sources[0], sources[1], output: "o/a.jpg")) {
            try paths(sources, "o/{stem}.jpg")
        }
        var late = try paths(sources, "o/{stem}.{ext}")
        let (size, all) = (PixelSize(width: 1, height: 1), inputs(sources))
        let first = try late.claimPath(of: all[0], .jpeg, size)
        #expect(first == "o/a.jpg")
        expectError(.unwritable) { try late.claimPath(of: all[1], .jpeg, size) }
        #expect(throws: OutputPlan.Problem.severalForStandardOutput) { try paths(sources, "-") }
    }

    // MARK: Runs

    private func files(_ path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains(".") }.sorted()
    }

    @Test func aTemplateNamesTheFiles() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "fetch", "-o", fixture.path("out/{format}/{index}-{width}.{ext}"), "--json", "--jobs", "2",
                fixture.url("/a.jpg"), fixture.url("/b.png"))
            #expect(run.status == 0, "\(run.error)")
            #expect(try files(fixture.path("out")) == ["jpeg/1-120.jpg", "png/2-60.png"])
        }
    }

    @Test func aFileThatExistsIsLeftWithoutALoad() async throws {
        try await withCommandFixture { fixture in
            let output = fixture.path("out")
            try FileManager.default.createDirectory(atPath: output, withIntermediateDirectories: true)
            let old = try fixture.write(Data("old".utf8), "out/a.jpg")
            let arguments = ["fetch", "--no-cache", "-o", output, fixture.url("/a.jpg"), fixture.url("/b.png")]
            let run = try await CommandRun.tintype(arguments + ["--skip-existing", "--json"])
            #expect(run.status == 0, "\(run.error)")
            #expect(fixture.origin.requestCount("/a.jpg") == 0)
            let skipped = try #require(try run.records.first { $0["outcome"] as? String == "skipped" })
            #expect(skipped["output"] as? String == "\(output)/a.jpg")
            #expect(try files(output) == ["a.jpg", "b.png"])
            #expect(try Data(contentsOf: URL(filePath: old)) == Data("old".utf8))
            let second = try await CommandRun.tintype(arguments + ["--overwrite"])
            #expect(second.status == 0)
            #expect(try Data(contentsOf: URL(filePath: old)) == CommandFixture.jpeg(width: 120, height: 80))
        }
    }

    /// The extension of a file may depend on the image.
    @Test func aFileWhoseNameIsKnownLateIsLeftToo() async throws {
        try await withCommandFixture { fixture in
            fixture.origin.serve(
                "/image", response: .image(try CommandFixture.png(width: 4, height: 4), type: "image/png"))
            for outcome in [nil, "skipped"] {
                let run = try await CommandRun.tintype(
                    "fetch", "--no-cache", "-o", fixture.path("out"), "--skip-existing", "--json", fixture.url("/image")
                )
                let reported = try run.records.first?["outcome"] as? String
                #expect(run.status == 0 && reported == outcome, "\(run.error)")
            }
            #expect(try files(fixture.path("out")) == ["image.png"])
        }
    }

    @Test func aDryRunLoadsNothing() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "fetch", "-o", fixture.path("out"), "--dry-run", fixture.url("/a.jpg"), fixture.url("/x"))
            #expect(run.status == 0 && run.output.split(separator: "\n").count == 2)
            #expect(run.output.contains("planned \(fixture.path("out/a.jpg"))"), "\(run.output)")
            #expect(fixture.origin.requestCount() == 0)
            #expect(!FileManager.default.fileExists(atPath: fixture.path("out")))
        }
    }

    @Test func oneImageGoesToStandardOutput() async throws {
        try await withCommandFixture { fixture in
            let copy = fixture.path("copy.jpg")
            let run = try await CommandRun.shell(
                "out=$1; shift; tintype \"$@\" > \"$out\"", [copy, "fetch", "-o", "-", fixture.url("/a.jpg")])
            #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
            #expect(try Data(contentsOf: URL(filePath: copy)) == CommandFixture.jpeg(width: 120, height: 80))
        }
    }

    @Test func aTreeOfFilesIsCopied() async throws {
        try await withCommandFixture { fixture in
            try FileManager.default.createDirectory(
                at: fixture.folder.appending(path: "tree/sub"), withIntermediateDirectories: true)
            let png = try CommandFixture.png(width: 4, height: 4)
            for name in ["a.png", "sub/b.png"] { _ = try fixture.write(png, "tree/\(name)") }
            let run = try await CommandRun.tintype(
                "fetch", "--recursive", fixture.path("tree"), "-o", fixture.path("out/{dir}/{name}"))
            #expect(run.status == 0, "\(run.error)")
            #expect(try files(fixture.path("out")) == ["a.png", "sub/b.png"])
        }
    }

    @Test(arguments: [
        ["-o", "-", "http://h/a.jpg", "http://h/b.jpg"], ["-o", "{stme}", "http://h/a.jpg"],
        ["-o", "{stem}.jpg", "http://h/a.jpg", "http://h/x/a.jpg"], ["--skip-existing", "http://h/a.jpg"],
        ["-o", "out", "--skip-existing", "--overwrite", "http://h/a.jpg"],
    ])
    func aBatchThatWouldLoseImagesIsAUsageError(_ arguments: [String]) async throws {
        let run = try await CommandRun.tintype(["fetch"] + arguments)
        #expect(run.status == 64 && run.output.isEmpty, "\(run.error)")
    }
}

/// Lists of sources, which may come from any editor.
@Suite(.timeLimited) struct SourceListTests {
    @Test(arguments: [
        ("", []), ("a\nb\n", ["a", "b"]), ("a\r\n\r\n  b c \t\n# no\n #no\n\t\n", ["a", "b c"]),
        ("é\n x\u{301} ", ["é", "x\u{301}"]), ("a#b\n", ["a#b"]), ("\u{FEFF}a\n\u{FEFF}b\n", ["a", "\u{FEFF}b"]),
    ])
    func everyLineIsASourceUnlessItIsBlankOrAComment(_ text: String, _ sources: [String]) throws {
        #expect(try SourceList.parse(Data(text.utf8)).map(\.text) == sources)
    }

    /// Its repaired form would name another file.
    @Test func aLineThatIsNotUTF8IsRefusedByItsNumber() {
        let data = Data("a.png\r\n\nb".utf8) + Data([0xFF, 0xFE]) + Data(".png\nc\n".utf8)
        let error = expectError(.unreadable) { try SourceList.parse(data) }
        #expect(error?.message == "line 3 is not valid UTF-8")
    }

    @Test func aPipeIsAListToo() async throws {
        try await withCommandFixture { fixture in
            // The shell writes into the pipe while the command reads it.
            let script = "mkfifo \"$1\"; (echo \"$2\" > \"$1\") & tintype info --json --from \"$1\""
            let run = try await CommandRun.shell(script, [fixture.path("pipe"), fixture.url("/a.jpg")])
            #expect(run.status == 0, "\(run.error)")
            #expect(try run.records.first?["width"] as? Int == 120)
        }
    }

    @Test(
        arguments: [
            (["compare", "-", "-"], 64), (["info", "-", "a.png", "-"], 64), (["convert", "-o", "o/", "-", "-"], 64),
            (["info", "--from", "-", "-"], 64), (["show", "--from", "-"], 1),
        ] as [([String], Int32)])
    func standardInputIsReadOnce(_ arguments: [String], _ status: Int32) async throws {
        let run = try await CommandRun.tintype(arguments, input: "-\n")
        #expect(run.status == status && run.error.contains("standard input can be read only once"), "\(run.error)")
    }
}
