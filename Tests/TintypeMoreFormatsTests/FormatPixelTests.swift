import Foundation
import TestSupport
import Testing
import Tintype
import TintypePNM
import TintypeTGA
import TintypeTesting

@testable import TintypeEXR
@testable import TintypeJPEG2000

/// Every fixture: the pixels that another program reads, in every size, part and place of decoding.
@Suite(.timeLimited) struct FormatPixelTests {
    @Test(.enabled(if: Libraries.areRequired)) func theLibrariesAreInstalledForCI() throws {
        _ = try JPEG2000Library.standard.get()
        _ = try EXRLibrary.standard.get()
    }

    @Test(arguments: FormatFixture.readable) func anImageHasThePixelsThatAnotherReaderFinds(
        _ fixture: FormatFixture
    ) throws {
        let image = try fixture.decode()
        #expect(image.info.format == fixture.format && image.info.hasAlpha == fixture.hasAlpha)
        #expect(image.info.bitDepth == fixture.bits && image.info.warnings.isEmpty && image.highRange == nil)
        guard let expected = try fixture.expected else { return }
        #expect(image.info.size == expected.size)
        let difference = try #require(PixelDifference(between: image.pixels, and: expected))
        #expect(difference.maximum <= fixture.near, "\(fixture.reader): \(difference)")
    }

    @Test(arguments: FormatFixture.readable) func theHeaderIsThatOfTheImage(_ fixture: FormatFixture) throws {
        let data = try fixture.data
        let decoder = try Libraries.coders.decoder(for: data, name: fixture.name)
        let image = try fixture.decode()
        let info = try #require(try decoder.info(of: data, isComplete: true))
        #expect(info.size == image.info.size && info.format == image.info.format)
        #expect(info.bitDepth == image.info.bitDepth)
        // A prefix tells the same or nothing, and is no error: more bytes may come.
        for count in [0, 1, 11, 64, data.count / 2, data.count - 1] where count < data.count {
            let early = try decoder.info(of: data.prefix(count), isComplete: false)
            #expect(early == nil || early?.size == info.size)
        }
    }

    @Test(arguments: FormatFixture.readable) func aPartIsCutFromTheWhole(_ fixture: FormatFixture) throws {
        let whole = try fixture.decode()
        guard whole.size.width > 4, whole.size.height > 2 else { return }
        let part = PixelRect(x: 2, y: 1, size: PixelSize(width: 3, height: 2))
        let cut = try fixture.decode(DecodeOptions(crop: part))
        let expected = try CropTransformer(to: part).transform(whole.pixels)
        #expect(cut.pixels.rows == expected.rows)
    }

    @Test(arguments: FormatFixture.readable) func aSmallerSizeLooksLikeTheWhole(_ fixture: FormatFixture) throws {
        let whole = try fixture.decode()
        let box = PixelSize(width: whole.size.width / 2, height: whole.size.height / 2)
        let small = try fixture.decode(DecodeOptions(size: .fit(box)))
        #expect(small.size == whole.size.fitted(into: box) && small.info.size == whole.size)
        let expected = try ResizeTransformer(to: small.size, mode: .stretch).transform(whole.pixels)
        let difference = try #require(PixelDifference(between: small.pixels, and: expected))
        // A JPEG 2000 comes from fewer wavelet levels. Single pixels of the smallest images differ more.
        let isWavelet = fixture.format == .jpeg2000
        #expect(difference.mean < (isWavelet ? 10 : 1), "\(difference)")
    }

