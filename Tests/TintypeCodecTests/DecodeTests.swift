import Foundation
import TestSupport
import Testing
import Tintype
import TintypeTesting

@Suite struct DecodeTests {
    /// The standard coders; with `TINTYPE_SANDBOX=all`, all of them decode in workers.
    static let coders = ImageCoderRegistry.standard.sandboxed(
        SandboxConfiguration(
            ProcessInfo.processInfo.environment["TINTYPE_SANDBOX"].flatMap(SandboxPolicy.init) ?? .standard))

    static let valid = FixtureManifest.all.filter(\.valid)
    static let invalid = FixtureManifest.all.filter { !$0.valid }

    private func decode(_ data: Data, _ size: DecodeOptions.Size = .full) throws(TintypeError) -> Image {
        try Self.coders.decoder(for: data).decode(data, context: DecodeContext(options: DecodeOptions(size: size)))
    }

    @Test(arguments: valid) func theHeaderMatchesTheReference(_ fixture: FixtureManifest.Fixture) throws {
        let info = try #require(try Self.coders.info(of: fixture.data))
        #expect(info.format.rawValue == fixture.format)
        #expect(info.size == PixelSize(width: fixture.width ?? 0, height: fixture.height ?? 0))
        #expect(info.orientation.rawValue == fixture.orientation ?? 1)
        #expect(info.frameCount == fixture.frameCount)
        #expect(info.loopCount == fixture.loopCount ?? 0)
        #expect(info.hasAlpha == fixture.hasAlpha)
        #expect(info.durations.count == fixture.durations.count)
        for (own, expected) in zip(info.durations, fixture.durations) { #expect(abs(own - expected) < 1e-9) }
    }

    /// Lossless formats match exactly; JPEG as far as builds of the same library may differ.
    @Test(arguments: valid) func thePixelsMatchTheReference(_ fixture: FixtureManifest.Fixture) throws {
        let expected = try #require(try fixture.expectedPixels)
        let image = try decode(fixture.data)
        #expect(image.size == PixelSize(width: fixture.width ?? 0, height: fixture.height ?? 0))
        let isWhole = image.size == expected.size
        let pixels =
            isWhole
            ? image.pixels
            : try ResizeTransformer(to: expected.size, mode: .stretch, filter: .box).transform(image.pixels)
        let difference = try #require(PixelDifference(between: pixels, and: expected))
        let most = fixture.near ?? (fixture.lossless == true ? 0 : 8)
        #expect(difference.maximum <= most, "\(difference)")
        #expect(difference.mean <= (most == 0 ? 0 : 2))
    }

    @Test(arguments: invalid) func aDamagedFileIsAnError(_ fixture: FixtureManifest.Fixture) throws {
        let data = try fixture.data
        expectError(FormatSniffer.format(of: data) == nil ? .notAnImage : .undecodable) { try decode(data) }
    }

    @Test(arguments: valid) func everyPrefixNeedsMoreBytesOrYieldsTheHeader(_ fixture: FixtureManifest.Fixture) throws {
        let data = try fixture.data
        let whole = try #require(try Self.coders.info(of: data))
        for count in stride(from: 0, to: data.count, by: max(1, data.count / 200)) {
            if let info = try Self.coders.info(of: data.prefix(count), isComplete: false) { #expect(info == whole) }
        }
    }

    @Test(arguments: [
        "baseline-420.jpg", "progressive.jpg", "rgba-8.png", "adam7-rgba.png", "rects.png", "rects.gif",
        "still-87a.gif", "rects.webp", "lossless.webp", "lossy.webp", "lossy-alpha.webp", "rgb-24.bmp", "palette-4.bmp",
        "rgba-v4.bmp", "alpha-32.ico", "mask-24.ico", "several.ico", "rgb.tiff", "tiled.tiff", "lzw.tiff", "jpeg.tiff",
        "group4.tiff", "lossy-420.avif", "alpha.avif", "sequence.avif", "lossy.jxl", "lossless-alpha.jxl", "lossy.heic",
        "alpha.heic", "p3.png", "p3.webp", "inks.jpg", "rgb-16.tiff",
    ])
    func anyTruncationIsAnErrorNeverACrash(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        // A missing end marker alone costs no pixel of a JPEG; neither does a missing padding byte of other formats.
        let counts = 0..<data.count - (Self.spareBytes[String(name.suffix(3))] ?? 1)
        for count in counts.sampled(name) {
            // A GIF that ends after an image may lack only its trailer.
            if let image = try? decode(data.prefix(count)), image.info.warnings == [.missingEnd] { continue }
            let prefix = data.prefix(count)
            expectError(FormatSniffer.format(of: prefix) == nil ? .notAnImage : .undecodable) { try decode(prefix) }
        }
    }

    /// libjxl notices a truncated last frame of an animation only when it decodes that frame.
    @Test func theLastFrameOfATruncatedJXLIsAnError() throws {
        let data = try FixtureManifest.named("rects.jxl").data
        for cut in [1, 40, 400, 2000] {
            expectError(.undecodable) {
                let animation = try #require(try decode(data.dropLast(cut)).animation)
                _ = try animation.frame(at: animation.frameCount - 1)
            }
        }
    }

    private static let spareBytes = ["jpg": 3, "bmp": 4, "ico": 4, "iff": 6]

    @Test(arguments: [
        "baseline-420.jpg", "progressive.jpg", "rgba-8.png", "palette-trns.png", "animated.png", "palette-4.bmp",
        "runs-8.bmp", "runs-4.bmp", "rgb-565.bmp", "core-24.bmp", "several.ico", "mask-24.ico", "rgb.tiff",
        "tiled.tiff",
        "planes.tiff", "lzw.tiff", "packbits.tiff", "jpeg.tiff", "group4.tiff", "palette.tiff", "big.tiff",
        "lossy-420.avif", "alpha.avif", "lossy.jxl", "lossless-alpha.jxl", "lossy.heic",
    ])
    func anyFlippedByteYieldsAnImageOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        try flip(data.indices.sampled(name), of: data)
    }

    /// Fewer bytes of the profile, because lcms2 builds tables for each one, and of 16 bits, which are read the same
    /// way.
    @Test(arguments: [
        ("p3.png", 1), ("p3.webp", 1), ("p3.tiff", 1), ("inks.tiff", 1), ("p3-16.tiff", 7), ("p3.jxl", 1),
    ])
    func flippedBytesOutsideAProfileYieldAnImageOrAnError(_ name: String, _ step: Int) throws {
        let data = try FixtureManifest.named(name).data
        let profile = try profile(in: data, of: name)
        let chosen = data.indices.filter { !profile.contains($0) || $0 % 3 == 0 }
        try flip(chosen.filter { $0 % step == 0 }.sampled(name), of: data)
    }

    /// Returns the range that may hold the profile: anywhere in a JPEG XL, where it is coded like pixels.
    private func profile(in data: Data, of name: String) throws -> Range<Int> {
        let chunk = data.firstRange(of: Data("iCCP".utf8))?.upperBound
        if let chunk, let next = data.firstRange(of: Data("IDAT".utf8)) { return chunk..<next.lowerBound }
        let profile = try #require(try FixtureManifest.profile(in: name))
        return data.firstRange(of: profile) ?? data.indices
    }

    private func flip(_ indices: some Collection<Int>, of data: Data) throws {
        for index in indices {
            var damaged = data
            damaged[index] ^= 0x55
            do throws(TintypeError) {
                _ = try Self.coders.info(of: damaged)
                _ = try decode(damaged)
            } catch {
                #expect(error.code != .outOfMemory)
            }
        }
    }

    /// Bytes of all boxes and tables, and some of the pixels: each frame is an image or an error.
    @Test(arguments: ["frames-420.heics", "sequence-alpha.heics"])
    func anyFlippedByteOfASequenceYieldsFramesOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let pixels = try #require(data.firstRange(of: Data("mdat".utf8))).lowerBound
        for index in data.indices.filter({ $0 < pixels || $0 % 16 == 0 }).sampled(name) {
            var damaged = data
            damaged[index] ^= 0x55
            do throws(TintypeError) {
                let image = try decode(damaged)
                guard let animation = image.animation, animation.frameCount < 20 else { continue }
                for frame in 0..<animation.frameCount { _ = try animation.frame(at: frame) }
            } catch {
                #expect(error.code != .outOfMemory)
            }
        }
    }

