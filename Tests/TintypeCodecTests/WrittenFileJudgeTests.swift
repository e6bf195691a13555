import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

/// Files of every encoder as other programs read them: with the same pixels, and upright. A program that is not
/// installed is skipped, but a machine of CI must have it.
@Suite(.timeLimited) struct WrittenFileJudgeTests {
    /// A program that writes the pixels of `FILE` to `output`, as straight RGBA of 8 bits or as a PNG.
    struct Judge: Sendable, CustomTestStringConvertible {
        let testDescription: String
        /// What is there if it is installed.
        let path: String
        let script: String
        let formats: [ImageFormat]
        /// The formats whose transparency it reads.
        let transparent: [ImageFormat]

        var isInstalled: Bool { FileManager.default.fileExists(atPath: path) }

        /// Whether the format keeps every pixel and the program shows it. ImageMagick 6 halves the chroma of AVIF.
        func isExact(_ format: ImageFormat) -> Bool {
            ![.gif, .heic, .jpeg].contains(format) && !(format == .avif && path.hasSuffix("mogrify"))
        }
    }

    private static let pillow = Judge(
        testDescription: "Pillow", path: "/usr/lib/python3/dist-packages/PIL",
        script: """
            /usr/bin/python3 -c 'import sys; from PIL import Image, ImageOps
            image = ImageOps.exif_transpose(Image.open(sys.argv[1]))
            open("output", "wb").write(image.convert("RGBA").tobytes())' FILE
            """,
        formats: [.bmp, .gif, .jpeg, .png, .tiff, .webp], transparent: [.png, .tiff, .webp])
    private static let imageMagick = Judge(
        testDescription: "ImageMagick", path: "/usr/bin/mogrify",
        script: "mogrify -auto-orient -alpha set -depth 8 -format rgba FILE && mv input.rgba output",
        formats: [.avif, .bmp, .gif, .heic, .jpeg, .png, .tiff, .webp], transparent: [.png, .tiff, .webp])
    private static let ffmpeg = Judge(
        testDescription: "FFmpeg", path: "/usr/bin/ffmpeg",
        script: "ffmpeg -v error -i FILE -frames:v 1 -pix_fmt rgba -f rawvideo output",
        formats: [.avif, .bmp, .gif, .jpeg, .jxl, .png, .tiff, .webp], transparent: [.jxl, .png, .tiff, .webp])
    private static let libheif = Judge(
        testDescription: "libheif", path: "/usr/bin/heif-convert",
        script: "heif-convert FILE output.png > messages && mv output.png output",
        formats: [.avif, .heic], transparent: [.avif, .heic])
    private static let exifTool = "/usr/bin/exiftool"

    private static let judges = [pillow, imageMagick, ffmpeg, libheif]
    private static let readers = judges.filter(\.isInstalled).flatMap { judge in judge.formats.map { (judge, $0) } }
    private static let transparencyReaders = judges.filter(\.isInstalled).flatMap { judge in
        judge.transparent.map { (judge, $0) }
    }
    private static let isRequired = ProcessInfo.processInfo.environment["TINTYPE_CI"] != nil

