import ArgumentParser
import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimited) struct InfoTests {
    @Test func reportsAnAnimation() async throws {
        let run = try await CommandRun.tintype("info", "--json", CommandFixture.codecFixture("animated.png"))
        let record = try #require(try run.records.first)
        #expect(record["format"] as? String == "png" && record["source"] as? String == "file")
        #expect(record["frameCount"] as? Int == 3 && record["loopCount"] as? Int == 5)
        #expect(record["durations"] as? [Double] == [0.1, 0.25, 0.5])
        #expect(record["hasAlpha"] as? Bool == true)
    }

    @Test(arguments: [
        ("rects.gif", "gif", 3, 0.01), ("interlaced.gif", "gif", 1, 0.01), ("rects.webp", "webp", 5, 0.001),
    ])
    func reportsFramesDelaysAndLoops(_ name: String, _ format: String, _ plays: Int, _ second: Double) async throws {
        let run = try await CommandRun.tintype("info", "--json", CommandFixture.codecFixture(name))
        let record = try #require(try run.records.first)
        #expect(record["format"] as? String == format && record["frameCount"] as? Int == 14)
        #expect(record["loopCount"] as? Int == plays)
        #expect((record["durations"] as? [Double])?.dropFirst().first == second)
        let text = try await CommandRun.tintype("info", CommandFixture.codecFixture(name)).output
        #expect(text.contains(plays == 1 ? "played once" : "played \(plays) times"))
    }

    @Test func reportsTheDisplayedSizeAndTheStoredOrientation() async throws {
        let run = try await CommandRun.tintype("info", "--json", CommandFixture.codecFixture("orientation-6.jpg"))
        let record = try #require(try run.records.first)
        #expect(record["width"] as? Int == 48 && record["height"] as? Int == 32)
        #expect(record["orientation"] as? Int == 6)
    }

    @Test func reportsAURL() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype("info", "--json", fixture.url("/b.png"))
            #expect(try run.records.first?["source"] as? String == "network")
            #expect(try run.records.first?["height"] as? Int == 90)
        }
    }

    /// The sides are those of the viewBox (SVG 2, section 8.2), and nothing is drawn.
    @Test func aLocalDrawingOfAnySizeIsReportedAsThatOfAURL() async throws {
        try await withCommandFixture { fixture in
            let drawing = Data(
                """
                <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 600000 400000"><rect width="9" height="9"/></svg>
                """.utf8)
            fixture.origin.serve("/huge.svg", response: .image(drawing, type: "image/svg+xml"))
            for source in [try fixture.write(drawing, "huge.svg"), fixture.url("/huge.svg")] {
                let run = try await CommandRun.tintype("info", "--json", source)
                #expect(run.status == 0, "\(run.error)")
                let record = try #require(try run.records.first)
                #expect(record["width"] as? Int == 600_000 && record["height"] as? Int == 400_000)
            }
        }
    }

    /// The file is sparse and has a terabyte, so reading all of it would not finish.
    @Test func readsOnlyTheHeader() async throws {
        try await withCommandFixture { fixture in
            let path = try fixture.write(try CommandFixture.png(width: 60, height: 90), "large.png")
            #expect(truncate(path, 1 << 40) == 0)
            let run = try await CommandRun.tintype("info", "--json", path)
            #expect(run.status == 0)
            #expect(try run.records.first?["bytes"] as? Int == 1 << 40)
        }
    }

    /// The file claims that its first directory is near the end of a terabyte.
    @Test func aHeaderThatDoesNotFitIsRefused() async throws {
        try await withCommandFixture { fixture in
            let path = try fixture.write(Data([0x49, 0x49, 0x2A, 0, 0xF0, 0xFF, 0xFF, 0xFF]), "far.tiff")
            #expect(truncate(path, 1 << 40) == 0)
            let run = try await CommandRun.tintype("info", "--max-bytes", "1MB", path)
            #expect(run.status == 1 && run.error.contains("limitExceeded"), "\(run.error)")
        }
    }

    /// Only headers of files cost less than a change of threads.
    @Test(arguments: [
        ([], ["a.png", "b.png"], 16), (["--verify"], ["a.png", "b.png"], 1), (["--palette"], ["a.png"], 1),
        ([], ["a.png", "http://h/b.png"], 1), ([], ["-", "a.png"], 1),
    ])
    func imagesAreInspectedInParallelUnlessHeadersAreRead(
        _ options: [String], _ sources: [String], _ size: Int
    ) throws {
        let inspector = Inspector(
            pipeline: InterruptiblePipeline(ImagePipeline(PipelineConfiguration()), until: Interruption(signals: [])),
            partial: try PartialOptions.parse([]),
            appearance: try AppearanceOptions.parse(options.filter { $0 == "--palette" }),
            verifies: options.contains("--verify"), isGuarded: false)
        let inputs = sources.map { BatchInput(source: SourceArgument(argument: $0)) }
        #expect(inspector.chunkSize(for: inputs) == size)
    }

    @Test(arguments: ["empty.jpg", "html.png", "bad-header.png", "no-such-file.png"])
    func anInvalidImageIsOneLineOfError(_ name: String) async throws {
        let run = try await CommandRun.tintype("info", CommandFixture.codecFixture(name))
        #expect(run.status == 1 && run.output.isEmpty)
        #expect(run.error.split(separator: "\n").count == 1 && run.error.contains(name))
    }

    @Test(arguments: ["/dev/zero", "/"]) func onlyRegularFilesAreRead(_ path: String) async throws {
        let run = try await CommandRun.tintype("info", path)
        #expect(run.status == 1 && run.error.contains("not a regular file"))
    }

    @Test func reportsPaletteAndHashesOnRequest() async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                "info", "--json", "--palette", "--blurhash", "--thumbhash", fixture.url("/b.png"))
            #expect(run.status == 0, "\(run.error)")
            let record = try #require(run.records.first)
            let palette = try #require(record["palette"] as? [[String: Any]])
            #expect(palette.count == 6 && (palette.first?["color"] as? String)?.hasPrefix("#") == true)
            #expect((record["blurHash"] as? String).flatMap { BlurHash(text: $0) } != nil)
            let bytes = (record["thumbHash"] as? String).flatMap { Data(base64Encoded: $0) }
            #expect(bytes.flatMap { ThumbHash(bytes: [UInt8]($0)) } != nil)
            let plain = try await CommandRun.tintype("info", "--palette", fixture.url("/a.jpg"))
            #expect(plain.output.contains("palette") && !plain.output.contains("blurhash"))
        }
    }
}