    // MARK: Decoding to size

    @Test(arguments: [
        "large-baseline.jpg", "large-progressive.jpg", "pillow-rgba.png", "adam7-rgba.png", "orientation-6.jpg",
        "lossless.webp", "lossy-alpha.webp", "lossy.webp", "exif-6.webp", "still-87a.gif", "rgb-24.bmp", "runs-8.bmp",
        "rgba-v4.bmp", "rgb.tiff", "associated.tiff", "orientation-6.tiff", "tiled.tiff", "lossy-420.avif",
        "alpha.avif", "both.avif", "lossy.jxl", "lossless-alpha.jxl", "lossy.heic", "alpha.heic",
    ])
    func aThumbnailLooksLikeTheResizedFullImage(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let whole = try decode(data)
        let box = PixelSize(width: max(1, whole.size.width / 3), height: max(1, whole.size.height / 3))
        let thumbnail = try decode(data, .fit(box))
        #expect(thumbnail.size == whole.size.fitted(into: box))
        #expect(thumbnail.isThumbnail && thumbnail.info == whole.info)
        let resized = try ResizeTransformer(to: box).transform(whole.pixels)
        let difference = try #require(PixelDifference(between: thumbnail.pixels, and: resized))
        // Only libjpeg scales by itself, in the frequency domain.
        #expect(name.hasSuffix("jpg") ? difference.mean < 4 : difference.maximum <= 2, "\(difference)")
    }

