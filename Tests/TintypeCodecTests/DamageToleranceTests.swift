import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

/// Damage that every viewer shows is a warning; the rest is an error.
@Suite struct DamageToleranceTests {
    private static func options(_ tolerance: DecodeOptions.DamageTolerance) -> DecodeOptions {
        var options = DecodeOptions()
        options.damageTolerance = tolerance
        return options
    }

    private func decode(
        _ data: Data, _ tolerance: DecodeOptions.DamageTolerance = .minor
    ) throws(TintypeError) -> Image {
        let context = DecodeContext(options: Self.options(tolerance))
        return try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: context)
    }

    private func failsStrictly(_ data: Data) -> Bool {
        (try? decode(data, .none)) == nil
    }

    // MARK: JPEG

    /// Returns the data with each of some bytes flipped, one at a time, from an offset on.
    private static func flipped(_ data: Data, from start: Int, count: Int) -> [Data] {
        let step = max(1, (data.count - start - 2) / count)
        return stride(from: start, to: data.count - 2, by: step).map { index in
            var damaged = data
            damaged[index] ^= 0x55
            return damaged
        }
    }

    @Test(arguments: ["large-baseline.jpg", "restart.jpg"])
    func invalidCodesAfterTheFirstRowOfBlocksAreAWarning(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let whole = try decode(data)
        #expect(whole.info.warnings.isEmpty)
        let tolerated = Self.flipped(data, from: data.count / 2, count: 20).filter(failsStrictly).compactMap {
            try? decode($0)
        }
        #expect(!tolerated.isEmpty)
        for image in tolerated {
            #expect(image.info.warnings == [.damagedPixels] && !image.isPartial && image.size == whole.size)
            let rows = (0..<7).filter { y in
                (0..<whole.size.width).allSatisfy { image.pixels[$0, y] == whole.pixels[$0, y] }
            }
            #expect(rows.count == 7)
        }
    }

    /// The damage is in the last scan, which refines details. The mean of each block of 8 × 8 pixels, which is all that
    /// an image of an eighth of the size needs, comes from the first scans.
    @Test func invalidCodesAfterTheFirstScanAreAWarning() throws {
        let data = try FixtureManifest.named("large-progressive.jpg").data
        let damaged = Self.flipped(data, from: data.count * 3 / 4, count: 20).filter(failsStrictly)
        let context = DecodeContext(options: DecodeOptions(size: .fit(PixelSize(width: 80, height: 60))))
        let whole = try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: context)
        var images = 0
        // A flip that makes a marker is an error.
        for file in damaged {
            guard let image = try? decode(file) else { continue }
            #expect(image.info.warnings == [.damagedPixels])
            let small = try DecodeTests.coders.decoder(for: file).decodeChecked(file, context: context)
            #expect(small.info.warnings == [.damagedPixels])
            #expect(PixelDifference(between: small.pixels, and: whole.pixels)?.maximum == 0)
            images += 1
        }
        #expect(images > 0)
    }

    /// The start of the pixels must be intact. A marker among them is noticed at once. A run of ones, which is no code,
    /// is noticed by libjpeg-turbo only in a progressive image.
    @Test(
        arguments: [
            ("large-baseline.jpg", [0xFF, 0xC4]), ("large-progressive.jpg", [0xFF, 0xC4]),
            ("large-progressive.jpg", [0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0, 0xFF, 0]),
        ] as [(String, [UInt8])])
    func damageInTheFirstPassIsAnError(_ name: String, _ bytes: [UInt8]) throws {
        let data = try FixtureManifest.named(name).data
        let start = try #require(data.firstRange(of: Data([0xFF, 0xDA]))).upperBound + 12
        let damaged = (0..<20).map { offset in
            data[..<(start + offset)] + Data(bytes) + data[(start + offset + bytes.count)...]
        }
        #expect(damaged.allSatisfy(failsStrictly))
        for file in damaged {
            expectError(.undecodable) { try decode(file) }
        }
    }

    /// After damage, libjpeg fills the rest up to the next restart marker without a warning.
    @Test(arguments: ["large-baseline.jpg", "restart.jpg", "large-progressive.jpg"])
    func aDamagedFileThatIsCutShortIsAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for damaged in Self.flipped(data, from: data.count / 2, count: 20) {
            expectError(.undecodable) { try decode(damaged.dropLast(data.count / 5)) }
        }
    }

    /// Whatever decodes strictly has the same pixels and no warning by default.
    @Test func theToleranceChangesNoIntactImage() throws {
        for name in ["baseline-420.jpg", "progressive.jpg", "no-eoi.jpg", "rects.gif", "interlaced.gif"] {
            let data = try FixtureManifest.named(name).data
            let (strict, tolerant) = (try decode(data, .none), try decode(data))
            #expect(strict.info == tolerant.info && tolerant.info.warnings.isEmpty)
            #expect(PixelDifference(between: strict.pixels, and: tolerant.pixels)?.maximum == 0)
        }
    }

    // MARK: GIF

    private static let gif = PlainGIF.bytes(PixelSize(width: 9, height: 5)) { x, y in UInt8(10 * x + y) }
    /// The offset of the image descriptor, after the header and 128 colours.
    private static let descriptor = 13 + 3 * 128

    @Test func zerosBetweenBlocksOfAGIFAreAWarning() throws {
        let whole = try decode(Self.gif)
        for offset in [Self.descriptor, Self.gif.count - 1] {
            let damaged = Self.gif[..<offset] + Data(count: 3) + Self.gif[offset...]
            let image = try decode(damaged)
            #expect(image.info.warnings == [.strayBytes])
            #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
            #expect(failsStrictly(damaged))
            #expect(try DecodeTests.coders.info(of: damaged)?.warnings == [.strayBytes])
        }
    }

    /// All blocks are read again for each preview, so a long file must fail or end.
    @Test(arguments: [Data([0]), Data([0x21, 0xFE, 0])]) func aGIFWithoutImagesFailsEarly(_ block: Data) throws {
        func inserted(_ count: Int, at offset: Int) -> Data {
            Self.gif[..<offset] + Data((0..<count).flatMap { _ in block }) + Self.gif[offset...]
        }
        let whole = try decode(Self.gif)
        for (offset, isBeforeImage) in [(Self.descriptor, true), (Self.gif.count - 1, false)] {
            #expect(try decode(inserted(4000, at: offset)).size == whole.size)
            let long = inserted(5000, at: offset)
            if isBeforeImage {
                let error = expectError(.undecodable) { try decode(long) }
                #expect(error?.message.contains("unknown block") == true)
                let arriving = try #require(
                    try DecodeTests.coders.decoder(for: long).makeIncrementalDecoder(
                        context: DecodeContext()))
                expectError(.undecodable) { try arriving.append(long.dropLast(40)) }
            } else {
                let image = try decode(long)
                #expect(image.info.warnings == [.strayBytes] && image.info.frameCount == 1)
            }
        }
    }

    @Test func otherBytesEndAGIFAfterItsFirstImage() throws {
        let image = Self.gif[Self.descriptor..<Self.gif.count - 1]
        let damaged = Self.gif.dropLast() + Data([0x42]) + image + Data([0x3B])
        let decoded = try decode(damaged)
        #expect(decoded.info.warnings == [.strayBytes] && decoded.info.frameCount == 1 && failsStrictly(damaged))
        let early = Self.gif[..<Self.descriptor] + Data([0x42]) + image + Data([0x3B])
        expectError(.undecodable) { try decode(early) }
    }

    @Test(arguments: [(3, 5), (9, 2), (0, 0), (1, 1)])
    func theFirstImageOfAGIFEnlargesItsCanvas(_ width: UInt8, _ height: UInt8) throws {
        var damaged = Self.gif
        (damaged[6], damaged[8]) = (width, height)
        let (image, whole) = (try decode(damaged), try decode(Self.gif))
        #expect(image.info.warnings == [.smallCanvas] && image.size == whole.size && image.info.size == whole.size)
        #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
        #expect(try DecodeTests.coders.info(of: damaged)?.size == whole.size)
        #expect(failsStrictly(damaged))
    }

    /// Pillow and libvips show them.
    @Test(arguments: ["rects.gif", "still-87a.gif"]) func aGIFWithoutItsTrailerIsShown(_ name: String) throws {
        let file = try FixtureManifest.named(name).data
        let (image, whole) = (try decode(file.dropLast()), try decode(file))
        #expect(file.last == 0x3B && image.info.warnings == [.missingEnd])
        #expect(image.info.frameCount == whole.info.frameCount && image.info.durations == whole.info.durations)
        #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
        #expect(try DecodeTests.coders.info(of: file.dropLast()) == image.info)
        #expect(failsStrictly(file.dropLast()) && (try? decode(file.dropLast(2))) == nil)
    }

    // MARK: ICO

    /// All pixels are there, and nothing says that one is transparent.
    @Test func anIconWithoutItsMaskIsOpaque() throws {
        let file = try FixtureManifest.named("mask-24.ico").data
        let whole = try decode(file)
        // The mask has rows of 32 bits. The entry of the directory states the length.
        let maskCount = (whole.size.width + 31) / 32 * 4 * whole.size.height
        var damaged = file.dropLast(maskCount)
        let count = UInt32(damaged.count - 22)
        damaged.replaceSubrange(14..<18, with: withUnsafeBytes(of: count.littleEndian) { Data($0) })
        let image = try decode(damaged)
        #expect(image.info.warnings == [.missingMask] && image.size == whole.size)
        #expect(try DecodeTests.coders.info(of: damaged)?.warnings == [.missingMask])
        for y in 0..<whole.size.height {
            for x in 0..<whole.size.width where whole.pixels[x, y].alpha == 255 {
                #expect(image.pixels[x, y] == whole.pixels[x, y])
            }
        }
        #expect(
            (0..<whole.size.height).allSatisfy { y in
                (0..<whole.size.width).allSatisfy { image.pixels[$0, y].alpha == 255 }
            })
        #expect(failsStrictly(damaged))
    }

    // MARK: PNG

    /// Returns the animation in which the chunk with the number of frames is replaced.
    private static func animation(_ controls: Data...) throws -> Data {
        var file = try FixtureManifest.named("animated.png").data
        let name = try #require(file.firstRange(of: Data("acTL".utf8)))
        file.replaceSubrange(
            name.lowerBound - 4..<name.upperBound + 12,
            with: controls.reduce(Data()) { $0 + PNGBuilder.chunk("acTL", $1) })
        return file
    }

    private static func control(_ frames: UInt32, plays: UInt32 = 0) -> Data {
        PNGBuilder.bigEndian(frames) + PNGBuilder.bigEndian(plays)
    }

    /// The first valid chunk counts, an invalid one leaves the still image, and no more frames are shown than are
    /// there. Pillow shows as many frames as are counted too, but the still image if the chunk is repeated.
    @Test func aWrongNumberOfFramesIsAWarning() throws {
        let frames = try decode(FixtureManifest.named("animated.png").data).info.frameCount
        let right = Self.control(UInt32(frames), plays: 3)
        let cases: [(file: Data, frameCount: Int, playCount: Int)] = [
            (try Self.animation(Self.control(0)), 1, 0),
            (try Self.animation(Self.control(1 << 31)), 1, 0),
            (try Self.animation(right.dropLast()), 1, 0),
            (try Self.animation(right + Data([0])), 1, 0),
            (try Self.animation(right, Self.control(2, plays: 7)), frames, 3),
            (try Self.animation(Self.control(0), right), frames, 3),
            (try Self.animation(Self.control(UInt32(frames) + 6, plays: 3)), frames, 3),
            (try Self.animation(Self.control(2, plays: 3)), 2, 3),
        ]
        for (file, frameCount, playCount) in cases {
            let image = try decode(file)
            #expect(image.info.frameCount == frameCount && image.info.loopCount == playCount)
            #expect(image.info.warnings == [.frameCount] && failsStrictly(file))
            #expect(try DecodeTests.coders.info(of: file) == image.info)
            #expect(image.animation?.frameCount ?? 1 == frameCount)
            _ = try image.animation?.frame(at: frameCount - 1)
        }
    }

    @Test func anAnimationWithoutFramesIsAStillImage() throws {
        let still = try PNGBuilder.image(with: ("acTL", Self.control(4, plays: 3)))
        let info = try decode(still).info
        #expect(info.frameCount == 1 && info.loopCount == 0 && info.warnings == [.frameCount])
        #expect(try DecodeTests.coders.info(of: still) == info)
    }

    // MARK: Limits

    /// A canvas that its first image enlarges is checked like one that the header states.
    @Test func anEnlargedCanvasIsWithinTheLimits() throws {
        var damaged = Self.gif
        // The width and height of the image: 65,280 pixels a side.
        for offset in 5..<9 { damaged[Self.descriptor + offset] = offset % 2 == 0 ? 0xFF : 0 }
        let error = expectError(.limitExceeded) { try decode(damaged) }
        #expect(error?.limit == .pixels)
    }
}
