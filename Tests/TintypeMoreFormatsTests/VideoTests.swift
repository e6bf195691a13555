import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeVideo

/// Posters of videos. The files are made by `scripts/fixtures/make-video-fixtures`: frame n, shown from n/4 s on, is
/// grey of 40 + 24n, as ffmpeg 5.1 shows it.
@Suite(.timeLimited) struct VideoTests {
    private static let isPresent = (try? VideoLibrary.standard.get()) != nil
    private static let names = ["h264.mp4", "vp9.webm", "vp8.mkv", "wide.mp4"]
    private static let coders = ImageCoderRegistry(decoders: [VideoDecoder()])

    private func decode(
        _ name: String, _ options: DecodeOptions = DecodeOptions(), _ coders: ImageCoderRegistry = coders
    ) throws -> Image {
        let data = try FormatFixture.data(name)
        return try coders.decoder(for: data).decodeChecked(data, context: DecodeContext(options: options))
    }

    private static func options(at seconds: Double) -> DecodeOptions {
        var options = DecodeOptions()
        options.time = .seconds(seconds)
        return options
    }

    private func grey(_ image: Image) -> Int { Int(image.pixels[image.size.width / 2, image.size.height / 2].green) }

    @Test(.enabled(if: Libraries.areRequired)) func theLibrariesAreInstalledForCI() throws {
        _ = try VideoLibrary.standard.get()
    }

    @Test(.enabled(if: isPresent), arguments: names) func theFirstFrameIsThePoster(_ name: String) throws {
        let image = try decode(name)
        #expect(abs(grey(image) - 40) <= 2 && !image.info.hasAlpha && image.pixels.isOpaque)
        #expect(image.info.size == PixelSize(width: name == "wide.mp4" ? 85 : 64, height: 48))
        #expect(image.size == image.info.size)
    }

    /// Between two frames, the earlier one is shown; after the last, the last.
    @Test(
        .enabled(if: isPresent), arguments: names,
        [(0.1, 0), (0.25, 1), (0.6, 2), (1.3, 5), (1.99, 7), (100, 7), (-1, 0)] as [(Double, Int)])
    func aFrameIsThatOfItsTime(_ name: String, _ expectation: (Double, Int)) throws {
        let image = try decode(name, Self.options(at: expectation.0))
        #expect(abs(grey(image) - (40 + 24 * expectation.1)) <= 2, "\(grey(image))")
    }

    @Test(.enabled(if: isPresent)) func aTurnedVideoIsUpright() throws {
        let image = try decode("turned.mov")
        // ffmpeg, which turns it as well, shows the dark left half at the bottom.
        #expect(image.size == PixelSize(width: 48, height: 64) && image.info.format == .quickTime)
        #expect(image.pixels[24, 54].green < 25 && image.pixels[24, 10].green > 35)
    }

    /// The same PQ codes in an AVIF of avifenc (`--cicp 9/16/9`) give the same greys.
    @Test(.enabled(if: isPresent)) func theTonesOfPQAreMapped() throws {
        let (dark, middle) = (try decode("pq.mp4"), try decode("pq.mp4", Self.options(at: 1)))
        let bright = try decode("pq.mp4", Self.options(at: 1.5))
        #expect(bright.info.isHighRange && bright.info.bitDepth == 10)
        #expect(abs(grey(dark) - 17) <= 2 && abs(grey(middle) - 203) <= 2 && grey(bright) >= 253)
    }

    @Test(.enabled(if: isPresent)) func aPosterIsScaledAndCropped() throws {
        var options = DecodeOptions(size: .fit(PixelSize(width: 32, height: 32)))
        #expect(try decode("h264.mp4", options).size == PixelSize(width: 32, height: 24))
        options = DecodeOptions(crop: PixelRect(x: 8, y: 8, size: PixelSize(width: 16, height: 16)))
        let part = try decode("h264.mp4", options)
        #expect(part.size == PixelSize(width: 16, height: 16) && abs(grey(part) - 40) <= 2)
    }

    /// Only the worker loads the libraries; nothing that it opens is a file.
    @Test(.enabled(if: isPresent)) func aWorkerDecodesVideos() throws {
        for name in Self.names {
            let image = try decode(name, Self.options(at: 0.6), Self.coders.sandboxed())
            #expect(abs(grey(image) - 88) <= 2)
        }
    }

    @Test(.enabled(if: isPresent), arguments: names) func aDamagedVideoIsAnError(_ name: String) throws {
        let data = try FormatFixture.data(name)
        for count in stride(from: 13, to: data.count, by: 97) {
            // A part may still have a frame.
            do {
                _ = try VideoDecoder().decode(data.prefix(count), context: DecodeContext())
            } catch {
                #expect(error.code == .undecodable, "\(error)")
            }
            _ = try VideoDecoder().info(of: data.prefix(count), isComplete: false)
        }
        expectError(.undecodable) {
            try VideoDecoder().decode(Data(data.prefix(40)), context: DecodeContext())
        }
    }

    @Test(.enabled(if: isPresent)) func limitsAndCancellationHold() throws {
        let data = try FormatFixture.data("h264.mp4")
        let limited = expectError(.limitExceeded) {
            try VideoDecoder().decode(data, context: DecodeContext(limits: DecodeLimits(pixels: 1000)))
        }
        #expect(limited?.limit == .pixels)
        expectError(.cancelled) {
            try VideoDecoder().decode(data, context: DecodeContext(isCancelled: { true }))
        }
    }

    @Test func onlyContainersOfVideosAreRecognized() throws {
        let decoder = VideoDecoder()
        for name in Self.names + ["pq.mp4", "turned.mov"] { #expect(decoder.recognizes(try FormatFixture.data(name))) }
        for brand in ["heic", "avif", "mif1", "M4A ", "crx ", "jp2 "] {
            #expect(!decoder.recognizes(Data("\0\0\0\u{18}ftyp\(brand)\0\0\0\0".utf8)))
        }
        #expect(!decoder.recognizes(Data("\0\0\0\u{18}ftyp".utf8)))
    }

    @Test func theTimeIsInTheKey() {
        #expect(Self.options(at: 1.5).identifier == "time(1500.0)" && Self.options(at: 0).identifier.isEmpty)
    }
}
