import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Tests `--partial` with damaged images and interrupted transfers.
@Suite(.timeLimited) struct PartialOptionTests {
    /// Returns an image of noise, so that a part of its bytes contains complete rows.
    private static func png() throws -> Data {
        var random = SeededRandom(seed: 5)
        let pixels = try PixelBuffer.drawn(PixelSize(width: 60, height: 90)) { _, _ in
            Pixel(red: .random(in: 0...255, using: &random), green: .random(in: 0...255, using: &random), blue: 9)
        }
        return try PNGEncoder().encode(pixels, as: .png, options: EncodeOptions())
    }

    private func serve(_ fixture: CommandFixture) throws -> String {
        let png = try Self.png()
        fixture.origin.serve(
            "/broken.png",
            response: .image(png, type: "image/png").setting(\.ending, to: .cut(after: png.count * 2 / 3)))
        return fixture.url("/broken.png")
    }

    @Test func fetchReportsAPartialImageAndStoresNothing() async throws {
        try await withCommandFixture { fixture in
            let (cache, output, url) = (fixture.path("cache"), fixture.path("out"), try serve(fixture))
            let strict = try await CommandRun.tintype("fetch", "--cache", cache, url)
            #expect(strict.status == 1 && strict.error.contains("truncatedBody"))
            let run = try await CommandRun.tintype(
                "fetch", "--partial", "--json", "--cache", cache, "--output", output, url)
            let record = try #require(try run.records.first)
            #expect(run.status == 0 && record["isPartial"] as? Bool == true && record["height"] as? Int == 90)
            #expect(record["output"] == nil && record["warning"] == nil)
            #expect(run.error.contains("partial image: the body ended early"))
            #expect(try FileManager.default.contentsOfDirectory(atPath: output).isEmpty)
            let cached = try await CommandRun.tintype("fetch", "--partial", "--cache-only", "--cache", cache, url)
            #expect(cached.status == 1 && cached.error.contains("notCached"))
        }
    }

    @Test func convertWritesAPartialImage() async throws {
        try await withCommandFixture { fixture in
            let data = try Self.png()
            let (input, output) = (try fixture.write(data.prefix(data.count / 2), "cut.png"), fixture.path("part.png"))
            let strict = try await CommandRun.tintype("convert", input, output)
            #expect(strict.status == 1 && !FileManager.default.fileExists(atPath: output))
            let run = try await CommandRun.tintype("convert", "--partial", input, output)
            #expect(run.status == 0 && run.error.contains("partial image: the image is damaged"))
            let part = try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), context: DecodeContext())
            #expect(part.pixels[0, 10].alpha == 255 && part.pixels[0, 89].alpha == 0)
        }
    }

    @Test func infoReportsAPartialImage() async throws {
        try await withCommandFixture { fixture in
            let url = try serve(fixture)
            let strict = try await CommandRun.tintype("info", "--no-cache", url)
            #expect(strict.status == 1)
            let run = try await CommandRun.tintype("info", "--partial", "--json", "--no-cache", url)
            #expect(try run.records.first?["isPartial"] as? Bool == true)
            let text = try await CommandRun.tintype("info", "--partial", "--no-cache", url)
            #expect(text.output.contains("partial      yes"))
            let whole = try await CommandRun.tintype("info", "--partial", "--json", "--no-cache", fixture.url("/b.png"))
            #expect(try whole.records.first?["isPartial"] == nil)
        }
    }

    @Test func theFramesBeforeADamagedOneAreAccepted() async throws {
        try await withCommandFixture { fixture in
            let path = try fixture.write(try CommandFixture.animationWithADamagedFrame(), "damaged.png")
            let run = try await CommandRun.tintype("info", "--verify", "--partial", "--json", path)
            #expect(run.status == 0, "\(run.error)")
            #expect(try run.records.first?["isPartial"] as? Bool == true)
        }
    }

    /// A GIF with zeros between its blocks, which every viewer shows.
    private static let damaged =
        Data("GIF89a".utf8) + Data([1, 0, 1, 0, 0x80, 0, 0]) + Data([255, 0, 0, 0, 0, 255])
        + Data([0, 0, 0x2C, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2, 0x44, 1, 0, 0x3B])

    @Test func strictRefusesDamageThatIsAWarningOtherwise() async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (try fixture.write(Self.damaged, "damaged.gif"), fixture.path("out.png"))
            let strict = try await CommandRun.tintype("convert", "--strict", input, output)
            #expect(strict.status == 1 && !FileManager.default.fileExists(atPath: output))
            let run = try await CommandRun.tintype("convert", input, output)
            #expect(run.status == 0 && run.error.contains("damaged image: there are stray bytes between blocks"))
            let info = try await CommandRun.tintype("info", "--json", input)
            #expect(try (info.records.first?["warnings"] as? [String])?.count == 1)
            let both = try await CommandRun.tintype("info", "--strict", "--partial", input)
            #expect(both.status == 64)
        }
    }

    @Test(arguments: ["fetch", "convert", "info"]) func theHelpMentionsPartial(_ command: String) async throws {
        let run = try await CommandRun.tintype(command, "--help-all")
        #expect(run.output.contains("--partial"))
    }
}
