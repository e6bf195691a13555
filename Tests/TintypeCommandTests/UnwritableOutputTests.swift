import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Output that cannot be written is an error: status 1, and one line on standard error.
@Suite(.timeLimited) struct UnwritableOutputTests {
    private static let image = CommandFixture.codecFixture("rgba-8.png")

    private static let commands = [
        ["info", image], ["info", "--json", image], ["info", image, image], ["fetch", image],
        ["fetch", "--json", image],
        ["prefetch", "data:image/png;base64,AAAA"], ["cache", "path"], ["cache", "stats"],
        ["cache", "stats", "--json"],
        ["cache", "verify"], ["cache", "clear"], ["cache", "trim"], ["cache", "remove", "https://x.org/a"], ["doctor"],
        ["compare", image, image], ["show", "--protocol", "blocks", image], ["--help"], ["help", "fetch"],
        ["--version"],
        ["--generate-completion-script", "bash"],
    ]

    @Test(arguments: commands, ["> /dev/full", ">&-"])
    func standardOutput(_ arguments: [String], _ redirection: String) async throws {
        let run = try await CommandRun.shell("tintype \"$@\" \(redirection)", arguments)
        #expect(run.status == 1)
        let lines = run.error.split(separator: "\n").filter { $0.contains("standard output: cannot write: ") }
        #expect(lines.count == 1, "\(run.error)")
    }

    private static let pipedCommands = [
        ["cache", "stats"], ["info", image], ["info", "--json", image, image], ["fetch", "--output", "-", image],
        ["convert", "--format", "jpeg", image, "-"], ["--help"],
    ]

    /// With the status of a pipe, as shells have it, the command is still a failure. Nobody needs a message.
    @Test(arguments: pipedCommands) func aClosedPipeIsSilent(_ arguments: [String]) async throws {
        let run = try await Self.runIntoAClosedPipe(arguments)
        #expect(run.error == "1\n")
    }

    /// The run ends while other images are still being written.
    @Test(arguments: [["fetch", "--json", "--output"], ["convert", "--json", "--format", "png", "--output"]])
    func aClosedPipeLeavesNoPartOfAFile(_ arguments: [String]) async throws {
        try await withCommandFixture { fixture in
            let folder = fixture.path("out")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            let inputs = try (0..<20).map { number in
                try fixture.write(try CommandFixture.png(width: 64 + number, height: 64), "\(number).png")
            }
            let run = try await Self.runIntoAClosedPipe(
                arguments + [folder + (arguments[0] == "fetch" ? "" : "/{name}")] + inputs)
            #expect(run.error == "1\n")
            for name in try FileManager.default.contentsOfDirectory(atPath: folder) {
                let written = try Data(contentsOf: URL(filePath: "\(folder)/\(name)"))
                #expect(try PNGDecoder().decode(written, context: DecodeContext()).size.height == 64, "\(name)")
            }
        }
    }

    /// The image is larger than a pipe, so the reader leaves in the middle.
    @Test(arguments: [["convert", "--format", "bmp"], ["fetch", "--output", "-"]])
    func aReaderThatLeavesEndsTheRunSilently(_ arguments: [String]) async throws {
        try await withCommandFixture { fixture in
            let large = fixture.path("large.bmp")
            let png = try fixture.write(try CommandFixture.png(width: 640, height: 480), "large.png")
            let written = try await CommandRun.tintype("convert", png, large)
            #expect(written.status == 0, "\(written.error)")
            let run = try await CommandRun.shell(
                "{ tintype \"$@\"; echo $? >&2; } | head -c 2",
                arguments + [large] + (arguments[0] == "fetch" ? [] : ["-"]))
            #expect(run.error == "1\n" && run.output == "BM")
        }
    }

    private static func runIntoAClosedPipe(_ arguments: [String]) async throws -> CommandRun {
        // Opening a pipe waits for its other end, which is closed when the command begins.
        let script = """
            pipe=$(mktemp -u); mkfifo "$pipe"; (: < "$pipe") & exec > "$pipe"; rm "$pipe"; wait
            tintype "$@"; echo $? >&2
            """
        return try await CommandRun.shell(script, arguments)
    }

