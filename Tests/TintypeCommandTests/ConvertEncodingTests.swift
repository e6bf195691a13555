import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// The choices of `tintype convert` for encoders, and its warnings about bits and dynamic range that are not written.
@Suite(.timeLimited) struct ConvertEncodingTests {
    private static func read(_ path: String) throws -> Data { try Data(contentsOf: URL(filePath: path)) }

    /// The bit depth and the colour type of a PNG (PNG third edition, 11.2.1).
    private static func header(_ png: Data) -> [UInt8] { Array(png[24..<26]) }

    private static func convert(_ arguments: String...) async throws -> CommandRun {
        let run = try await CommandRun.tintype(["convert"] + arguments)
        #expect(run.status == 0, "\(run.error)")
        return run
    }

    @Test func jpegsAreProgressiveAndSubsampledOnRequest() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.jpeg(width: 40, height: 30), "in.jpg")
            let output = fixture.path("out.jpg")
            for (arguments, frame, factors) in [
                ([], 0xC0, 0x11), (["--progressive", "--chroma", "420"], 0xC2, 0x22),
                (["--chroma", "422"], 0xC0, 0x21),
                (["--quality", "50"], 0xC0, 0x22), (["--quality", "50", "--chroma", "444"], 0xC0, 0x11),
            ] as [([String], UInt8, UInt8)] {
                let run = try await CommandRun.tintype(["convert", input, output] + arguments)
                #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
                let data = try Self.read(output)
                // The frame header: marker, length 17, 8 bits, size, three components, the factors of the first.
                let start = try #require(data.range(of: Data([0xFF, frame, 0, 17, 8]))).lowerBound
                #expect(data[start + 11] == factors)
            }
        }
    }

    @Test func losslessKeepsEveryPixelAtTheDefaultQuality() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 40, height: 30), "in.png")
            let pixels = try PNGDecoder().decode(Self.read(input), context: DecodeContext()).pixels
            for format in ["webp", "jxl", "avif", "png"] {
                let output = fixture.path("out.\(format)")
                _ = try await Self.convert(input, output, "--lossless")
                let data = try Self.read(output)
                let image = try ImageCoderRegistry.standard.decoder(for: data).decode(data, context: DecodeContext())
                #expect(PixelDifference(between: image.pixels, and: pixels)?.maximum == 0, "\(format)")
            }
        }
    }

    @Test func colorsAndEffortApplyToPNG() async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 40, height: 30), "in.png")
            let output = fixture.path("out.png")
            for (arguments, header) in [
                (["--colors", "full"], [8, 2]), (["--colors", "16"], [4, 3]),
                (["--colors", "200", "--effort", "100"], [8, 3]),
            ] as [([String], [UInt8])] {
                _ = try await CommandRun.tintype(["convert", input, output] + arguments)
                #expect(Self.header(try Self.read(output)) == header, "\(arguments)")
            }
            let sizes = try await [0, 100].asyncMap { effort in
                _ = try await Self.convert(input, output, "--colors", "full", "--effort", "\(effort)")
                return try Self.read(output).count
            }
            #expect(sizes[1] < sizes[0])
        }
    }

    @Test(
        arguments: [
            (["out.jpg", "--lossless"], "--lossless: jpeg images cannot keep every pixel; choose one of avif"),
            (["out.heic", "--lossless"], "--lossless: heic images"),
            (["out.gif", "--lossless"], "--lossless: gif images"),
            (["out.png", "--lossless", "--colors", "9"], "--lossless and a number of --colors exclude each other"),
            (["out.webp", "--chroma", "444"], "--chroma: webp images are 4:2:0; choose 420 or sharp"),
            (["out.jpg", "--chroma", "sharp"], "--chroma: sharp is for webp images; choose 420, 422 or 444"),
            (["out.jpg", "--chroma", "411"], "expected auto, 420, 422, 444 or sharp, got '411'"),
            (["out.png", "--colors", "1"], "expected auto, full or a number from 2 to 256, got '1'"),
            (["out.png", "--depth", "10"], "expected 8 or 16, got '10'"),
            (["out.png", "--effort", "101"], "--effort: expected a number from 0 to 100, got 101"),
        ] as [([String], String)])
    func wrongChoicesAreUsageErrors(_ arguments: [String], _ problem: String) async throws {
        try await withCommandFixture { fixture in
            let input = try fixture.write(try CommandFixture.png(width: 4, height: 4), "in.png")
            let run = try await CommandRun.tintype(["convert", input] + arguments)
            #expect(run.status == 64 && run.error.contains(problem), "\(run.error)")
        }
    }

    /// Choices that mean nothing to a format are ignored, so that a batch may have several.
    @Test func choicesOfOtherFormatsAreIgnored() async throws {
        try await withCommandFixture { fixture in
            let png = try CommandFixture.png(width: 8, height: 8)
            let inputs = try ["a.png", "b.jpg", "c.bmp"].map { try fixture.write(png, $0) }
            let run = try await CommandRun.tintype(
                ["convert"] + inputs + [
                    "-o", fixture.path("out") + "/", "--chroma", "422", "--progressive", "--effort", "9",
                ])
            #expect(run.status == 0 && run.output.hasSuffix("3 written\n"), "\(run.error)")
        }
    }

    // MARK: Depth

    @Test func sixteenBitsAreKeptWhereTheFormatHasThem() async throws {
        try await withCommandFixture { fixture in
            let input = CommandFixture.codecFixture("grey-16.png")
            let png = fixture.path("out.png")
            for (arguments, header) in [
                ([], [16, 0]), (["--depth", "16"], [16, 0]), (["--depth", "8"], [8, 0]),
                (["--flip", "vertical"], [16, 0]),
                (["--thumbnail", "8x8", "--depth", "16"], [16, 0]), (["--resize", "8x8"], [16, 0]),
                (["--colors", "full"], [16, 2]),
            ] as [([String], [UInt8])] {
                let run = try await CommandRun.tintype(["convert", input, png] + arguments)
                #expect(run.status == 0 && run.error.isEmpty, "\(arguments) \(run.error)")
                #expect(Self.header(try Self.read(png)) == header, "\(arguments)")
            }
            for format in ["tiff", "jxl"] {
                let run = try await CommandRun.tintype(["convert", input, fixture.path("out.\(format)")])
                #expect(run.status == 0 && run.error.isEmpty, "\(run.error)")
                let info = try await CommandRun.tintype(["info", "--json", fixture.path("out.\(format)")])
                #expect(try info.records.first?["bitDepth"] as? Int == 16, "\(info.output)")
            }
        }
    }

    @Test(
        arguments: [
            ("grey-16.png", "jpg", [], "8 of 16 bits per channel are written; jxl, png and tiff images keep up to 16"),
            (
                "rgb-16.tiff", "png", ["--blur", "1"],
                "8 of 16 bits per channel are written; animations, CMYK images and"
            ),
            (
                "grey-16.png", "png", ["--thumbnail", "8x8"],
                "8 of 16 bits per channel are written; --depth 16 keeps them"
            ),
            ("rgb-16.png", "avif", [], "10 of 16 bits per channel are written; jxl, png and tiff images keep up to 16"),
            ("float.tiff", "png", [], "16 of 32 bits per channel are written"),
            (
                "pq-10.avif", "jpg", [],
                "the high dynamic range is lost; avif, heic, jpeg and jxl images keep it with --hdr"
            ),
            ("pq.png", "png", [], "the high dynamic range is lost"), ("grey-16.png", "jpg", ["--depth", "8"], nil),
            ("pq.png", "avif", ["--hdr"], nil), ("grey-8.png", "jpg", [], nil),
            ("grey-16.png", "png", ["--colors", "9"], nil),
        ] as [(String, String, [String], String?)])
    func whatIsLostIsAWarning(_ name: String, _ format: String, _ arguments: [String], _ warning: String?) async throws
    {
        try await withCommandFixture { fixture in
            let input = CommandFixture.codecFixture(name)
            let run = try await CommandRun.tintype(["convert", input, fixture.path("out.\(format)")] + arguments)
            #expect(run.status == 0)
            if let warning {
                #expect(run.error.hasPrefix("tintype: \(input): \(warning)"), "\(run.error)")
            } else {
                #expect(run.error.isEmpty, "\(run.error)")
            }
        }
    }
}

extension Array where Element: Sendable {
    fileprivate func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
