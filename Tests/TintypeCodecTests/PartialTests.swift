import Foundation
import TestSupport
import Testing
import Tintype
import TintypeCore
import TintypeTesting

/// Damaged or truncated images are errors unless the request allows partial images.
@Suite struct PartialTests {
    private func decode(_ data: Data, _ options: DecodeOptions = DecodeOptions()) throws(TintypeError) -> Image {
        try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: DecodeContext(options: options))
    }

    private static let allowed = partly(.full)

    private static func partly(_ size: DecodeOptions.Size) -> DecodeOptions {
        var options = DecodeOptions(size: size)
        options.allowsPartial = true
        return options
    }

    private static let still = [
        "baseline-420.jpg", "large-baseline.jpg", "progressive.jpg", "large-progressive.jpg", "rgba-8.png",
        "pillow-rgba.png", "adam7-rgba.png", "lossy.webp",
    ]

    @Test(arguments: still) func aTruncatedFileIsAnErrorUnlessPartialImagesAreAllowed(_ name: String) throws {
        let whole = try decode(FixtureManifest.named(name).data)
        let data = try FixtureManifest.named(name).data
        let cut = data.prefix(data.count * 3 / 4)
        expectError(.undecodable) { try decode(cut) }
        let partial = try decode(cut, Self.allowed)
        #expect(partial.isPartial && partial.size == whole.size && partial.info == whole.info)
    }

    /// Formats that store rows from the top: the rows present match the image, and missing ones are transparent.
    @Test(arguments: ["large-baseline.jpg", "pillow-rgba.png", "lossy.webp", "baseline-420.jpg"])
    func theRowsPresentMatchTheImage(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let whole = try decode(data)
        let partial = try decode(data.prefix(data.count * 3 / 4), Self.allowed)
        let rows = (0..<whole.size.height).prefix { y in
            (0..<whole.size.width).allSatisfy { x in partial.pixels[x, y] == whole.pixels[x, y] }
        }
        #expect(rows.count > whole.size.height / 8, "\(rows.count) of \(whole.size.height)")
        if !name.hasSuffix("webp") { #expect(partial.pixels[0, whole.size.height - 1].alpha == 0) }
    }

    @Test func aCompleteImageIsNotPartial() throws {
        for name in Self.still {
            #expect(try !decode(FixtureManifest.named(name).data, Self.allowed).isPartial)
        }
    }

    @Test(arguments: ["rects.png", "rects.gif", "rects.webp", "sequence.avif", "sequence.heics", "frames-420.heics"])
    func theFramesPresentAreDecoded(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let whole = try #require(try decode(data).animation)
        let cut = data.prefix(data.count * 3 / 4)
        expectError(.undecodable) { try decode(cut) }
        let image = try decode(cut, Self.allowed)
        let partial = try #require(image.animation)
        #expect(image.isPartial && partial.isComplete && image.info.frameCount == partial.frameCount)
        #expect(partial.frameCount > 1 && partial.frameCount < whole.frameCount)
        for index in 0..<partial.frameCount {
            #expect(
                PixelDifference(between: try partial.frame(at: index), and: try whole.frame(at: index))?.maximum == 0)
        }
    }

    @Test(arguments: still) func aPartialImageHasTheRequestedSize(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let options = Self.partly(.fit(PixelSize(width: 20, height: 20)))
        let whole = try decode(data, options)
        let partial = try decode(data.prefix(data.count * 3 / 4), options)
        #expect(partial.size == whole.size && partial.isPartial)
    }

    @Test(arguments: still) func aFileWithoutPixelsIsStillAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for count in [12, 20, 30] {
            expectError(.undecodable) { try decode(data.prefix(count), Self.allowed) }
        }
    }

    @Test(arguments: still) func limitsApplyToDamagedFiles(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        var context = DecodeContext(options: Self.allowed, limits: DecodeLimits(pixels: 10))
        let cut = data.prefix(data.count * 3 / 4)
        let decoder = try DecodeTests.coders.decoder(for: cut)
        expectError(.limitExceeded) { try decoder.decodeChecked(cut, context: context) }
        context = DecodeContext(options: Self.allowed, isCancelled: { true })
        expectError(.cancelled) { try decoder.decodeChecked(cut, context: context) }
    }

    @Test(
        arguments: still + [
            "alpha-32.ico", "mask-24.ico", "several.ico", "sequence.heics", "sequence.avif", "sequence-alpha.heics",
        ])
    func everyTruncationYieldsAPartialImageOrAnError(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        var partialCount = 0
        for count in stride(from: 0, to: data.count, by: max(1, data.count / 100)) {
            let prefix = data.prefix(count)
            do throws(TintypeError) {
                if try decode(prefix, Self.allowed).isPartial { partialCount += 1 }
            } catch {
                #expect(error.code == (FormatSniffer.format(of: prefix) == nil ? .notAnImage : .undecodable))
            }
        }
        #expect(partialCount > 0)
    }

    @Test(arguments: ["rgb-24.bmp", "palette-8.bmp", "rgba-v4.bmp", "runs-8.bmp"])
    func theLowerRowsOfATruncatedBMPAreDecoded(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let whole = try decode(data)
        let partial = try decode(data.prefix(data.count * 3 / 4), Self.allowed)
        let (width, height) = (whole.size.width, whole.size.height)
        #expect(partial.isPartial && partial.pixels[0, 0].alpha == 0)
        #expect((0..<width).allSatisfy { partial.pixels[$0, height - 1] == whole.pixels[$0, height - 1] })
    }

    @Test func theStripsOfADamagedTIFFAreDecoded() throws {
        let data = try FixtureManifest.named("deflate.tiff").data
        let whole = try decode(data)
        var damaged = data
        // In the last of six strips, before the directory.
        for index in 2100..<2140 { damaged[index] = 0xFF }
        expectError(.undecodable) { try decode(damaged) }
        let partial = try decode(damaged, Self.allowed)
        #expect(partial.isPartial && partial.pixels[0, 25].alpha == 0)
        #expect((0..<37).allSatisfy { partial.pixels[$0, 19] == whole.pixels[$0, 19] })
    }

    /// Samples that libtiff does not convert to 8 bits itself.
    @Test(arguments: [
        PlainTIFF(), PlainTIFF(bits: 32), PlainTIFF(bits: 32, isFloat: true),
        PlainTIFF(photometric: 5, samplesPerPixel: 4),
    ])
    func theStripsOfATIFFWithManyBitsAreDecoded(_ kind: PlainTIFF) throws {
        let data = kind.bytes { pixel, channel in Double((pixel + 3 * channel) % 11) / 11 }
        let whole = try decode(data)
        #expect(whole.size == PixelSize(width: 4, height: 32) && !whole.isPartial)
        expectError(.undecodable) { try decode(data.dropLast(10)) }
        for size in [DecodeOptions.Size.full, .fit(PixelSize(width: 2, height: 16))] {
            let partial = try decode(data.dropLast(10), Self.partly(size))
            let last = partial.size.height - 1
            #expect(partial.isPartial && partial.pixels[0, last].alpha == 0 && partial.pixels[0, 0].alpha == 255)
        }
        let partial = try decode(data.dropLast(10), Self.allowed)
        for y in 0..<16 { #expect((0..<4).allSatisfy { partial.pixels[$0, y] == whole.pixels[$0, y] }) }
        // The bytes end within the first strip.
        expectError(.undecodable) { try decode(data.prefix(250), Self.allowed) }
    }

    @Test func theRowsOfATruncatedGIFAreDecoded() throws {
        let size = PixelSize(width: 50, height: 40)
        let data = PlainGIF.bytes(size) { x, y in UInt8((x + y) % 128) }
        let whole = try decode(data)
        let partial = try decode(data.prefix(data.count / 2), Self.allowed)
        #expect(partial.isPartial && partial.pixels[49, 9] == whole.pixels[49, 9])
        #expect(partial.pixels[0, 39].alpha == 0 && whole.pixels[0, 39].alpha == 255)
        // The bytes end within the first row.
        expectError(.undecodable) { try decode(data.prefix(430), Self.allowed) }
    }

    @Test(arguments: ["alpha-32.ico", "mask-24.ico", "several.ico"]) func theRowsOfATruncatedIconAreDecoded(
        _ name: String
    )
        throws
    {
        let data = try FixtureManifest.named(name).data
        let whole = try decode(data)
        let cut = data.prefix(data.count * 3 / 4)
        expectError(.undecodable) { try decode(cut) }
        let partial = try decode(cut, Self.allowed)
        #expect(partial.isPartial && partial.info.format == .ico && partial.pixels.size.isPositive)
        #expect(partial.size == partial.info.size && partial.size.area <= whole.size.area)
        expectError(.undecodable) { try decode(data.prefix(20), Self.allowed) }
    }

    /// Their libraries decode all or nothing, and the error says so.
    @Test(arguments: ["lossy.heic", "alpha.heic", "lossy-420.avif", "alpha.avif"])
    func formatsWithoutPartialDecodingSaySo(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        for cut in [data.count / 2, data.count * 3 / 4, data.count - 20] {
            let error = expectError(.undecodable) { try decode(data.prefix(cut), Self.allowed) }
            #expect(error?.message.hasSuffix("no part of it can be shown") == true)
            let plain = expectError(.undecodable) { try decode(data.prefix(cut)) }
            #expect(plain?.message.hasSuffix("no part of it can be shown") == false)
        }
    }
}