    /// Otherwise the first file that the command opens would get the number of standard output.
    @Test func closedDescriptorsAreNotReused() async throws {
        try await withCommandFixture { fixture in
            let (output, trace) = (fixture.path("out"), fixture.path("trace.json"))
            let run = try await CommandRun.shell(
                "tintype \"$@\" <&- >&- 2>&-", ["fetch", "--output", output, "--trace", trace, fixture.url("/a.jpg")])
            #expect(run.status == 1)
            let written = try Data(contentsOf: URL(filePath: fixture.path("out/a.jpg")))
            #expect(written == (try CommandFixture.jpeg(width: 120, height: 80)))
        }
    }

    #if TINTYPE_TSAN
    // The thread sanitizer stops at its own files, which the limit concerns as well.
    private static let limitsFiles = false
    #else
    private static let limitsFiles = true
    #endif

    /// The shell limits files to 512 bytes, as a full disk would.
    @Test(.enabled(if: limitsFiles), arguments: [["fetch", "--no-cache", "--output"], ["convert"]])
    func aFileThatDoesNotFitIsAnErrorAndLeavesNothing(_ arguments: [String]) async throws {
        try await withCommandFixture { fixture in
            let folder = fixture.path("out")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            fixture.origin.serve(
                "/b.png", response: .image(try CommandFixture.png(width: 640, height: 480), type: "image/png"))
            let isFetch = arguments[0] == "fetch"
            let rest =
                isFetch ? [folder, fixture.url("/b.png")] : ["--no-cache", fixture.url("/a.jpg"), "\(folder)/b.png"]
            let run = try await CommandRun.shell("ulimit -f 1; tintype \"$@\"", arguments + rest)
            #expect(run.status == 1)
            #expect(run.error.contains("b.png: cannot write: file too large [unwritable, store]"), "\(run.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == [])
        }
    }

    @Test func aDeviceIsWrittenToAndNotReplaced() async throws {
        try await withCommandFixture { fixture in
            let link = fixture.path("full")
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/dev/full")
            let run = try await CommandRun.tintype("fetch", "--quiet", "--trace", link, fixture.url("/a.jpg"))
            #expect(
                run.status == 1 && run.error.contains("full: cannot write: no space left on device"), "\(run.error)")
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/full")
            let piped = try await CommandRun.shell(
                "tintype \"$@\" | cat", ["fetch", "--quiet", "--trace", "/dev/stdout", fixture.url("/a.jpg")])
            #expect(piped.output.contains("traceEvents"), "\(piped.output)")
        }
    }

    /// Another user of a shared directory may have planted the link.
    @Test func aLinkInTheOutputDirectoryIsReplacedAndNotFollowed() async throws {
        try await withCommandFixture { fixture in
            let victim = try fixture.write(Data("precious".utf8), "victim")
            let folder = fixture.path("out")
            try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: "\(folder)/a.jpg", withDestinationPath: victim)
            let run = try await CommandRun.tintype("fetch", "--output", folder, fixture.url("/a.jpg"))
            #expect(run.status == 0)
            #expect(try Data(contentsOf: URL(filePath: victim)) == Data("precious".utf8))
            #expect(try Data(contentsOf: URL(filePath: "\(folder)/a.jpg")).count > 100)
        }
    }

    /// As `cp` and shells do, with a name that the user has given.
    @Test(arguments: [false, true]) func aLinkAsOutputIsWrittenThroughUnlessTheUserForbidsThat(
        _ isForbidden: Bool
    ) async throws {
        try await withCommandFixture { fixture in
            let (target, link) = (try fixture.write(Data("old".utf8), "target"), fixture.path("link.png"))
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "target")
            chmod(target, 0o640)
            let run = try await CommandRun.tintype(
                ["convert", Self.image, link] + (isForbidden ? ["--no-follow"] : []))
            #expect(run.status == 0, "\(run.error)")
            #expect((try Data(contentsOf: URL(filePath: target)) == Data("old".utf8)) == isForbidden)
            #expect(try Data(contentsOf: URL(filePath: link)).starts(with: Data([0x89] + "PNG".utf8)))
            let isLink = (try? FileManager.default.destinationOfSymbolicLink(atPath: link)) != nil
            #expect(isLink != isForbidden)
            #expect(try FileManager.default.attributesOfItem(atPath: target)[.posixPermissions] as? Int == 0o640)
        }
    }

    @Test func theLongestFileNameCanBeWritten() async throws {
        try await withCommandFixture { fixture in
            let output = fixture.path(String(repeating: "n", count: 251) + ".png")
            let run = try await CommandRun.tintype("convert", Self.image, output)
            #expect(run.status == 0, "\(run.error)")
        }
    }
}
