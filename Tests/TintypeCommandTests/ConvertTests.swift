import Foundation
import Testing
import Tintype
import TintypeTesting

@Suite(.timeLimit(.minutes(2))) struct ConvertTests {
    private func converted(_ fixture: CommandFixture, _ arguments: String...) async throws -> Image {
        let input = try fixture.write(try CommandFixture.png(width: 120, height: 60), "in.png")
        let output = fixture.path("out.png")
        let run = try await CommandRun.tintype(["convert", input, output] + arguments)
        #expect(run.status == 0, "\(run.error)")
        return try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), DecodeContext())
    }

    @Test(arguments: [
        (["--thumbnail", "30x30"], 30, 15), (["--thumbnail", "500x500"], 120, 60),
        (["--resize", "30x30"], 30, 15), (["--resize", "30x30", "--mode", "fill"], 30, 30),
        (["--resize", "30x30", "--mode", "stretch"], 30, 30),
        (["--resize", "60x60", "--mode", "fill", "--resize", "10x20"], 10, 10),
        (["--resize", "60x60", "--resize", "10x20", "--mode", "stretch"], 10, 20),
    ])
    func sizes(_ arguments: [String], _ width: Int, _ height: Int) async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 120, height: 60), "in.png")
            let run = try await CommandRun.tintype(["convert", input, fixture.path("out.png")] + arguments)
            #expect(run.status == 0, "\(run.error)")
            let info = try await CommandRun.tintype("info", "--json", fixture.path("out.png")).records.first
            #expect(info?["width"] as? Int == width && info?["height"] as? Int == height)
        }
    }

    @Test func theExtensionNamesTheFormat() async throws {
        try await withCommandFixture { fixture in
            for (name, format) in [("x.jpg", "jpeg"), ("x.JPEG", "jpeg"), ("x.png", "png")] {
                let run = try await CommandRun.tintype(
                    "convert", fixture.url("/a.jpg"), fixture.path(name), "--quality", "50")
                #expect(run.status == 0, "\(run.error)")
                let info = try await CommandRun.tintype("info", "--json", fixture.path(name)).records.first
                #expect(info?["format"] as? String == format)
            }
        }
    }

    @Test func pngToPngKeepsEveryPixel() async throws {
        try await withCommandFixture { fixture in
            let data = try CommandFixture.png(width: 120, height: 60)
            let image = try await converted(fixture)
            let original = try PNGDecoder().decode(data, DecodeContext())
            #expect(image.size == original.size)
            #expect((0..<60).allSatisfy { image.pixels[$0 * 2, $0] == original.pixels[$0 * 2, $0] })
        }
    }

    @Test(arguments: ["rects.gif", "rects.png", "rects.webp"])
    func aFrameIsThatOfTheAnimationAsItIsShown(_ name: String) async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (CommandFixture.codecFixture(name), fixture.path("frame.png"))
            let data = try Data(contentsOf: URL(filePath: input))
            let animation = try #require(
                try ImageCoderRegistry.standard.decoder(for: data).decode(data, DecodeContext()).animation)
            for index in [0, 6, 13] {
                let run = try await CommandRun.tintype("convert", input, output, "--frame", "\(index)")
                #expect(run.status == 0, "\(run.error)")
                let written = try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), DecodeContext())
                #expect(PixelDifference(written.pixels, try animation.frame(at: index))?.maximum == 0)
            }
            let small = try await CommandRun.tintype(
                "convert", input, output, "--frame", "5", "--resize", "12x12", "--thumbnail", "20x20")
            #expect(small.status == 0, "\(small.error)")
            let written = try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), DecodeContext())
            #expect(written.size.width == 12)
            let none = try await CommandRun.tintype("convert", input, output, "--frame", "14")
            #expect(none.status == 1 && none.error.contains("noSuchFrame") && none.error.contains(name))
        }
    }

    @Test func whatCannotBeDoneIsOneLineAndLeavesNoFile() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 12, height: 6), "in.png")
            for (arguments, word) in [
                ([input, fixture.path("out.xyz")], "noCoder"), ([input, fixture.path("out.gif")], "noCoder"),
                ([input, fixture.path("no/folder/out.png")], "unwritable"),
                ([fixture.path("missing.png"), fixture.path("out.png")], "notFound"),
                ([input, fixture.path("out.png"), "--frame", "1"], "noSuchFrame"),
                ([fixture.url("/corrupt.png"), fixture.path("out.png")], "undecodable"),
            ] {
                let run = try await CommandRun.tintype(["convert"] + arguments)
                #expect(run.status == 1 && run.error.contains(word), "\(run.error)")
                #expect(run.error.split(separator: "\n").count == 1)
            }
            let names = try FileManager.default.contentsOfDirectory(atPath: fixture.folder.path(percentEncoded: false))
            #expect(names == ["in.png"])
        }
    }
}