    @Test(arguments: FormatFixture.readable) func aTruncatedImageIsAnError(_ fixture: FormatFixture) throws {
        let data = try fixture.data
        let decoder = try Libraries.coders.decoder(for: data, name: fixture.name)
        let lengths = stride(from: 0, to: pixelEnd(of: fixture, data), by: max(data.count / 40, 1))
        for count in lengths {
            let error = #expect(throws: TintypeError.self, "\(count) of \(data.count)") {
                try decoder.decode(data.prefix(count), context: DecodeContext())
            }
            #expect(error?.code == .undecodable || error?.code == .limitExceeded, "\(String(describing: error))")
        }
    }

    /// The number of bytes without which pixels are missing.
    private func pixelEnd(of fixture: FormatFixture, _ data: Data) -> Int {
        switch fixture.format {
        // The footer, and the extension area before it.
        case .tga: data.count - 26 - 495 - 1
        // The last digit of a text may be missing, and the end of a codestream.
        case .jpeg2000: data.count - 16
        default: data.count - 3
        }
    }

    /// What remains of a damaged file is an image or an error, in a worker too, and never ends the process.
    @Test(arguments: FormatFixture.readable) func damageIsAnImageOrAnError(_ fixture: FormatFixture) throws {
        let data = try fixture.data
        let decoder = try Libraries.coders.decoder(for: data, name: fixture.name)
        var random = SeededRandom.printed("formats")
        for _ in 0..<60 {
            var damaged = data
            for _ in 0..<3 {
                let index = Int.random(in: 0..<min(data.count, 600), using: &random)
                damaged[index] = UInt8.random(in: 0...255, using: &random)
            }
            var limits = DecodeLimits(pixels: 1_000_000)
            limits.memoryBytes = 64 << 20
            let context = DecodeContext(limits: limits)
            let result = Result { () throws(TintypeError) in try decoder.decode(damaged, context: context) }
            if case .success(let image) = result { #expect(image.size.isPositive) }
        }
    }

    // MARK: Workers

    private static let workers = Libraries.coders.sandboxed()

    @Test(arguments: FormatFixture.readable) func aWorkerDecodesTheSame(_ fixture: FormatFixture) throws {
        let data = try fixture.data
        let options = DecodeOptions(range: .high)
        let own = try fixture.decode(options)
        let other = try Self.workers.decoder(for: data, name: fixture.name).decodeChecked(
            data, context: DecodeContext(options: options))
        #expect(own.info == other.info && own.pixels.rows == other.pixels.rows)
        #expect(own.highRange?.rows.rows == other.highRange?.rows.rows)
    }

    @Test func eachFormatIsDecodedInWorkersByDefault() {
        #expect(TGADecoder.workerNeeds.contains(.isolation) && PNMDecoder.workerNeeds.contains(.isolation))
        #expect(JPEG2000Decoder.workerNeeds.contains(.isolation) && EXRDecoder.workerNeeds.contains(.isolation))
    }

    @Test(.enabled(if: Libraries.hasOpenJPEG && Libraries.hasOpenEXR)) func onlyWideImagesHaveAHighRange() throws {
        for (name, isWide) in [("wide.jp2", true), ("rgb.jp2", false), ("wide.ppm", true), ("binary.ppm", false)] {
            let fixture = try #require(FormatFixture.all.first { $0.name == name })
            let image = try fixture.decode(DecodeOptions(range: .high))
            #expect((image.highRange != nil) == isWide, "\(name)")
        }
    }

    // MARK: Limits

    @Test(arguments: FormatFixture.readable.filter { $0.size != nil }) func limitsHoldForTheHeader(
        _ fixture: FormatFixture
    ) throws {
        let (data, size) = (try fixture.data, try #require(fixture.size))
        let decoder = try Libraries.coders.decoder(for: data, name: fixture.name)
        for limits in [DecodeLimits(pixels: size.area - 1), DecodeLimits(side: size.width - 1)] {
            expectError(.limitExceeded) {
                try decoder.decode(data, context: DecodeContext(limits: limits))
            }
        }
        var little = DecodeLimits()
        little.memoryBytes = size.area
        let error = expectError(.limitExceeded) {
            try decoder.decode(data, context: DecodeContext(limits: little))
        }
        #expect(error?.limit == .memoryBytes)
    }

    @Test(arguments: FormatFixture.readable) func aCancelledDecodeEnds(_ fixture: FormatFixture) throws {
        let data = try fixture.data
        let decoder = try Libraries.coders.decoder(for: data, name: fixture.name)
        expectError(.cancelled) {
            try decoder.decode(data, context: DecodeContext { true })
        }
    }

    // MARK: Libraries

    @Test func aMissingLibraryIsNamedWithItsPackage() {
        let cases: [(() throws(TintypeError) -> RuntimeLibrary, String)] = [
            ({ () throws(TintypeError) in try JPEG2000Library.load(["libmissing.so"]) }, "libopenjp2-7 on Debian"),
            ({ () throws(TintypeError) in try EXRLibrary.load(["libmissing.so"]) }, "libopenexr-3-1-30 on Debian"),
        ]
        for (load, package) in cases {
            let error = expectError(.noCoder) { _ = try load() }
            #expect(error?.message.contains(package) == true)
        }
    }
}
