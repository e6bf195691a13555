import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

/// Commands with many inputs.
@Suite(.timeLimited) struct BatchTests {
    /// Creates `tree/a.png`, `tree/sub/b.png`, `tree/sub/deep/c.jpg`, and files that are not images.
    private func tree(_ fixture: CommandFixture) throws -> String {
        let (png, jpeg) = (
            try CommandFixture.png(width: 40, height: 20), try CommandFixture.jpeg(width: 30, height: 60)
        )
        try FileManager.default.createDirectory(
            at: fixture.folder.appending(path: "tree/sub/deep"), withIntermediateDirectories: true)
        for (name, data) in [
            ("a.png", png), ("sub/b.png", png), ("sub/deep/c.jpg", jpeg), ("notes.txt", png), (".hidden.png", png),
        ] {
            _ = try fixture.write(data, "tree/\(name)")
        }
        return fixture.path("tree")
    }

    private func files(_ path: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: path).filter { $0.contains(".") }.sorted()
    }

    @Test func aTreeIsRepeatedInTheOutputDirectory() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "convert", "--recursive", try tree(fixture), "-o", fixture.path("out") + "/", "--format", "webp",
                "--resize", "10x10", "--json")
            #expect(run.status == 0, "\(run.error)")
            #expect(try files(fixture.path("out")) == ["a.webp", "sub/b.webp", "sub/deep/c.webp"])
            let records = try run.records
            #expect(records.count == 3 && records.allSatisfy { $0["outcome"] as? String == "written" })
            let first = try #require(records.first { ($0["input"] as? String)?.hasSuffix("a.png") == true })
            #expect(
                first["width"] as? Int == 10 && first["height"] as? Int == 5 && first["format"] as? String == "webp")
            #expect(first["output"] as? String == fixture.path("out/a.webp"))
            let size = try Data(contentsOf: URL(filePath: fixture.path("out/a.webp"))).count
            #expect(first["bytes"] as? Int == size)
        }
    }

    @Test func aPatternAndAListNameInputsAndATemplateNamesOutputs() async throws {
        try await withCommandFixture { fixture in
            let tree = try tree(fixture)
            let run = try await CommandRun.tintype(
                ["convert", "\(tree)/*.png", "--from", "-", "-o", fixture.path("out/{stem}-{width}.jpg")],
                input: "\(tree)/sub/deep/c.jpg\n\(tree)/a.png\n")
            #expect(run.status == 0, "\(run.error)")
            #expect(try files(fixture.path("out")) == ["a-40.jpg", "c-30.jpg"])
            #expect(run.output.hasSuffix("2 written\n"))
        }
    }

    @Test func aFailureDoesNotStopTheOthersAndTheStatusIsTheirNumber() async throws {
        try await withCommandFixture { fixture in
            let good = try fixture.write(try CommandFixture.png(width: 4, height: 4), "good.png")
            let bad = try fixture.write(Data("no image".utf8), "bad.png")
            let run = try await CommandRun.tintype(
                "convert", "--json", bad, good, fixture.path("none.png"), fixture.url("/missing"), "-o",
                fixture.path("out/{stem}.jpg"))
            #expect(run.status == 3 && run.error.split(separator: "\n").count == 3, "\(run.error)")
            let codes = try run.records.compactMap { ($0["error"] as? [String: any Sendable])?["code"] as? String }
            #expect(Set(codes) == ["notAnImage", "notFound", "badStatus"])
            #expect(try files(fixture.path("out")) == ["good.jpg"])
        }
    }

    /// The escaped form of a name that is not UTF-8 is also the name of an image.
    @Test(arguments: [["convert", "--resize", "2x2"], ["fetch"]])
    func namesThatAreNotUTF8HideNoImage(_ command: [String]) async throws {
        try await withCommandFixture { fixture in
            let tree = fixture.path("tree")
            let names = ["\u{E8}.png", "\u{E9}.png"].map { CommandFixture.latin1("\(tree)/\($0)") }
            try FileManager.default.createDirectory(
                at: fixture.folder.appending(path: "tree"), withIntermediateDirectories: true)
            // FileManager may not remove them.
            defer { for name in names { remove(name) } }
            for name in names {
                let file = open(name, O_CREAT, 0o600)
                try #require(file >= 0)
                close(file)
            }
            _ = try fixture.write(try CommandFixture.png(width: 4, height: 4), "tree/\\xE8.png")
            let run = try await CommandRun.tintype(
                command + ["--recursive", "--json", tree, "-o", fixture.path("out") + "/"])
            #expect(run.status == 2, "\(run.error)")
            for name in ["\\xE8.png", "\\xE9.png"] {
                #expect(run.error.contains("\(name): the name is not valid UTF-8"), "\(run.error)")
            }
            #expect(try files(fixture.path("out")).count == 1)
            #expect(try run.records.count == 3)
        }
    }

    /// A drawing and an icon cannot be written, and do not stop the other images.
    @Test func aFormatThatCannotBeWrittenFailsAlone() async throws {
        try await withCommandFixture { fixture in
            let tree = try tree(fixture)
            _ = try fixture.write(Data("<svg xmlns=\"http://www.w3.org/2000/svg\"/>".utf8), "tree/drawing.svg")
            let run = try await CommandRun.tintype(
                "convert", "--json", "--recursive", tree, "-o", fixture.path("out") + "/")
            #expect(run.status == 1 && run.error.contains("drawing.svg: the name states no format"), "\(run.error)")
            #expect(try files(fixture.path("out")) == ["a.png", "sub/b.png", "sub/deep/c.jpg"])
            #expect(try run.records.filter { $0["outcome"] as? String == "failed" }.count == 1)
            let alone = try await CommandRun.tintype("convert", "\(tree)/drawing.svg", "-o", fixture.path("out") + "/")
            #expect(alone.status == 64)
        }
    }

    /// The outputs of the first run are among the inputs of the second one.
    @Test func anInputIsNotReplacedByTheOutputOfAnother() async throws {
        try await withCommandFixture { fixture in
            let image = try fixture.write(try CommandFixture.jpeg(width: 120, height: 80), "a.jpg")
            let output = fixture.path("{stem}-{width}.jpg")
            let first = try await CommandRun.tintype("convert", "-o", output, image)
            #expect(first.status == 0, "\(first.error)")
            let old = try Data(contentsOf: URL(filePath: fixture.path("a-120.jpg")))
            let second = try await CommandRun.tintype(
                "convert", "--overwrite", "-o", output, image, fixture.path("a-120.jpg"), "--resize", "120x10")
            #expect(second.status == 0, "\(second.error)")
            let third = try await CommandRun.tintype(
                "convert", "--overwrite", "-o", output, image, fixture.path("a-120.jpg"), "--quality", "10")
            #expect(
                third.status == 1 && third.error.contains("a-120.jpg: the path is that of the input"), "\(third.error)")
            #expect(try Data(contentsOf: URL(filePath: fixture.path("a-120.jpg"))) == old)
        }
    }

    @Test func existingOutputsAreLeftUnlessTheUserSaysOtherwise() async throws {
        try await withCommandFixture { fixture in
            let tree = try tree(fixture)
            let output = fixture.path("out/{stem}.jpg")
            try FileManager.default.createDirectory(
                at: fixture.folder.appending(path: "out"), withIntermediateDirectories: true)
            let old = try fixture.write(Data("old".utf8), "out/a.jpg")
            let first = try await CommandRun.tintype("convert", "-o", output, "\(tree)/a.png", "\(tree)/sub/b.png")
            #expect(first.status == 1 && first.error.contains("--overwrite"), "\(first.error)")
            #expect(try Data(contentsOf: URL(filePath: old)) == Data("old".utf8))
            let second = try await CommandRun.tintype(
                "convert", "--skip-existing", "-o", output, "\(tree)/a.png", "\(tree)/sub/b.png")
            #expect(second.status == 0 && second.output.hasSuffix("2 skipped\n"), "\(second.output)")
            let third = try await CommandRun.tintype(
                "convert", "--overwrite", "-o", output, "\(tree)/a.png", "\(tree)/sub/b.png")
            #expect(third.status == 0 && third.output.hasSuffix("2 written\n"))
            #expect(try Data(contentsOf: URL(filePath: old)).count > 100)
        }
    }

    /// As `cwebp` and `mogrify` write: each file is its own input, and stays as private as it was.
    @Test(arguments: ["{dir}/{stem}.{ext}", "./", "."])
    func severalFilesAreConvertedInPlaceAndKeepTheirModes(_ output: String) async throws {
        try await withCommandFixture { fixture in
            let modes = [("a.png", 0o640), ("b.png", 0o604), ("c.jpg", 0o600)]
            for (name, mode) in modes {
                let isPNG = name.hasSuffix("png")
                let data =
                    try isPNG ? CommandFixture.png(width: 40, height: 20) : CommandFixture.jpeg(width: 40, height: 20)
                chmod(try fixture.write(data, name), mode_t(mode))
            }
            let run = try await CommandRun.shell(
                "cd \"$1\"; shift; tintype \"$@\"",
                [fixture.path("."), "convert", "--overwrite", "--resize", "10x10", "-o", output] + modes.map(\.0))
            #expect(run.status == 0 && run.output.hasSuffix("3 written\n"), "\(run.error)")
            for (name, mode) in modes {
                let path = fixture.path(name)
                #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == mode)
                let info = try ImageCoderRegistry.standard.info(of: Data(contentsOf: URL(filePath: path)))
                #expect(info?.size == PixelSize(width: 10, height: 5))
                #expect(info?.format == (name.hasSuffix("png") ? .png : .jpeg))
            }
        }
    }

    /// One image is found in each way, and there could be more.
    @Test(arguments: [
        ["TREE/sub/*.png"], ["--recursive", "TREE/sub"], ["--from", "-"], ["TREE/a.png", "TREE/sub/b.png"],
    ])
    func anOutputWithoutASlashIsAFolderIfThereCanBeSeveralInputs(_ inputs: [String]) async throws {
        try await withCommandFixture { fixture in
            let tree = try tree(fixture)
            try FileManager.default.removeItem(atPath: "\(tree)/sub/deep/c.jpg")
            let run = try await CommandRun.tintype(
                ["convert", "-o", fixture.path("out")] + inputs.map { $0.replacing("TREE", with: tree) },
                input: "\(tree)/sub/b.png\n")
            #expect(run.status == 0, "\(run.error)")
            #expect(try files(fixture.path("out")).contains("b.png"))
        }
    }

    @Test(arguments: [
        ["-o", "out/{stem}.jpg", "x/a.png", "y/a.png"], ["-o", "{widht}.jpg", "a.png", "b.png"],
        ["-o", "-", "--format", "jpeg", "a.png", "b.png"], ["-o", "out/", "a.txt"], ["a.png"],
        ["a.png", "b.png", "c.png"],
        ["-o", "out/", "--skip-existing", "--overwrite", "a.png"], ["-o", "out/"], ["-o", "out/", "--from", "-", "-"],
        ["-o", "out/", "--jobs", "0", "a.png"], ["-o", "out/", "--format", "text", "a.png"],
    ])
    func aWrongBatchIsAUsageErrorAndWritesNothing(_ arguments: [String]) async throws {
        let run = try await CommandRun.tintype(["convert"] + arguments)
        #expect(run.status == 64, "\(run.error)")
        #expect(!FileManager.default.fileExists(atPath: "out"))
    }

    @Test func aDryRunReportsAndWritesNothing() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "convert", "--recursive", try tree(fixture), "--dry-run", "-o", fixture.path("out") + "/")
            #expect(run.status == 0 && run.output.hasSuffix("3 planned\n"))
            #expect(run.output.contains(fixture.path("out/sub/deep/c.jpg")))
            #expect(!FileManager.default.fileExists(atPath: fixture.path("out")))
        }
    }

    @Test func standardInputAndOutputAreDashes() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 12, height: 8), "in.png")
            let run = try await CommandRun.shell(
                "out=$1; shift; tintype \"$@\" > \"$out\"",
                [fixture.path("a.jpg"), "convert", input, "-", "--format", "jpeg"])
            #expect(run.status == 0, "\(run.error)")
            let piped = try await CommandRun.shell(
                "tintype \"$@\" - < \"\(fixture.path("a.jpg"))\"", ["info", "--json"])
            #expect(try piped.records.first?["format"] as? String == "jpeg", "\(piped.error)")
            #expect(try piped.records.first?["width"] as? Int == 12 && piped.records.first?["url"] as? String == "-")
        }
    }

    /// Such a file is not standard input.
    @Test func aPatternMayMatchAFileWhoseNameIsADash() async throws {
        try await withCommandFixture { fixture in
            _ = try fixture.write(try CommandFixture.png(width: 7, height: 5), "-")
            let run = try await CommandRun.shell("cd \"$1\"; tintype info --json '?'", [fixture.path("")])
            #expect(run.status == 0, "\(run.error)")
            #expect(try run.records.first?["url"] as? String == "./-" && run.records.first?["width"] as? Int == 7)
        }
    }

    @Test func infoReportsManyFilesInOrderAndCountsFailures() async throws {
        try await withCommandFixture { fixture in
            var paths: [String] = []
            for number in 1...50 {
                paths.append(try fixture.write(try CommandFixture.png(width: number, height: 1), "\(number).png"))
            }
            paths.insert(fixture.path("none.png"), at: 20)
            paths.insert(try fixture.write(Data("no image".utf8), "bad.png"), at: 40)
            let run = try await CommandRun.tintype(["info", "--json"] + paths)
            #expect(run.status == 2 && run.error.split(separator: "\n").count == 2)
            #expect(try run.records.map { $0["width"] as? Int } == (1...50).map { $0 })
            let all = try await CommandRun.tintype("info", "--recursive", "--json", try tree(fixture))
            #expect(all.status == 0)
            #expect(try all.records.count == 3)
        }
    }

    /// The header of a file says nothing about the rest of it.
    @Test func infoVerifiesAllOfAnImage() async throws {
        try await withCommandFixture { fixture in
            let png = try CommandFixture.png(width: 60, height: 90)
            var damaged = png
            damaged[damaged.count / 2] ^= 0xFF
            let (good, bad) = (try fixture.write(png, "good.png"), try fixture.write(damaged, "bad.png"))
            #expect(try await CommandRun.tintype("info", good, bad).status == 0)
            let run = try await CommandRun.tintype("info", "--verify", "--json", good, bad)
            #expect(run.status == 1 && run.error.contains("bad.png"), "\(run.error)")
            #expect(try run.records.map { $0["isVerified"] as? Bool } == [true])
            let animation = try await CommandRun.tintype(
                "info", "--verify", CommandFixture.codecFixture("animated.png"))
            #expect(animation.output.contains("verified     3 frames"))
            // A URL is loaded and decoded once.
            let url = try await CommandRun.tintype("info", "--verify", "--no-cache", "--json", fixture.url("/b.png"))
            #expect(try url.records.first?["isVerified"] as? Bool == true)
            #expect(fixture.origin.requestCount("/b.png") == 1)
        }
    }
}