    @Test(.enabled(if: isRequired)) func theProgramsAreInstalledForCI() {
        for judge in Self.judges { #expect(judge.isInstalled, "\(judge.testDescription)") }
        #expect(FileManager.default.isExecutableFile(atPath: Self.exifTool))
    }

    // MARK: Running

    /// Runs a script on a file in a folder of its own, and returns its file `output`.
    private func output(of script: String, _ file: Data, _ format: ImageFormat) async throws -> Data {
        let folder = FileManager.default.temporaryDirectory.appending(path: "tintype-judge-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let name = "input.\(format.fileExtension)"
        try file.write(to: folder.appending(path: name))
        let process = Process()
        process.executableURL = URL(filePath: "/bin/sh")
        process.currentDirectoryURL = folder
        process.arguments = ["-c", "{ \(script.replacing("FILE", with: name)); } 2> errors"]
        try await process.runToExit()
        let errors = String(decoding: try Data(contentsOf: folder.appending(path: "errors")), as: UTF8.self)
        try #require(process.terminationStatus == 0, "\(errors)")
        return try Data(contentsOf: folder.appending(path: "output"))
    }

    /// Returns the differences of all channels between what a program reads and the straight pixels of an image.
    private func differences(
        _ judge: Judge, _ file: Data, _ format: ImageFormat, _ pixels: PixelBuffer
    ) async throws -> [Int] {
        var read = [UInt8](try await output(of: judge.script, file, format))
        if read.starts(with: [0x89, 0x50, 0x4E, 0x47]) {
            let image = try PNGDecoder().decode(Data(read), context: DecodeContext())
            try #require(image.size == pixels.size)
            read = try straight(image.pixels)
        }
        let expected = try straight(pixels)
        try #require(read.count == expected.count)
        return zip(read, expected).map { abs(Int($0) - Int($1)) }
    }

    private func straight(_ pixels: PixelBuffer) throws -> [UInt8] {
        let straight = try pixels.unpremultiplied()
        return (0..<pixels.size.height).flatMap { y in
            (0..<pixels.size.width).flatMap { x in
                let pixel = straight[x, y]
                return [pixel.red, pixel.green, pixel.blue, pixel.alpha]
            }
        }
    }

    // MARK: Tests

    /// What is shown of an image with orientation 6 has no symmetry, so that it differs if it is turned twice, or not.
    @Test(arguments: readers) func programsShowAWrittenImageUprightOnce(_ judge: Judge, _ format: ImageFormat)
        async throws
    {
        let coders = ImageCoderRegistry.standard
        let file = try FixtureManifest.named("orientation-6.jpg").data
        var options = DecodeOptions()
        options.keepsMetadata = true
        let image = try coders.decoder(for: file).decodeChecked(
            file, context: DecodeContext(options: options))
        try #require(image.info.orientation == .right && image.metadata?.exif?.orientation == .right)
        for kinds in [[], ImageMetadata.writableKinds(for: format).intersection([.exif, .xmp])] as Set {
            var options = EncodeOptions()
            options.metadata = kinds
            let written = try coders.encode(image, as: format, options: options)
            let differences = try await differences(judge, written, format, image.pixels)
            // A turned image differs by 67 on average.
            let mean = Double(differences.reduce(0, +)) / Double(differences.count)
            #expect(mean < 8, "\(judge.testDescription) reads \(format) with a mean difference of \(mean)")
            #expect(!judge.isExact(format) || differences.max() == 0)
        }
    }

    /// Colours are straight, as in PNG: a program that expects them associated, or the reverse, shows others.
    @Test(arguments: transparencyReaders)
    func programsReadStraightColorsAndAlpha(_ judge: Judge, _ format: ImageFormat) async throws {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 40, height: 24)) { x, y in
            let alpha = 80 + 4 * x
            return Pixel(
                red: UInt8(alpha * 8 * y / 255), green: UInt8(alpha * 4 * x / 255), blue: UInt8(alpha / 4),
                alpha: UInt8(alpha))
        }
        let written = try ImageCoderRegistry.standard.encode(pixels, as: format)
        // 8 bits of premultiplied colour are at most 2 levels away at these alphas.
        let worst = try await differences(judge, written, format, pixels).max() ?? 0
        #expect(worst <= (format == .heic ? 16 : 2), "\(judge.testDescription) reads \(format): \(worst)")
    }

    @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: exifTool) || isRequired), arguments: [6, 8])
    func exifToolFindsNoTurn(_ orientation: Int) async throws {
        let coders = ImageCoderRegistry.standard
        let file = try FixtureManifest.named("orientation-\(orientation).jpg").data
        var options = DecodeOptions()
        options.keepsMetadata = true
        let image = try coders.decoder(for: file).decodeChecked(
            file, context: DecodeContext(options: options))
        for format in coders.encodableFormats {
            var options = EncodeOptions()
            options.metadata = ImageMetadata.writableKinds(for: format)
            let script = "exiftool -s3 -n -a -Orientation -Rotation FILE > output"
            let text = try await output(of: script, coders.encode(image, as: format, options: options), format)
            let turns = String(decoding: text, as: UTF8.self).split(whereSeparator: \.isNewline)
            #expect(turns.allSatisfy { $0 == "1" || $0 == "0" }, "\(format): \(turns)")
        }
    }

    // MARK: Animations

    private static let frameReaders: [(Judge, ImageFormat)] =
        (pillow.isInstalled ? [ImageFormat.gif, .png, .webp].map { (pillow, $0) } : [])
        + (ffmpeg.isInstalled ? [ImageFormat.avif, .gif, .png].map { (ffmpeg, $0) } : [])

    @Test(arguments: frameReaders) func programsReadEveryFrame(_ judge: Judge, _ format: ImageFormat) async throws {
        let size = PixelSize(width: 32, height: 20)
        let frames = try (0..<4).map { index in
            TimedImage(
                try .drawn(size) { x, y in
                    x / 8 == index
                        ? Pixel(red: 250, green: UInt8(10 * y), blue: 0) : Pixel(red: 0, green: 90, blue: 200)
                }, duration: 0.1 + 0.1 * Double(index))
        }
        let animation = try AnimatedImage(frames, loopCount: 0)
        let written = try ImageCoderRegistry.standard.encode(animation, as: format)
        let script =
            judge.testDescription == "FFmpeg"
            ? "ffmpeg -v error -i FILE -fps_mode passthrough -pix_fmt rgba -f rawvideo output"
            : """
            /usr/bin/python3 -c 'import sys; from PIL import Image, ImageSequence
            with open("output", "wb") as output:
                for frame in ImageSequence.Iterator(Image.open(sys.argv[1])):
                    output.write(frame.convert("RGBA").tobytes())' FILE
            """
        let read = [UInt8](try await output(of: script, written, format))
        let expected = try frames.flatMap { try straight($0.pixels) }
        try #require(read.count == expected.count)
        let worst = zip(read, expected).map { abs(Int($0) - Int($1)) }.max() ?? 0
        #expect(worst <= (format == .avif ? 8 : 0), "\(judge.testDescription) reads \(format): \(worst)")
    }
}