    @Test(arguments: valid) func aThumbnailIsNeverLarger(_ fixture: FixtureManifest.Fixture) throws {
        let data = try fixture.data
        let whole = try decode(data)
        for size in [
            DecodeOptions.Size.fit(PixelSize(width: 5000, height: 5000)),
            .shrink(PixelSize(width: 9999, height: 9999)),
        ] {
            let decoded = try decode(data, size)
            #expect(PixelDifference(between: decoded.pixels, and: whole.pixels)?.maximum == 0)
        }
        #expect(try decode(data, .fit(PixelSize(width: 1, height: 1))).size == PixelSize(width: 1, height: 1))
    }

    @Test(arguments: 1...8) func orientationIsAppliedOnceToThumbnailsToo(_ orientation: Int) throws {
        let upright = try decode(FixtureManifest.named("orientation-1.jpg").data)
        let turned = try decode(FixtureManifest.named("orientation-\(orientation).jpg").data)
        #expect(turned.size == upright.size && turned.info.orientation.rawValue == orientation)
        #expect(try #require(PixelDifference(between: turned.pixels, and: upright.pixels)).mean < 4)
        let box = DecodeOptions.Size.fit(PixelSize(width: 24, height: 24))
        let small = try decode(FixtureManifest.named("orientation-\(orientation).jpg").data, box)
        let smallUpright = try decode(FixtureManifest.named("orientation-1.jpg").data, box)
        #expect(small.size == smallUpright.size)
        #expect(try #require(PixelDifference(between: small.pixels, and: smallUpright.pixels)).mean < 4)
    }

    // MARK: Limits

    @Test func anIconDecodesTheSmallestSufficientImage() throws {
        let data = try FixtureManifest.named("several.ico").data
        func exact(_ side: Int) throws -> PixelBuffer {
            try decode(data, .fit(PixelSize(width: side, height: side))).pixels
        }
        // The images of 16 and 24 pixels were drawn for their sizes: one resized from 48 would be softer.
        let drawn = try decode(FixtureManifest.named("alpha-32.ico").data).pixels
        #expect(PixelDifference(between: try exact(24), and: drawn)?.maximum == 0)
        #expect(try exact(16).size.width == 16 && exact(30).size.width == 30)
        #expect(try decode(data, .fit(PixelSize(width: 24, height: 24))).info.size.width == 48)
    }

    @Test func scansBeyondTheLimitAreRefused() throws {
        let data = try FixtureManifest.named("progressive.jpg").data
        let context = DecodeContext(limits: DecodeLimits(scans: 2))
        expectError(.limitExceeded) { try JPEGDecoder().decode(data, context: context) }
    }

    @Test(arguments: ["large-baseline.jpg", "large-progressive.jpg", "pillow-rgba.png", "rects.gif", "lossy.webp"])
    func aCancelledDecodeStops(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let context = DecodeContext(isCancelled: { true })
        expectError(.cancelled) {
            try Self.coders.decoder(for: data).decode(data, context: context)
        }
    }
}
