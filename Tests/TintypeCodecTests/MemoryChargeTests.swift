import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeJPEG
import TintypeTIFF
import TintypeTesting

@testable import TintypeAVIF

/// The memory that decoders charge.
@Suite struct MemoryChargeTests {
    private func limit(
        _ bytesPerPixel: Int, _ data: Data, _ decoder: some SalvagingImageDecoder
    ) throws -> [DecodeLimit?] {
        let size = try #require(try decoder.info(of: data, isComplete: true)?.size)
        var context = DecodeContext()
        context.limits.memoryBytes = size.area * bytesPerPixel
        return [
            #expect(throws: TintypeError.self) { _ = try decoder.decode(data, context: context) }?.limit,
            #expect(throws: TintypeError.self) { _ = try decoder.salvage(data, context: context) }?.limit,
        ]
    }

    /// libtiff decodes whole strips, in all their channels.
    @Test(arguments: ["rgb.tiff", "rgba.tiff", "tiled.tiff", "planes.tiff", "rgb-16.tiff", "cmyk.tiff", "grey-16.tiff"])
    func stripsOfATIFFAreCharged(_ file: String) throws {
        let data = try FixtureManifest.named(file).data
        #expect(try limit(5, data, TIFFDecoder()) == [.memoryBytes, .memoryBytes])
        _ = try TIFFDecoder().decode(data, context: DecodeContext())
    }

    /// Returns the least memory limit at which an image decodes.
    private func leastMemory(_ data: Data, _ range: DecodeOptions.DynamicRange) throws -> Int {
        var (refused, accepted) = (0, 1 << 24)
        while accepted - refused > 1 {
            var context = DecodeContext(options: DecodeOptions(range: range))
            context.limits.memoryBytes = (refused + accepted) / 2
            do throws(TintypeError) {
                _ = try DecodeTests.coders.decoder(for: data).decodeChecked(data, context: context)
                accepted = context.limits.memoryBytes
            } catch {
                try #require(error.limit == .memoryBytes)
                refused = context.limits.memoryBytes
            }
        }
        return accepted
    }

    /// The high range takes 8 bytes per pixel beside the image, if the source has one.
    @Test(arguments: [
        ("rgb-16.png", 8), ("rgb-16.tiff", 8), ("ten-bit.avif", 8), ("pq.heic", 8), ("pq.jxl", 8), ("rgba-8.png", 0),
        ("rgb.tiff", 0), ("lossy-420.avif", 0),
    ])
    func theHighRangeIsCharged(_ file: String, _ bytesPerPixel: Int) throws {
        let data = try FixtureManifest.named(file).data
        let area = try #require(try DecodeTests.coders.info(of: data)?.size.area)
        #expect(try leastMemory(data, .high) - leastMemory(data, .standard) == area * bytesPerPixel)
    }

    /// The result is charged at the size of the image. Run lengths take a byte per pixel, 16-bit passes eight.
    @Test func thePixelsOfSimpleFormatsAreCharged() throws {
        for (file, bytesPerPixel) in [("rgba-8.png", 4), ("rgb-24.bmp", 4), ("runs-8.bmp", 5), ("mask-24.ico", 4)] {
            let data = try FixtureManifest.named(file).data
            let area = try #require(try DecodeTests.coders.info(of: data)?.size.area)
            #expect(try leastMemory(data, .standard) == area * bytesPerPixel, "\(file)")
        }
        #expect(try leastMemory(PNGBuilder.wideInterlacedImage(), .high) == 20)
    }

    /// The file, and the memory for each pixel of its previews.
    private static let previews = [
        ("large-baseline.jpg", 12), ("large-progressive.jpg", 18), ("rgba-8.png", 12), ("adam7-rgba.png", 12),
        ("exif-6.png", 12), ("lossy.webp", 17), ("lossless.webp", 17),
    ]

    /// Previews hold more copies than the complete image, which must not fail because of them.
    @Test(arguments: previews)
    func anImageWhosePreviewsNeedTooMuchMemoryIsShownOnlyWhenItIsComplete(
        _ file: String, _ bytesPerPixel: Int
    ) throws {
        let data = try FixtureManifest.named(file).data
        let decoder = try DecodeTests.coders.decoder(for: data)
        let area = try #require(try decoder.info(of: data, isComplete: true)?.size.area)
        for (memory, isShown) in [(area * bytesPerPixel, true), (area * bytesPerPixel - 1, false)] {
            var context = DecodeContext()
            context.limits.memoryBytes = memory
            let previews = try #require(decoder.makeIncrementalDecoder(context: context))
            let images = try [data.prefix(200), data.dropFirst(200)].compactMap { try previews.append($0) }
            #expect(images.isEmpty != isShown)
            _ = try decoder.decodeChecked(data, context: context)
        }
    }

    @Test(arguments: previews) func salvageIsChargedLikePreviews(_ file: String, _ bytesPerPixel: Int) throws {
        let data = try FixtureManifest.named(file).data
        let decoder = try #require(try DecodeTests.coders.decoder(for: data) as? any SalvagingImageDecoder)
        let area = try #require(try decoder.info(of: data, isComplete: true)?.size.area)
        var context = DecodeContext()
        context.limits.memoryBytes = area * bytesPerPixel
        #expect(try decoder.salvage(data, context: context) != nil)
        context.limits.memoryBytes -= 1
        let error = expectError(.limitExceeded) { _ = try decoder.salvage(data, context: context) }
        #expect(error?.limit == .memoryBytes)
    }

    /// 640×480, coefficients of 6 bytes per pixel, and an eighth of the sides.
    @Test func previewsOfASmallerJPEGAreChargedForLessOutput() throws {
        let data = try FixtureManifest.named("large-progressive.jpg").data
        var context = DecodeContext(options: DecodeOptions(size: .fit(PixelSize(width: 80, height: 60))))
        context.limits.memoryBytes = 640 * 480 * 6 + 80 * 60 * 12
        let shown = try #require(JPEGDecoder().makeIncrementalDecoder(context: context))
        #expect(try shown.append(data)?.size == PixelSize(width: 80, height: 60))
        context.limits.memoryBytes -= 1
        let hidden = try #require(JPEGDecoder().makeIncrementalDecoder(context: context))
        #expect(try hidden.append(data) == nil)
    }

    /// A scan for each component: libjpeg keeps all coefficients, as if the image were progressive.
    @Test func aSequentialJPEGWithSeveralScansIsChargedForItsCoefficients() throws {
        var data = try FixtureManifest.named("baseline-444.jpg").data
        let start = try #require(data.firstRange(of: [0xFF, 0xDA, 0, 12, 3]))
        data.replaceSubrange(start.lowerBound..<start.lowerBound + 14, with: [0xFF, 0xDA, 0, 8, 1, 1, 0, 0, 63, 0])
        #expect(try limit(9, data, JPEGDecoder()) == [.memoryBytes, .memoryBytes])
    }

    @Test(arguments: [(8, 8, 136 * 136), (1000, 500, 1128 * 628), (Int(UInt32.max), Int(UInt32.max), Int.max)])
    func anAVIFMayCodeOnlyWholeBlocksMoreThanItDeclares(_ width: Int, _ height: Int, _ pixels: Int) {
        #expect(AVIFReader.codedPixels(of: PixelSize(width: width, height: height)) == pixels)
    }
}
