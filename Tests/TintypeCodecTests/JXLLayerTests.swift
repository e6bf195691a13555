import Foundation
import Testing
import Tintype
import TintypeTesting

/// JPEG XLs with frames that are not shown by themselves.
@Suite struct JXLLayerTests {
    private func limit(_ data: Data, _ change: (inout DecodeLimits) -> Void) throws -> DecodeLimit? {
        guard let error = JXLDecoder().error(decoding: data, change) else { return nil }
        let limit: DecodeLimit = try #require(error.limit, "\(error)")
        return limit
    }

    /// A single frame is charged less, wherever its boxes are divided.
    @Test(arguments: [
        ("layers.jxl", 72), ("layers-alpha.jxl", 128), ("rects.jxl", 128), ("lossless.jxl", 28), ("lossy.jxl", 28),
        ("lossless-alpha.jxl", 40), ("container.jxl", 28), ("orientation-1.jxl", 28), ("p3.jxl", 28),
    ])
    func framesThatLibjxlKeepsAreCharged(_ file: String, _ bytesPerPixel: Int) throws {
        let data = try FixtureManifest.named(file).data
        let area = try #require(try JXLDecoder().info(of: data, isComplete: true)?.size.area)
        #expect(try limit(data) { $0.memoryBytes = area * bytesPerPixel - 1 } == .memoryBytes)
        #expect(try limit(data) { $0.memoryBytes = area * bytesPerPixel } == nil)
    }

    @Test func salvagingLayersIsChargedToo() throws {
        let data = try FixtureManifest.named("layers.jxl").data
        var context = DecodeContext()
        context.limits.memoryBytes = 96 * 96 * 72 - 1
        let error = #expect(throws: TintypeError.self) {
            _ = try JXLDecoder().salvage(data.dropLast(100), context: context)
        }
        #expect(error?.limit == .memoryBytes)
    }

    @Test func layersCountAsFrames() throws {
        let data = try FixtureManifest.named("layers.jxl").data
        #expect(try limit(data) { $0.frames = 59 } == .frames)
        #expect(try limit(data) { $0.animatedPixels = 60 * 96 * 96 - 1 } == .animatedPixels)
        #expect(
            try limit(data) { limits in
                (limits.frames, limits.animatedPixels) = (60, 60 * 96 * 96)
            } == nil)
    }

    /// libjxl decodes all layers of which it has the bytes in one call, so it receives few bytes at a time.
    @Test func cancellationIsCheckedBetweenLayers() throws {
        let data = try FixtureManifest.named("layers.jxl").data
        let checks = CancellationChecks(passing: 5)
        let error = #expect(throws: TintypeError.self) {
            _ = try JXLDecoder().decode(data, context: DecodeContext(isCancelled: checks.isCancelled))
        }
        #expect(error?.code == .cancelled)
        let all = CancellationChecks()
        _ = try JXLDecoder().decode(data, context: DecodeContext(isCancelled: all.isCancelled))
        #expect(all.count > data.count / 256)
    }

    /// The frames that follow may be larger than the canvas, so layers are decoded only when all have arrived.
    @Test func layersAreShownWhenTheyAreComplete() throws {
        let data = try FixtureManifest.named("layers.jxl").data
        #expect(try JXLDecoder().previews(data, piece: 100).isEmpty)
    }
}
