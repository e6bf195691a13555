import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// The colours in which `tintype convert` writes images: `--color-space` and `--hdr`.
@Suite(.timeLimited) struct ConvertColorTests {
    @Test func colorsOfAnotherSpaceAreWritten() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 40, height: 20), "in.png")
            let (plain, wide) = (fixture.path("plain.jpg"), fixture.path("wide.jpg"))
            #expect(try await CommandRun.tintype(["convert", input, plain]).status == 0)
            let run = try await CommandRun.tintype(["convert", input, wide, "--color-space", "display-p3"])
            #expect(run.status == 0, "\(run.error)")
            // The name of the profile, in UTF-16.
            let name = Data("Display P3".utf8.flatMap { [0, $0] })
            #expect(try Data(contentsOf: URL(filePath: wide)).range(of: name) != nil)
            #expect(try Data(contentsOf: URL(filePath: plain)).range(of: name) == nil)
            for wrong in [["out.png", "--color-space", "cmyk"], ["out.gif", "--color-space", "display-p3"]] {
                #expect(try await CommandRun.tintype(["convert", input] + wrong).status == 64)
            }
        }
    }

    @Test func hdrKeepsTheHighRange() async throws {
        try await withCommandFixture { fixture in
            let size = PixelSize(width: 16, height: 16)
            var writer = try HighRangePixels.writer(size)
            for y in 0..<size.height {
                writer.withRows(from: y) { row in
                    for x in 0..<size.width {
                        row.storeBytes(of: SIMD4<Float16>(3, 3, 3, 1), toByteOffset: 8 * x, as: SIMD4<Float16>.self)
                    }
                }
            }
            let bright = HighRangePixels(rows: writer.finish())
            let input = try fixture.write(
                try JXLEncoder().encode(bright, as: .jxl, options: EncodeOptions()), "bright.jxl")
            let runs = [
                (["--hdr"], true), ([], false), (["--hdr", "--resize", "8x8"], true), (["--hdr", "--frame=0"], true),
            ]
            for (arguments, isBright) in runs {
                let output = fixture.path("out\(arguments.count).avif")
                let run = try await CommandRun.tintype(["convert", input, output] + arguments)
                #expect(run.status == 0, "\(run.error)")
                let context = DecodeContext(options: DecodeOptions(range: .high))
                let image = try AVIFDecoder().decode(Data(contentsOf: URL(filePath: output)), context: context)
                #expect((image.highRange.map { $0[4, 4].x > 2.5 } ?? false) == isBright)
            }
            #expect(try await CommandRun.tintype(["convert", input, "out.png", "--hdr"]).status == 64)
        }
    }

    /// Formats that cannot have the colours do not stop the other images of a batch; if there are only such formats, it
    /// does not begin.
    @Test(
        arguments: [
            (
                ["--hdr"], "b.png",
                "--hdr: png images are written with 8 bits per channel; choose avif, heic, jpeg or jxl"
            ),
            (
                ["--color-space", "display-p3"], "b.gif",
                "--color-space: gif images are always sRGB; choose one of avif"
            ),
        ] as [([String], String, String)])
    func colorsApplyToTheOutputsThatCanHaveThem(_ options: [String], _ other: String, _ problem: String) async throws {
        try await withCommandFixture { fixture in
            // The names decide on the formats of the outputs.
            let png = try CommandFixture.png(width: 4, height: 4)
            let inputs = try ["a.avif", other].map { try fixture.write(png, $0) }
            let output = options + ["-o", fixture.path("out") + "/"]
            let run = try await CommandRun.tintype(["convert"] + inputs + output)
            #expect(run.status == 1 && run.output.hasSuffix("1 written, 1 failed\n"), "\(run.output)\(run.error)")
            #expect(run.error.hasPrefix("tintype: \(inputs[1]): \(problem)"), "\(run.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path("out")) == ["a.avif"])
            let alone = try await CommandRun.tintype(["convert", inputs[1]] + output)
            #expect(alone.status == 64 && alone.error.contains(problem), "\(alone.error)")
        }
    }

    @Test(arguments: [[], ["--frame", "0"]]) func animationsFailAloneWithHDR(_ frame: [String]) async throws {
        try await withCommandFixture { fixture in
            let animation = CommandFixture.codecFixture("rects.gif")
            let still = try fixture.write(try CommandFixture.png(width: 4, height: 4), "still.png")
            let arguments = ["convert", animation, still, "--format", "avif", "-o", fixture.path("out") + "/"] + frame
            let run = try await CommandRun.tintype(arguments + ["--hdr"])
            #expect(run.status == 1 && run.output.hasSuffix("1 written, 1 failed\n"), "\(run.output)\(run.error)")
            let problem = "--hdr: animations and their frames are written with 8 bits per channel"
            #expect(run.error.hasPrefix("tintype: \(animation): \(problem)"), "\(run.error)")
            #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.path("out")) == ["still.avif"])
            #expect(try await CommandRun.tintype(arguments + ["--overwrite"]).status == 0)
        }
    }

    @Test(arguments: [
        (["--blur", "2"], false), (["--pad", "4"], false), (["--round", "circle"], false), (["--rotate", "45"], false),
        (["--rotate", "90,keep"], false), (["--adjust", "grey"], true), (["--overlay", "a.png"], true),
        (["--resize", "8x8", "--trim", "3"], false), (["--flatten", "#ffffff"], true), (["--tint", "#ffffff"], true),
        (["--rotate", "-270", "--flip", "vertical"], true), (["--rotate", "180,keep"], true),
        (["--resize", "8x8", "--mode", "fill", "--crop", "4x4", "--gravity", "smart"], true),
    ]) func hdrRefusesTransformsThatWouldLoseIt(_ transforms: [String], _ isAccepted: Bool) async throws {
        try await withCommandFixture { fixture in
            let run = try await CommandRun.tintype(
                ["convert", fixture.path("missing.jxl"), fixture.path("out.avif"), "--hdr"] + transforms)
            #expect(run.status == (isAccepted ? 1 : 64), "\(run.error)")
            #expect(run.error.contains(isAccepted ? "notFound" : "--hdr: only"), "\(run.error)")
        }
    }
}
