import Testing
import TintypeTesting

@testable import TintypeCore

@Suite struct EncodeOptionsTests {
    private static func options(_ change: (inout EncodeOptions) -> Void) -> EncodeOptions {
        var options = EncodeOptions()
        change(&options)
        return options
    }

    @Test func theDefaultsHaveAnEmptyIdentifier() {
        #expect(EncodeOptions().identifier.isEmpty)
    }

    /// Keys may contain these texts, so they must not change.
    @Test(
        arguments: [
            (options { $0.quality = 0.85 }, "quality(0.85)"),
            (options { $0.background = Pixel(red: 1, green: 2, blue: 3) }, "background(#010203ff)"),
            (options { $0.maximumSize = PixelSize(width: 320, height: 0) }, "size(320x0)"),
            (options { $0.maximumByteCount = 1000 }, "bytes(1000)"),
            (options { $0.embedsThumbnail = true }, "thumbnail"),
            (options { $0.frames = [2, 0] }, "frames(2 0)"),
            (options { $0.metadata = [.xmp, .exif] }, "metadata(exif xmp)"),
            (options { $0.colorSpace = .displayP3 }, "space(display-p3)"),
            (options { $0.range = .high }, "high"),
            (options { ($0.quality, $0.compression) = (0.5, .lossless) }, "quality(0.5),lossless"),
            (options { $0.compression = .lossy }, "lossy"),
            (options { $0.effort = 0.25 }, "effort(0.25)"),
            (options { $0.chroma = .yuv420 }, "420"), (options { $0.chroma = .yuv422 }, "422"),
            (options { $0.chroma = .yuv444 }, "444"), (options { $0.chroma = .sharp420 }, "sharp"),
            (options { $0.isProgressive = true }, "progressive"),
            (options { $0.colorMode = .trueColor }, "truecolor"),
            (options { $0.colorMode = .palette(maxColors: 16) }, "palette(16)"),
            (options { $0.depth = .eight }, "depth(8)"),
        ]) func eachOptionIsPartOfTheIdentifier(_ options: EncodeOptions, _ identifier: String)
    {
        #expect(options.identifier == identifier)
    }

    @Test(
        arguments: [
            (options { $0.quality = 7 }, options { $0.quality = 1 }),
            (options { $0.quality = .nan }, options { $0.quality = 0 }),
            (options { $0.effort = -1 }, options { $0.effort = 0 }),
            (options { $0.effort = .nan }, options { $0.effort = 0 }),
            (options { $0.effort = 2 }, options { $0.effort = 1 }),
            (options { $0.colorMode = .palette(maxColors: 1) }, options { $0.colorMode = .palette(maxColors: 2) }),
            (options { $0.colorMode = .palette(maxColors: 999) }, options { $0.colorMode = .palette(maxColors: 256) }),
            (options { $0.compression = .lossless }, options { _ in }),
            (options { $0.background.alpha = 9 }, options { _ in }),
        ]) func optionsThatMeanTheSameHaveOneIdentifier(_ first: EncodeOptions, _ second: EncodeOptions)
    {
        #expect(first.identifier == second.identifier)
    }

    @Test(
        arguments: [
            (nil, nil, nil), (0, 10, 1), (0.5, 5, 5), (1, 0, 9), (0.25, 7, 3), (-3, 10, 1), (9, 0, 9), (.nan, 10, 1),
        ] as [(Double?, Int?, Int?)]) func theEffortIsScaled(_ effort: Double?, _ speed: Int?, _ level: Int?)
    {
        let options = Self.options { $0.effort = effort }
        #expect(options.effort(from: 10, to: 0) == speed && options.effort(from: 1, to: 9) == level)
    }

    @Test(
        arguments: [
            (.automatic, 1, true), (.automatic, 0.99, false), (.automatic, 3, true), (.lossless, 0, true),
            (.lossy, 1, false),
        ] as [(EncodeOptions.Compression, Double, Bool)])
    func theQualityDecidesUnlessTheCompressionDoes(
        _ compression: EncodeOptions.Compression, _ quality: Double, _ expected: Bool
    ) {
        #expect(Self.options { ($0.compression, $0.quality) = (compression, quality) }.isLossless == expected)
    }

    @Test func chromaIsSupportedByTheFormatsThatHaveIt() {
        let all: [EncodeOptions.Chroma] = [.automatic, .yuv420, .yuv422, .yuv444, .sharp420]
        func supported(_ format: ImageFormat) -> [Bool] { all.map { $0.isSupported(by: format) } }
        for format in [ImageFormat.jpeg, .avif, .heic] {
            #expect(supported(format) == [true, true, true, true, false])
        }
        #expect(supported(.webp) == [true, true, false, false, true])
        #expect(supported(.png) == [true, false, false, false, false])
    }
}
