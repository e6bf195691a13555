import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@testable import TintypeColor
@testable import TintypeCore

/// The colours that files state. `DecodeTests` shows for each fixture that the pixels are right.
@Suite struct ColorTests {
    private func decode(_ name: String, _ options: DecodeOptions = DecodeOptions()) throws -> Image {
        let data = try FixtureManifest.named(name).data
        return try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext(options: options))
    }

    // MARK: Profiles

    @Test func aProfileOfSRGBIsSkipped() throws {
        #expect(ColorConverter(.profile(StandardProfile.data), .rgb) == nil)
        #expect(ColorConverter(.profile(StandardProfile.displayP3), .rgb) != nil)
        // The same pixels with a profile of sRGB and without one.
        let png = try FixtureManifest.named("srgb-profile.png").data
        let name = try #require(png.firstRange(of: Data("iCCP".utf8))).lowerBound
        let length = png[name - 4..<name].reduce(0) { $0 << 8 | Int($1) }
        let plain = png[..<(name - 4)] + png[(name + 8 + length)...]
        let image = try PNGDecoder().decode(Data(plain), context: DecodeContext())
        #expect(try PixelDifference(between: decode("srgb-profile.png").pixels, and: image.pixels)?.maximum == 0)
    }

    @Test func codePointsOfSRGBAreSkipped() throws {
        #expect(ColorConverter(.codePoints(primaries: 1, transfer: 13), .rgb) == nil)
        #expect(ColorConverter(.codePoints(primaries: 1, transfer: 1), .rgb) == nil)
        #expect(ColorConverter(.codePoints(primaries: 2, transfer: 2), .rgb) == nil)
        #expect(ColorConverter(.standard, .cmyk) == nil)
        #expect(ColorConverter(.codePoints(primaries: 12, transfer: 13), .rgb) != nil)
    }

    @Test(arguments: ["p3.png", "p3.jpg", "p3.webp", "p3.tiff", "p3.avif", "p3.jxl", "p3.heic", "inks.jpg"])
    func aProfileBeyondTheLimitIsADistinctError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let context = DecodeContext(limits: DecodeLimits(profileBytes: 100))
        let error = expectError(.limitExceeded) {
            try DecodeTests.coders.decoder(for: data).decode(data, context: context)
        }
        #expect(error?.limit == .profileBytes)
    }

    @Test func anInflatedProfileIsMeasuredBeforeItIsAllocated() throws {
        let data = try PNGBuilder.image(with: ("iCCP", Data("x\0\0".utf8) + PNGBuilder.deflatedZeros(64 << 20)))
        let error = expectError(.limitExceeded) { try PNGDecoder().decode(data, context: DecodeContext()) }
        #expect(error?.limit == .profileBytes)
    }

    /// Any bytes decode as if the file stated no colours, or as a profile that lcms2 accepts. `make fuzz` tries many
    /// more.
    @Test func aDamagedProfileNeverFailsTheDecode() throws {
        var random = SeededRandom.printed("damaged profiles")
        for name in ["p3.png", "linear-grey.png", "inks.jpg", "p3.jpg"] {
            let profile = try #require(try FixtureManifest.profile(in: name))
            for _ in 0..<60 {
                var bytes = profile
                for _ in 0..<Int.random(in: 1...6, using: &random) {
                    bytes[Int.random(in: bytes.indices, using: &random)] = .random(in: 0...255, using: &random)
                }
                let cut = bytes.prefix(Int.random(in: 0...bytes.count, using: &random))
                for channels in [SourceChannels.rgb, .grey, .cmyk] {
                    for damaged in [bytes, Data(cut)] {
                        var row = [UInt8](repeating: 77, count: 64)
                        ColorConverter(.profile(damaged), channels).map { converter in
                            row.withUnsafeMutableBytes { converter.convert($0, count: 1, width: 16, stride: 64) }
                        }
                        #expect(row.count == 64)
                    }
                }
            }
        }
    }

    @Test func profilesThatDifferInOneByteAreDistinct() throws {
        let profile = try #require(try FixtureManifest.profile(in: "p3.png"))
        var darker = profile
        // The exponent of the red curve, u8Fixed8 (ICC.1:2022, 10.6).
        darker[436 + 12] += 1
        let first = Self.shown(profile)
        #expect(first == Self.shown(profile) && Self.shown(darker) != first && Self.shown(profile) == first)
    }

    /// Half of the converters are made while the other one of a pair is in use.
    @Test func concurrentConvertersOfOneProfileAgree() throws {
        let profile = try #require(try FixtureManifest.profile(in: "p3.png"))
        let expected = Self.shown(profile)
        let both = [0, 1].map { _ in ColorConverter(.profile(profile), .rgb) }
        #expect(both.allSatisfy { $0.map(Self.shown) == expected })
        DispatchQueue.concurrentPerform(iterations: 64) { _ in
            #expect(ColorConverter(.profile(profile), .rgb).map(Self.shown) == expected)
        }
    }

    /// A chain of 200,000 elements at one offset, each of which makes every colour black. It would cost lcms2 gigabytes
    /// and minutes.
    @Test func floatTransformsOfAProfileAreIgnored() throws {
        let profile = try #require(try FixtureManifest.profile(in: "p3.png"))
        let chained = try #require(ChainedProfile.adding(links: 200_000, to: profile))
        #expect(Self.shown(chained) == Self.shown(profile))
        #expect(LightConverter(.profile(chained), .rgb) != nil)
    }

    /// Converts a row of all reds, all greens and so on; `nil` if no conversion is needed.
    private static func shown(_ profile: Data) -> [UInt8]? {
        ColorConverter(.profile(profile), .rgb).map(shown)
    }

    private static func shown(_ converter: ColorConverter) -> [UInt8] {
        var row: [UInt8] = [255, 0, 0, 255, 0, 200, 0, 255, 40, 90, 255, 255, 120, 120, 120, 9]
        row.withUnsafeMutableBytes { converter.convert($0, count: 1, width: 4, stride: 16) }
        return row
    }

    @Test func colourConversionKeepsAlpha() throws {
        let image = try decode("p3-alpha.png")
        let plain = try decode("rgba-8.png")
        for y in 0..<plain.size.height {
            for x in 0..<plain.size.width { #expect(image.pixels[x, y].alpha == plain.pixels[x, y].alpha) }
        }
    }

    @Test(arguments: [
        "p3.png", "p3-adam7.png", "p3-alpha.png", "p3-16.png", "p3.tiff", "p3-16.tiff", "inks.tiff", "p3.webp",
        "p3.avif", "p3.jxl", "pq.png",
    ])
    func aThumbnailHasTheColoursOfTheFullImage(_ name: String) throws {
        let whole = try decode(name)
        let box = PixelSize(width: 12, height: 12)
        let thumbnail = try decode(name, DecodeOptions(size: .fit(box)))
        let resized = try ResizeTransformer(to: box).transform(whole.pixels)
        #expect(try #require(PixelDifference(between: thumbnail.pixels, and: resized)).maximum <= 2)
    }

    @Test func framesAreConvertedByTheirProfile() throws {
        let fixture = try FixtureManifest.named("p3-frames.webp")
        let animation = try #require(try decode("p3-frames.webp").animation)
        for (index, expected) in try fixture.expectedFrames.enumerated() {
            let frame = try animation.frame(at: index)
            #expect(try #require(PixelDifference(between: frame, and: expected)).maximum <= 1)
        }
    }

    // MARK: Bright light

    @Test(arguments: ["pq.png", "pq-10.avif", "pq-12.avif", "pq.jxl", "pq.heic", "hlg.png"])
    func lightAboveWhiteIsPreservedOnRequest(_ name: String) throws {
        let standard = try decode(name)
        #expect(standard.highRange == nil)
        let high = try decode(name, DecodeOptions(range: .high))
        let kept = try #require(high.highRange)
        #expect(kept.size == high.size)
        #expect(PixelDifference(between: high.pixels, and: standard.pixels)?.maximum == 0)
        #expect(high.memoryCost >= standard.memoryCost + kept.byteCount)
        // The window on the right is up to 4.4 times as bright as white, in colours outside sRGB.
        let y = kept.size.height * 2 / 5
        let brightest = (0..<kept.size.width).map { kept[$0, y].max() }.max() ?? 0
        #expect(brightest > 1.5 && brightest < 7, "\(brightest)")
    }

    @Test(arguments: ["rgb-16.png", "rgba-16.png", "rgb-16.tiff", "ten-bit.avif"])
    func sixteenBitsArePreservedOnRequest(_ name: String) throws {
        let image = try decode(name, DecodeOptions(range: .high))
        let kept = try #require(image.highRange)
        for y in stride(from: 0, to: image.size.height, by: 3) {
            for x in stride(from: 0, to: image.size.width, by: 3) {
                let (pixel, light) = (image.pixels[x, y], kept[x, y])
                #expect(abs(Double(light.w) - Double(pixel.alpha) / 255) < 0.003)
                guard pixel.alpha > 32 else { continue }
                let code = Double(pixel.green) / Double(pixel.alpha)
                let expected = code <= 0.04045 ? code / 12.92 : pow((code + 0.055) / 1.055, 2.4)
                #expect(abs(Double(light.y / light.w) - expected) < 0.03, "\(x), \(y)")
            }
        }
    }

    @Test func highRangePixelsHaveTheRequestedSizeAndAreUpright() throws {
        let size = PixelSize(width: 10, height: 10)
        let image = try decode("pq.png", DecodeOptions(size: .fit(size), range: .high))
        #expect(image.highRange?.size == image.size && image.size.width == 10)
        #expect(try decode("rgb-8.png", DecodeOptions(range: .high)).highRange == nil)
    }

    @Test func theToneCurveKeepsDarkLightAndEndsAtWhite() {
        let curve = ToneCurve(peak: 1000)
        #expect(abs(curve.map(1) - 1) < 0.01 && abs(curve.map(50) - 50) < 0.5)
        #expect(abs(curve.map(1000) - 203) < 0.5 && abs(curve.map(9000) - 203) < 0.5)
        let values = stride(from: 0.0, through: 1000, by: 5).map(curve.map)
        #expect(zip(values, values.dropFirst()).allSatisfy { $0 < $1 })
        #expect(abs(ToneCurve(peak: 150).map(120) - 120) < 0.5)
    }

    /// Rec. ITU-R BT.2100-2: 58 % of PQ is 203 cd/m², 75 % of HLG is 26.5 % of the light.
    @Test func transferFunctionsMatchTheRecommendation() {
        #expect(abs(HighRangeTransfer.pqLight(0.5806) - 203) < 0.3)
        #expect(abs(HighRangeTransfer.pqLight(1) - 10_000) < 0.01 && HighRangeTransfer.pqLight(0) == 0)
        for light in [0.01, 1, 100, 4000] {
            #expect(abs(HighRangeTransfer.pqLight(HighRangeTransfer.pqCode(light)) / light - 1) < 1e-9)
        }
        #expect(abs(HighRangeTransfer.hlg.light(0.75) - 0.26496) < 1e-4)
        #expect(abs(HighRangeTransfer.hlg.light(1) - 1) < 1e-6)
    }

    @Test func degeneratePrimariesAreRejected() {
        let dot = Chromaticities.Point(0.3, 0.3)
        let none = Chromaticities(white: dot, red: dot, green: dot, blue: dot)
        #expect(!none.isUsable && ColorConverter(.measured(gamma: 1, none), .rgb) == nil)
        #expect(ColorConverter(.measured(gamma: 0, .standard), .rgb) == nil)
    }
}
