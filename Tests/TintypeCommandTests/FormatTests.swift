import Foundation
import TestSupport
import Testing
import Tintype

/// Tests the command with every format.
@Suite(.timeLimited) struct FormatTests {
    /// One file of each format that can be decoded, except SVG, for which there is no fixture.
    private static let files = [
        ("avif", "lossy-444.avif"), ("bmp", "rgba-v4.bmp"), ("gif", "rects.gif"), ("heic", "sequence.heics"),
        ("heic", "lossy.heic"), ("ico", "alpha-32.ico"), ("jpeg", "p3.jpg"), ("jxl", "lossless-alpha.jxl"),
        ("png", "palette-trns.png"), ("tiff", "rgb-16.tiff"), ("webp", "lossy-alpha.webp"),
    ]

    @Test func infoReportsEveryFormat() async throws {
        let paths = Self.files.map { CommandFixture.codecFixture($0.1) }
        let run = try await CommandRun.tintype(["info", "--json"] + paths)
        #expect(run.status == 0, "\(run.error)")
        #expect(try run.records.map { $0["format"] as? String } == Self.files.map { $0.0 })
        #expect(try run.records.allSatisfy { ($0["width"] as? Int ?? 0) > 0 })
    }

    @Test func everyFormatIsConverted() async throws {
        try await withCommandFixture { fixture in
            for (_, file) in Self.files {
                let run = try await CommandRun.tintype(
                    "convert", CommandFixture.codecFixture(file), fixture.path("\(file).png"))
                #expect(run.status == 0, "\(file): \(run.error)")
            }
            let outputs = Self.files.map { fixture.path("\($0.1).png") }
            let run = try await CommandRun.tintype(["info", "--json"] + outputs)
            #expect(try run.records.map { $0["format"] as? String } == outputs.map { _ in "png" })
        }
    }

    @Test func everyFormatIsWritten() async throws {
        try await withCommandFixture { fixture in
            let formats = ImageCoderRegistry.standard.encodableFormats
            for format in formats {
                let run = try await CommandRun.tintype(
                    "convert", CommandFixture.codecFixture("rgba-8.png"), fixture.path("out.\(format.fileExtension)"))
                #expect(run.status == 0, "\(format): \(run.error)")
            }
            let run = try await CommandRun.tintype(
                ["info", "--json"] + formats.map { fixture.path("out.\($0.fileExtension)") })
            #expect(try run.records.map { $0["format"] as? String } == formats.map(\.rawValue))
        }
    }

    /// Checked in the log of the dynamic linker, in one process: what a worker prints goes to its host. What is told of
    /// an HEIC sequence stands in its boxes, so that no library opens it.
    @Test func aLibraryIsLoadedOnlyForItsFormat() async throws {
        let libraries = ["svg": "librsvg", "avif": "libavif", "heic": "libheif", "jxl": "libjxl"]
        try await withCommandFixture { fixture in
            let drawing = fixture.path("drawing.svg")
            try Data(#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#.utf8)
                .write(to: URL(filePath: drawing))
            for path in Self.files.map({ CommandFixture.codecFixture($0.1) }) + [drawing] {
                let run = try await CommandRun.tintype(
                    "info", "--sandbox", "none", path, environment: ["LD_DEBUG": "files"])
                #expect(run.status == 0 && run.error.contains("file=libpng"), "\(path)")
                for (format, library) in libraries {
                    let isLoaded = run.error.contains("file=\(library)")
                    #expect(isLoaded == path.hasSuffix(".\(format)"), "\(library), \(path)")
                }
            }
        }
    }
}
