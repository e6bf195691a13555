import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCommand

@Suite(.timeLimited) struct ConvertTests {
    private func converted(_ fixture: CommandFixture, _ arguments: String...) async throws -> Image {
        let input = try fixture.write(try CommandFixture.png(width: 120, height: 60), "in.png")
        let output = fixture.path("out.png")
        let run = try await CommandRun.tintype(["convert", input, output] + arguments)
        #expect(run.status == 0, "\(run.error)")
        return try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), context: DecodeContext())
    }

    @Test(arguments: [
        (["--thumbnail", "30x30"], 30, 15), (["--thumbnail", "500x500"], 120, 60),
        (["--resize", "30x30"], 30, 15), (["--resize", "30x30", "--mode", "fill"], 30, 30),
        (["--resize", "30x30", "--mode", "stretch"], 30, 30),
        (["--resize", "60x60", "--mode", "fill", "--resize", "10x20"], 10, 10),
        (["--resize", "60x60", "--resize", "10x20", "--mode", "stretch"], 10, 20),
    ])
    func theSizeIsThatOfTheOptions(_ arguments: [String], _ width: Int, _ height: Int) async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 120, height: 60), "in.png")
            let run = try await CommandRun.tintype(["convert", input, fixture.path("out.png")] + arguments)
            #expect(run.status == 0, "\(run.error)")
            let info = try await CommandRun.tintype("info", "--json", fixture.path("out.png")).records.first
            #expect(info?["width"] as? Int == width && info?["height"] as? Int == height)
        }
    }

    @Test(arguments: [
        (["--resize", "30x30", "--mode", "fill", "--gravity", "smart", "--filter", "box"], 30, 30),
        (["--resize", "240x240", "--enlarge"], 240, 120), (["--crop", "-10,10,30,40"], 20, 40),
        (["--crop", "50x20", "--gravity", "topRight"], 50, 20), (["--rotate", "90"], 60, 120),
        (["--rotate", "-30,keep"], 120, 60), (["--flip", "vertical", "--pad", "1,2,3,4,#ff0000"], 126, 64),
        (["--round", "circle", "--border", "2,#ffffff80"], 60, 60),
        (["--round", "9", "--corners", "tl,br", "--border", "1,#000"], 120, 60),
        (["--pad", "7,#123456", "--trim", "3"], 120, 60), (["--tint", "#f00", "--blend", "screen"], 120, 60),
        (["--adjust", "brightness=0.1,contrast=1.1,saturation=0.5,grey,sepia,invert"], 120, 60),
        (["--blur", "3.5", "--flatten", "#ffffff"], 120, 60), (["--sharpen", "2"], 120, 60),
        (["--sharpen", "1.5,0.8,3", "--pixelate", "7"], 120, 60),
        (["--rotate", "90", "--crop", "0,0,10,100", "--rotate", "90"], 100, 10),
    ])
    func everyTransformHasAnOption(_ arguments: [String], _ width: Int, _ height: Int) async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 120, height: 60), "in.png")
            let run = try await CommandRun.tintype(["convert", input, fixture.path("out.png")] + arguments)
            #expect(run.status == 0, "\(run.error)")
            let info = try await CommandRun.tintype("info", "--json", fixture.path("out.png")).records.first
            #expect(info?["width"] as? Int == width && info?["height"] as? Int == height)
        }
    }

    @Test func theHelpNamesEveryChoice() async throws {
        let help = try await CommandRun.tintype("convert", "--help-all").output
        let words = Set(help.split { " \n,.:".contains($0) }.map(String.init))
        #expect(words.isSuperset(of: BlendMode.allCases.map(\.name)))
        #expect(words.isSuperset(of: Gravity.allCases.map(\.rawValue) + ResampleFilter.allCases.map(\.rawValue)))
        for option in ["crop", "rotate", "flip", "round", "tint", "blur", "adjust", "overlay", "pad", "trim"] {
            #expect(help.contains(" --\(option) "), "there is no example with --\(option)")
        }
    }

    @Test func theHelpHasCommonOptionsAndTheRestOnRequest() async throws {
        let (common, all) = (
            try await CommandRun.tintype("convert", "--help"), try await CommandRun.tintype("convert", "--help-all")
        )
        #expect(common.status == 0 && all.status == 0)
        for option in ["--resize", "--output", "--jobs"] {
            #expect(common.output.contains("\n  \(option)") || common.output.contains(", \(option)"), "\(option)")
        }
        // One screen of most terminals.
        #expect(common.output.split(separator: "\n", omittingEmptySubsequences: false).count <= 60, "\(common.output)")
        for option in ["--proxy", "--insecure", "--no-cache", "--mode", "--overlay"] {
            #expect(!common.output.contains("\n  \(option)") && all.output.contains("\n  \(option)"), "\(option)")
        }
    }

    @Test(
        arguments: [
            (["convert", "--help-all"], ["convert", "--help-hidden"]), (["info", "--", "--help-all"], nil),
            (["info", "a", "--json"], nil),
        ] as [([String], [String]?)])
    func theNameOfTheFullHelpIsTranslated(_ arguments: [String], _ translated: [String]?) {
        #expect(TintypeCommand.helpArguments(arguments) == translated ?? arguments)
    }

    @Test func transformsApplyInTheOrderGiven() async throws {
        try await withCommandFixture { fixture in
            let first = try await converted(fixture, "--tint", "#00ff00", "--adjust", "invert")
            #expect(first.pixels[5, 5] == Pixel(red: 255, green: 0, blue: 255))
            let second = try await converted(fixture, "--adjust", "invert", "--tint", "#00ff00")
            #expect(second.pixels[5, 5] == Pixel(red: 0, green: 255, blue: 0))
        }
    }

    @Test func anOverlayIsLoadedAndDrawn() async throws {
        try await withCommandFixture { fixture in
            let mark = try PixelBuffer.filled(Pixel(red: 255, green: 0, blue: 0), size: PixelSize(width: 4, height: 4))
            let path = try fixture.write(PNGEncoder().encode(mark, as: .png, options: EncodeOptions()), "mark.png")
            let marked = try await converted(
                fixture, "--overlay", path, "--gravity", "topLeft", "--inset", "10,20", "--opacity", "1")
            #expect(marked.pixels[10, 20] == Pixel(red: 255, green: 0, blue: 0))
            #expect(marked.pixels[9, 20] != marked.pixels[10, 20])
        }
    }

    @Test(arguments: [
        ["--mode", "fill"], ["--round", "3", "--mode", "fill"], ["--blur", "2", "--gravity", "top"],
        ["--crop", "0,0,5,5", "--gravity", "top"],
        ["--crop", "1,2,3"], ["--rotate", "west"], ["--flip", "both"], ["--tint", "red"], ["--adjust", "sharpen"],
        ["--adjust", "1,2,3"], ["--pad", "1,2"], ["--trim", "300"], ["--border", "1,#fff"],
        ["--round", "2", "--corners", "top"], ["--sharpen", "1,2,3,4"], ["--sharpen", "1,,2"], ["--pixelate", "1.5"],
    ])
    func malformedTransformsAreUsageErrors(_ arguments: [String]) async throws {
        let run = try await CommandRun.tintype(["convert", "in.png", "out.png"] + arguments)
        #expect(run.status == 64)
    }

    @Test func aTransformThatFailsIsOneLineOfError() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 12, height: 6), "in.png")
            for arguments in [
                ["--crop", "50,50,1,1"], ["--blur", "nan"], ["--rotate", "inf"], ["--pad", "-1"], ["--pixelate", "0"],
            ] {
                let run = try await CommandRun.tintype(["convert", input, fixture.path("out.png")] + arguments)
                #expect(run.status == 1 && run.error.contains("transformFailed"), "\(run.error)")
            }
        }
    }

    @Test func theExtensionNamesTheFormat() async throws {
        try await withCommandFixture { fixture in
            for (name, format) in [
                ("x.jpg", "jpeg"), ("x.JPEG", "jpeg"), ("x.png", "png"), ("x.bmp", "bmp"), ("x.tif", "tiff"),
                ("x.avif", "avif"), ("x.jxl", "jxl"), ("x.heic", "heic"), ("x.webp", "webp"), ("x.gif", "gif"),
            ] {
                let run = try await CommandRun.tintype(
                    "convert", fixture.url("/a.jpg"), fixture.path(name), "--quality", "50")
                #expect(run.status == 0, "\(run.error)")
                let info = try await CommandRun.tintype("info", "--json", fixture.path(name)).records.first
                #expect(info?["format"] as? String == format)
            }
        }
    }

    @Test func theQualityIsLoweredUntilTheFileIsSmallEnough() async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (CommandFixture.codecFixture("large-baseline.jpg"), fixture.path("small.jpg"))
            let run = try await CommandRun.tintype("convert", input, output, "--output-bytes", "12kB")
            #expect(run.status == 0, "\(run.error)")
            let count = try Data(contentsOf: URL(filePath: output)).count
            #expect(count <= 12_000 && count > 6_000)
            let none = try await CommandRun.tintype("convert", input, output, "--output-bytes", "12")
            #expect(none.status == 1 && none.error.contains("encodeFailed"), "\(none.error)")
        }
    }

    /// Returns a JPEG with Exif data that name its maker.
    private static func camera() throws -> Data {
        let plain = try JPEGEncoder().encode(
            .filled(Pixel(red: 9, green: 9, blue: 9)), as: .jpeg, options: EncodeOptions())
        let exif = Data("Exif\0\0MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{F}\0\u{2}\0\0\0\u{4}Me!\0\0\0\0\0".utf8)
        let segment = Data([0xFF, 0xE1, 0, UInt8(exif.count + 2)]) + exif
        return plain.prefix(2) + segment + plain.dropFirst(2)
    }

    /// Formats that cannot have all kinds do not stop the other images of a batch.
    @Test func keepAppliesAsFarAsTheFormatOfEachInputAllows() async throws {
        try await withCommandFixture { fixture in
            let camera = try Self.camera()
            // The names decide on the formats of the outputs, the bytes on those of the inputs.
            let inputs = try ["a.jpg", "b.webp", "c.gif"].map { try fixture.write(camera, $0) }
            let keep = ["--keep", "exif,xmp,iptc,icc", "-o", fixture.path("out") + "/"]
            let run = try await CommandRun.tintype(["convert"] + inputs + keep)
            #expect(run.status == 0 && run.output.hasSuffix("3 written\n"), "\(run.error)")
            let maker = Data("Me!".utf8)
            let kept = try ["a.jpg", "b.webp", "c.gif"].map { name in
                try Data(contentsOf: URL(filePath: fixture.path("out/\(name)"))).range(of: maker) != nil
            }
            #expect(kept == [true, true, false])
            #expect(run.error == "tintype: \(inputs[2]): gif images are written without exif\n")
        }
    }

    @Test func keepWritesTheNamedMetadata() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try Self.camera(), "camera.jpg")
            for (keep, isKept) in [(["--keep", "exif,icc"], true), (["--keep", "icc"], false), ([], false)] {
                let output = fixture.path("out\(keep.count)\(isKept).webp")
                let run = try await CommandRun.tintype(["convert", input, output] + keep)
                let written = try Data(contentsOf: URL(filePath: output))
                #expect(run.status == 0 && (written.range(of: Data("Me!".utf8)) != nil) == isKept)
                #expect((written.range(of: Data("ICCP".utf8)) != nil) == !keep.isEmpty)
            }
            for wrong in [["out.png", "--keep", "soul"], ["out.bmp", "--keep", "exif"]] {
                #expect(try await CommandRun.tintype(["convert", input] + wrong).status == 64)
            }
        }
    }

    @Test(
        arguments: [
            ("jpg", "exif,xmp,iptc,icc,location", nil), ("tiff", "iptc", nil), ("avif", "exif,xmp,icc,location", nil),
            ("webp", "exif,iptc", nil), ("gif", "comment,xmp,iptc", nil), ("png", "comment,iptc", nil),
            (
                "webp", "exif,comment",
                "webp images are written without comment; remove comment from --keep, or choose one of jpeg, png"
            ),
            (
                "gif", "icc,exif",
                "without exif, icc; remove exif, icc from --keep, or choose one of avif, heic, jpeg, jxl"
            ),
        ] as [(String, String, String?)])
    func keepRefusesMetadataThatTheFormatCannotHave(_ ending: String, _ kinds: String, _ problem: String?) async throws
    {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                ["convert", fixture.path("missing.png"), fixture.path("out.\(ending)"), "--keep", kinds])
            #expect(
                run.status == (problem == nil ? 1 : 64) && run.error.contains(problem ?? "notFound"), "\(run.error)")
        }
    }

    @Test func pngToPngKeepsEveryPixel() async throws {
        try await withCommandFixture { fixture in
            let data = try CommandFixture.png(width: 120, height: 60)
            let image = try await converted(fixture)
            let original = try PNGDecoder().decode(data, context: DecodeContext())
            #expect(image.size == original.size)
            #expect((0..<60).allSatisfy { image.pixels[$0 * 2, $0] == original.pixels[$0 * 2, $0] })
        }
    }

    @Test(arguments: ["avif", "gif", "heic", "heics", "jxl", "png", "webp"])
    func anAnimationStaysAnAnimationIfTheFormatSupportsIt(_ ending: String) async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (CommandFixture.codecFixture("rects.png"), fixture.path("out.\(ending)"))
            let run = try await CommandRun.tintype("convert", input, output, "--quality", "100")
            #expect(run.status == 0, "\(run.error)")
            let data = try Data(contentsOf: URL(filePath: output))
            let written = try #require(try animation(data))
            let original = try #require(try animation(Data(contentsOf: URL(filePath: input))))
            #expect(written.frameCount == original.frameCount && written.size == original.size)
            let total = original.durations.reduce(0, +)
            #expect(abs(written.durations.reduce(0, +) - total) < 0.02)
            #expect(written.loopCount == original.loopCount)
            let small = try await CommandRun.tintype("convert", input, output, "--resize", "12x12", "--frame", "2")
            #expect(small.status == 0, "\(small.error)")
            #expect(try animation(Data(contentsOf: URL(filePath: output))) == nil)
        }
    }

    @Test func everyFrameOfAnAnimationIsTransformed() async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (CommandFixture.codecFixture("rects.gif"), fixture.path("out.png"))
            let run = try await CommandRun.tintype("convert", input, output, "--crop", "1,2,9,8", "--flip", "vertical")
            #expect(run.status == 0, "\(run.error)")
            let written = try #require(try animation(Data(contentsOf: URL(filePath: output))))
            let original = try #require(try animation(Data(contentsOf: URL(filePath: input))))
            for index in 0..<original.frameCount {
                let (whole, part) = (try original.frame(at: index), try written.frame(at: index))
                #expect((0..<9).allSatisfy { x in (0..<8).allSatisfy { part[x, $0] == whole[x + 1, 9 - $0] } })
            }
        }
    }

    private func animation(_ data: Data) throws -> AnimatedImage? {
        try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext()).animation
    }

    @Test(arguments: ["rects.gif", "rects.png", "rects.webp"])
    func aFrameEqualsTheDisplayedFrameOfTheAnimation(_ name: String) async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (CommandFixture.codecFixture(name), fixture.path("frame.png"))
            let data = try Data(contentsOf: URL(filePath: input))
            let animation = try #require(
                try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext()).animation)
            for index in [0, 6, 13] {
                let run = try await CommandRun.tintype("convert", input, output, "--frame", "\(index)")
                #expect(run.status == 0, "\(run.error)")
                let written = try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), context: DecodeContext())
                #expect(PixelDifference(between: written.pixels, and: try animation.frame(at: index))?.maximum == 0)
            }
            let small = try await CommandRun.tintype(
                "convert", input, output, "--frame", "5", "--resize", "12x12", "--thumbnail", "20x20")
            #expect(small.status == 0, "\(small.error)")
            let written = try PNGDecoder().decode(Data(contentsOf: URL(filePath: output)), context: DecodeContext())
            #expect(written.size.width == 12)
            let none = try await CommandRun.tintype("convert", input, output, "--frame", "14")
            #expect(none.status == 1 && none.error.contains("noSuchFrame") && none.error.contains(name))
        }
    }

    @Test func aFailureIsOneLineAndLeavesNoFile() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 12, height: 6), "in.png")
            for (arguments, word) in [
                ([input, fixture.path("out.xyz")], "noCoder"), ([input, fixture.path("out.svg")], "noCoder"),
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

    @Test func selectedFramesBecomeAnAnimation() async throws {
        try await withCommandFixture { fixture in
            let (input, output) = (CommandFixture.codecFixture("rects.png"), fixture.path("part.webp"))
            let run = try await CommandRun.tintype("convert", input, output, "--frames", "3-1,7", "--quality", "100")
            #expect(run.status == 0, "\(run.error)")
            let record = try #require(try await CommandRun.tintype("info", "--json", output).records.first)
            #expect(record["frameCount"] as? Int == 4)
            let still = try await CommandRun.tintype("convert", input, fixture.path("one.jpg"), "--frames", "5,6")
            #expect(still.status == 0)
            let none = try await CommandRun.tintype("convert", input, output, "--frames", "90")
            #expect(none.status == 1 && none.error.contains("noSuchFrame"))
        }
    }

    @Test(arguments: ["", "a", "1-", "-1", "1,,2", "0-99999999", "1-2-3"])
    func malformedFrameListsAreUsageErrors(_ list: String) async throws {
        let run = try await CommandRun.tintype("convert", "a.gif", "b.webp", "--frames=\(list)")
        #expect(run.status == 64, "\(list): \(run.error)")
        let both = try await CommandRun.tintype("convert", "a.gif", "b.webp", "--frames", "1", "--frame", "1")
        #expect(both.status == 64)
    }
}
