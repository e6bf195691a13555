import Foundation
import Testing
import TintypeCore
import TintypeJPEG
import TintypeTIFF
import TintypeTesting

@testable import TintypeAVIF

/// What decoders charge for the memory that they need.
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
