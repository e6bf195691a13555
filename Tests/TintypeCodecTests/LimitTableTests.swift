import Foundation
import Testing
import Tintype
import TintypeTesting

/// Every format against every limit that it can exceed. Each is reported by its name, by the decoder and, if the header
/// states it, before decoding.
@Suite struct LimitTableTests {
    struct Row: Sendable, CustomTestStringConvertible {
        let file: String
        let limit: DecodeLimit
        let change: @Sendable (inout DecodeLimits) -> Void
        var testDescription: String { "\(file): \(limit)" }
    }

    private static let stills = [
        "baseline-420.jpg", "rgba-8.png", "still-87a.gif", "lossy.webp", "rgb-24.bmp", "alpha-32.ico", "rgb.tiff",
        "lossless.jxl", "lossy.heic", "lossy-420.avif", "sequence.heics",
    ]
    private static let animations = [
        "rects.png", "rects.gif", "rects.webp", "rects.jxl", "sequence.avif", "sequence.heics",
    ]
    private static let profiles = ["p3.jpg", "p3.png", "p3.webp", "p3.tiff", "p3.heic", "p3.avif"]
    private static let exif = ["orientation-6.jpg", "exif-6.png", "exif-6.webp", "orientation-6.jxl"]

    private static let sizes: [Row] = stills.flatMap { file in
        [Row(file: file, limit: .pixels) { $0.pixels = 100 }, Row(file: file, limit: .side) { $0.side = 10 }]
    }
    private static let lengths: [Row] = animations.flatMap { file in
        [
            Row(file: file, limit: .frames) { $0.frames = 3 },
            Row(file: file, limit: .animatedPixels) { $0.animatedPixels = 1000 },
        ]
    }
    private static let metadata: [Row] =
        profiles.map { file in Row(file: file, limit: .profileBytes) { $0.profileBytes = 100 } }
        + exif.map { file in Row(file: file, limit: .exifBytes) { $0.exifBytes = 8 } }
    private static let scans = Row(file: "progressive.jpg", limit: .scans) { $0.scans = 2 }

    private static let memory: [Row] = [
        "progressive.jpg", "rgba-8.png", "adam7-rgba.png", "rgb-16.png", "rgb-24.bmp", "runs-8.bmp", "alpha-32.ico",
        "mask-24.ico",
        "rgb.tiff", "rgb-16.tiff", "lossy.webp", "lossy-420.avif", "lossy.heic", "lossless.jxl",
        "lossless-alpha.jxl",
        "rects.png",
        "rects.gif", "rects.webp", "sequence.heics",
    ].map { file in Row(file: file, limit: .memoryBytes) { $0.memoryBytes = 1000 } }

    static let rows: [Row] = sizes + lengths + metadata + [scans] + memory

    private func error(_ row: Row, _ options: DecodeOptions = DecodeOptions()) throws -> TintypeError? {
        let data = try FixtureManifest.named(row.file).data
        var context = DecodeContext(options: options)
        row.change(&context.limits)
        return #expect(throws: TintypeError.self) {
            try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: context)
        }
    }

    @Test(arguments: rows) func exceedingALimitIsReportedByItsName(_ row: Row) throws {
        let found = try error(row)
        #expect(found?.code == .limitExceeded && found?.limit == row.limit, "\(String(describing: found))")
    }

    /// A smaller size or a partial image does not bypass a limit.
    @Test(arguments: rows) func limitsAlsoApplyToSmallSizesAndPartialImages(_ row: Row) throws {
        var options = DecodeOptions(size: .fit(PixelSize(width: 4, height: 4)))
        options.allowsPartial = true
        #expect(try error(row, options)?.limit == row.limit)
    }

    /// The header of a still image suffices to refuse its size, whatever the decoder would report.
    @Test(arguments: rows.filter { [.pixels, .side, .frames].contains($0.limit) })
    func headersBeyondALimitAreRefusedEarly(_ row: Row) throws {
        let data = try FixtureManifest.named(row.file).data
        var limits = DecodeLimits()
        row.change(&limits)
        let found = #expect(throws: TintypeError.self) { try DecodeTests.coders.info(of: data, limits: limits) }
        #expect(found?.limit == row.limit)
    }

    @Test(arguments: rows) func filesWithinTheLimitsAreDecoded(_ row: Row) throws {
        let data = try FixtureManifest.named(row.file).data
        let image = try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: DecodeContext())
        let header = try DecodeTests.coders.info(of: data)
        #expect(image.info.size == header?.size)
    }
}
