import Foundation
import Testing
import Tintype
import TintypeTesting

@testable import TintypeCore
@testable import TintypeJXL

/// JPEG XLs with frames of which libjxl does not tell: later ones refer to them.
@Suite struct JXLHiddenFrameTests {
    /// 64×64 pixels in two low-frequency frames and one that is shown: `cjxl --progressive_dc=2 -q 80`.
    private static let encoded = """
        /wpPQEJxIQoRAABgAAA4AFgAWEooNCJOAzpgABoJZ0m2JwseEuLDBAAAaAWSVZJtknX+/8oCAFChMsq4wcu5ni8/dFhM27jO0Fbb\
        FpYkQikksUYDSDUaKvsy3ELdEt0CGW6hbolugQy3ULdEt0CGW6hbolsgwy3ULdEtkOEW6pboFshwC3VLdAtkuIW6JboFMtxC3RLd\
        AhluoW6JboEMt1C3RLdAhluoW6JbIMMt1C3RLZDhFuqW6BbIcAt1S3QLZLiFuiW6BTLcQt0S3QIppHCrtVYKwPyH7l7/pBspihyf\
        f5ZK/mzruhF/SgCotDO39PsgbA1pnX5zGFmRgWCr0KhEhiLWM3XkDjCOdBUHU3h9AsQBPXnKc3RlCjQbq6k0P2gtEguaWAcrkkc7\
        XRX3BMFq/LpLBpupfbIyqBWAbfOHV2xA4xBPx84K8DCgk24p4CGgG8D8zVh12gYvc8mRt32M1KNrJ4FXwktrM7MAfLoLYDh+yJpT\
        G6UKG8PdYZtGW2LbQQAB4MMEEowBs3gJAIAKlVHGDV7O9Xz5ocNi2sZ1hrbatrAkEUohiTSIuz2QAkoYO8+t0gAAAAAAAACACilw\
        Bqo78mK8eDEeangbwDPgPGDic/o3DFqAEOPfwzGRReMzWUbNtFxx4cLDhVBL
        """
    private static let canvas = PixelSize(width: 64, height: 64)
    /// The length of the image header.
    private static let headerLength = 7

    private func file() throws -> Data { try #require(Data(base64Encoded: Self.encoded)) }

    private func limit(_ data: Data, _ change: (inout DecodeLimits) -> Void) throws -> DecodeLimit? {
        JXLDecoder().error(decoding: data, change)?.limit
    }

    /// Returns a container whose boxes have `count` bytes of the codestream each.
    private func boxed(_ codestream: Data, each count: Int) -> Data {
        func box(_ type: String, _ contents: Data) -> Data {
            Data(UInt32(8 + contents.count).bigEndianBytes) + Data(type.utf8) + contents
        }
        var file = box("JXL ", Data([0x0D, 0x0A, 0x87, 0x0A]))
        file += box("ftyp", Data("jxl \0\0\0\0jxl ".utf8))
        for start in stride(from: 0, to: codestream.count, by: count) {
            let isLast = start + count >= codestream.count
            let index = UInt32(start / count) | (isLast ? 0x8000_0000 : 0)
            file += box("jxlp", Data(index.bigEndianBytes) + codestream.dropFirst(start).prefix(count))
        }
        return file
    }

    /// The numbers and lengths of the fields that state how the sections of a frame are ordered.
    private enum Order {
        static let stored = [(0, 1)]
        /// Prefix codes of symbols without bits: the permutation begins with none that move.
        static let prefix = [(1, 1), (0, 1), (1, 1), (0, 2), (1, 1), (15, 4), (0, 1)]
        static let repeating = [(1, 1), (1, 1)]
        /// A prefix code with this number of symbols, 1024 or 1025, of which one is used.
        static func prefix(symbols: Int) -> [(Int, Int)] {
            let size = symbols == 1024 ? [(9, 4), (511, 9)] : [(10, 4), (0, 10)]
            let used = [(1, 2), (0, 2), (0, symbols == 1024 ? 10 : 11)]
            return [(1, 1), (0, 1), (1, 1), (0, 2), (1, 1), (15, 4), (1, 1)] + size + used
        }
        /// Codes of another kind, asymmetric numeral systems.
        static let asymmetric = [(1, 1), (0, 1), (1, 1), (0, 2), (0, 1)]
    }

    /// Returns a modular frame without contents that covers the canvas, and is not the last one.
    ///
    /// - Parameter duration: 1 for a frame of an animation that is shown by itself.
    private func shownFrame(duration: Int? = nil) -> Data {
        var bits = JXLBitWriter()
        // No defaults; regular; modular; no flags; no upsampling; groups of 1024 pixels; one pass; no size of its own.
        for (value, count) in [(0, 1), (0, 2), (1, 1), (0, 2), (0, 2), (3, 2), (0, 2), (0, 1)] {
            bits.append(value, count)
        }
        // Replaces the canvas; its duration; not the last one.
        bits.append(0, 2)
        if let duration { bits.append(duration, 2) }
        bits.append(0, 1)
        // Its index and, if it is kept, its colours; no name; default filters; no extensions.
        bits.append(0, 2)
        if duration ?? 0 == 0 { bits.append(0, 1) }
        for (value, count) in [(0, 2), (1, 1), (0, 2)] + Order.stored { bits.append(value, count) }
        bits.align()
        // One section without bytes.
        bits.append(0, 12)
        return bits.bytes
    }

    /// Returns a modular frame without contents that is only kept for later ones.
    private func hiddenFrame(
        _ size: PixelSize, _ order: [(Int, Int)] = Order.stored, flags: Int = 0, extensions: Int = 0
    ) -> Data {
        var bits = JXLBitWriter()
        // No defaults; only for reference; modular; flags; no upsampling; groups of 1024 pixels; a size of its own.
        for (value, count) in [(0, 1), (2, 2), (1, 1)] { bits.append(value, count) }
        if flags == 0 { bits.append(0, 2) } else { bits.append(1, 2, flags - 1, 4) }
        for (value, count) in [(0, 2), (3, 2), (1, 1)] { bits.append(value, count) }
        for side in [size.width, size.height] {
            if side < 2304 { bits.append(1, 2, side - 256, 11) } else { bits.append(3, 2, side - 18_688, 30) }
        }
        // Its index and colours; no name; default filters; no extensions.
        for (value, count) in [(1, 2), (1, 1), (0, 2), (1, 1), (extensions, 2)] + order { bits.append(value, count) }
        bits.align()
        // One section without bytes.
        bits.append(0, 12)
        return bits.bytes
    }

    @Test(arguments: [Int?.none, 1, 3, 7, 8, 40, 200]) func hiddenFramesCountAsFrames(_ boxLength: Int?) throws {
        let data = try boxLength.map { boxed(try file(), each: $0) } ?? file()
        let area = Self.canvas.area
        #expect(try limit(data) { $0.frames = 2 } == .frames)
        #expect(try limit(data) { $0.animatedPixels = 3 * area - 1 } == .animatedPixels)
        #expect(try limit(data) { $0.memoryBytes = 72 * area - 1 } == .memoryBytes)
        var context = DecodeContext()
        context.limits.frames = 3
        context.limits.animatedPixels = 3 * area
        context.limits.memoryBytes = 72 * area
        #expect(try JXLDecoder().decode(data, context: context).size == Self.canvas)
    }

    /// The low frequencies of the shown frame arrive first.
    @Test func anImageWithHiddenFramesHasPreviews() throws {
        #expect(try !JXLDecoder().previews(file(), piece: 50).isEmpty)
    }

    @Test func aHiddenFrameObeysTheLimitsOfItsSize() throws {
        let size = PixelSize(width: 1000, height: 1000)
        let (head, rest) = (try file().prefix(Self.headerLength), try file().dropFirst(Self.headerLength))
        let data = head + hiddenFrame(size) + rest
        #expect(try limit(data) { $0.pixels = size.area - 1 } == .pixels)
        #expect(try limit(data) { $0.memoryBytes = 72 * size.area - 1 } == .memoryBytes)
        #expect(try limit(data) { $0.frames = 3 } == .frames)
        #expect(try limit(data) { $0.animatedPixels = size.area + 3 * Self.canvas.area - 1 } == .animatedPixels)
    }

    /// libjxl takes memory for splines that the size of the file does not limit.
    @Test func splinesAreCharged() throws {
        let size = PixelSize(width: 1000, height: 1000)
        let (head, rest) = (try file().prefix(Self.headerLength), try file().dropFirst(Self.headerLength))
        let data = head + hiddenFrame(size, flags: 0x10) + rest
        let charge = (72 + 600) * size.area
        #expect(try limit(data) { $0.memoryBytes = charge - 1 } == .memoryBytes)
        #expect(try limit(data) { $0.memoryBytes = charge } != .memoryBytes)
    }

    /// libjxl takes a minimum of memory for each row.
    @Test func aHiddenFrameObeysTheLimitOfItsSides() throws {
        let (head, rest) = (try file().prefix(Self.headerLength), try file().dropFirst(Self.headerLength))
        let data = head + hiddenFrame(PixelSize(width: 256, height: 20_000)) + rest
        #expect(try limit(data) { $0.side = 19_999 } == .side)
        #expect(try limit(data) { $0.side = 20_000 } != .side)
    }

    /// An image header: the signature, 64×64 pixels, and default properties.
    private var plainHeader: Data {
        var bits = JXLBitWriter()
        for (value, count) in [(0x0AFF, 16), (1, 1), (7, 5), (1, 3), (1, 1), (1, 1)] { bits.append(value, count) }
        return bits.bytes
    }

    /// 2304×16 pixels in a low-frequency frame of two groups in another order, and one that is shown:
    /// `cjxl --progressive_dc=1 --group_order=1 -q 10`.
    private static let reordered = """
        /wp4gP4RSCguBAoBACUAbAAAAAAAAAAAOABYAFhKEgkSGDgEQUixTf5/AlIWAADcogbgAwXCgFKo2KD8wGkGiAACIMAAAAAAAAAAAAAA\
        AAAAAACJWQwAgAqVUcYNXs71fPmhw2LaxnWGttq2sCQRSoEUO9g//2cHHjFB2BX/dLw7AQD4AUFJAg==
        """

    @Test func theHiddenFramesOfAnImageInAnotherOrderAreRead() throws {
        let size = PixelSize(width: 2304, height: 16)
        let data = try #require(Data(base64Encoded: Self.reordered))
        #expect(try JXLDecoder().decode(data, context: DecodeContext()).size == size)
        let frames = try walk(data)
        #expect(frames.map(\.size) == [PixelSize(width: 288, height: 2), size])
        #expect(frames.map(\.kind) == [.lowFrequency, .regular])
    }

    @Test func aHugeFrameBehindOneInAnotherOrderIsRefused() throws {
        let small = hiddenFrame(PixelSize(width: 300, height: 300), Order.prefix)
        let rest = try file().dropFirst(Self.headerLength)
        #expect(try limit(plainHeader + small + rest) { _ in } == nil)
        let huge = hiddenFrame(PixelSize(width: 30_000, height: 30_000))
        #expect(try limit(plainHeader + small + huge + rest) { _ in } == .pixels)
    }

    @Test func aHiddenFrameInADamagedOrderIsRefused() throws {
        let rest = try file().dropFirst(Self.headerLength)
        for order in [Order.repeating, Order.asymmetric] {
            let data = plainHeader + hiddenFrame(PixelSize(width: 300, height: 300), order) + rest
            #expect(try limit(data) { _ in } == .library)
        }
    }

    /// Many frames with long codes would take minutes.
    @Test(arguments: [(1024, nil), (1025, DecodeLimit.library)])
    func anOrderWithALongCodeIsRefused(_ symbols: Int, _ expected: DecodeLimit?) throws {
        let frame = hiddenFrame(PixelSize(width: 300, height: 300), Order.prefix(symbols: symbols))
        #expect(try limit(plainHeader + frame + (try file().dropFirst(Self.headerLength))) { _ in } == expected)
    }

    @Test func theWalkIsCancelledBetweenFrames() throws {
        let data = try FixtureManifest.named("layers.jxl").data
        let checks = Locked(0)
        let context = DecodeContext(isCancelled: {
            checks.withLock { count in
                count += 1
                return count == 3
            }
        })
        let error = #expect(throws: TintypeError.self) {
            _ = try data.withUnsafeBytes { raw in
                let header = try #require(try JXLHeader(raw, isComplete: true, DecodeLimits()))
                return try JXLLayers(raw, header, context) != nil
            }
        }
        #expect(error?.code == .cancelled && checks.withLock { $0 } == 3)
    }

    /// A file may have millions of frames of which libjxl reports none.
    @Test func countingTheFramesIsCancelled() throws {
        let error = #expect(throws: TintypeError.self) {
            _ = try FixtureManifest.named("rects.jxl").data.withUnsafeBytes { raw in
                try JXLHeader(raw, isComplete: true, DecodeLimits(), isCancelled: { true }) != nil
            }
        }
        #expect(error?.code == .cancelled)
    }

    /// Returns a hidden frame of 30,000×30,000 pixels with all 918 sections, which have no bytes.
    private var hugeFrame: Data {
        let tableLength = (918 * 12 + 7) / 8
        return hiddenFrame(PixelSize(width: 30_000, height: 30_000)) + Data(count: tableLength - 2)
    }

    @Test(arguments: [Int?.none, 5, 17]) func aHugeHiddenFrameBehindAShownOneIsRefused(_ boxLength: Int?) throws {
        let frames = plainHeader + shownFrame() + hugeFrame + (try file().dropFirst(Self.headerLength))
        let data = boxLength.map { boxed(frames, each: $0) } ?? frames
        #expect(try limit(data) { _ in } == .pixels)
        #expect(try limit(data) { $0.pixels = 30_000 * 30_000 } == .memoryBytes)
        let error = #expect(throws: TintypeError.self) {
            _ = try JXLDecoder().salvage(data, context: DecodeContext())
        }
        #expect(error?.limit == .pixels)
    }

    @Test func hiddenFramesBehindAShownOneObeyTheLimits() throws {
        let size = PixelSize(width: 1000, height: 1000)
        let data = plainHeader + shownFrame() + hiddenFrame(size) + (try file().dropFirst(Self.headerLength))
        #expect(try limit(data) { $0.pixels = size.area - 1 } == .pixels)
        #expect(try limit(data) { $0.memoryBytes = 72 * size.area - 1 } == .memoryBytes)
        #expect(try limit(data) { $0.frames = 4 } == .frames)
        #expect(try limit(data) { $0.animatedPixels = size.area + 4 * Self.canvas.area - 1 } == .animatedPixels)
        #expect(
            try limit(data) { limits in
                (limits.frames, limits.memoryBytes) = (5, 72 * size.area)
                limits.animatedPixels = size.area + 4 * Self.canvas.area
            } == nil)
    }

    /// An image header of an animation: 64×64 pixels, 100 ticks per second.
    private var animationHeader: Data {
        var bits = JXLBitWriter()
        let size = [(0x0AFF, 16), (1, 1), (7, 5), (1, 3)]
        // No defaults; an animation; 8 bits; default colours.
        let properties = [
            (0, 1), (1, 1), (0, 3), (0, 1), (0, 1), (1, 1), (0, 2), (0, 2), (0, 2), (0, 1), (0, 1), (0, 2), (1, 1),
            (0, 2), (1, 1), (1, 1), (1, 1), (0, 2), (1, 1),
        ]
        for (value, count) in size + properties { bits.append(value, count) }
        return bits.bytes
    }

    /// The hidden frame may have arrived before the rest of the animation.
    @Test func aHugeHiddenFrameOfAnAnimationThatArrivesIsRefused() throws {
        let shown = shownFrame(duration: 1)
        let data = animationHeader + shown + hugeFrame + shown
        let error = #expect(throws: TintypeError.self) {
            _ = try JXLDecoder().arrivedFrames(data, context: DecodeContext())
        }
        #expect(error?.limit == .pixels)
        let small = animationHeader + shown + hiddenFrame(PixelSize(width: 300, height: 300)) + shown
        #expect(try JXLDecoder().arrivedFrames(small, context: DecodeContext())?.info.size == Self.canvas)
    }

    /// 16×16 pixels in two frames of an animation, each behind a low-frequency frame: `cjxl --progressive_dc=1 -d 9 -e 3`.
    private static let animation = """
        /wpDBAHYUFwSCgQAAIQAADgAWABYShLFgoUkVkLcDQAAcICQ+kkpLClSkFEAfu+w4MMEkExgAHQB6WMLAIAKlVHGDV7O9Xz5ocNi\
        2sZ1hrbatrAkkRiZtxIA4IB3ghSeIScTKSh2gMSc+HlrABQsXyOvKDu/2mw2ncPOARw82mECANAzlSQOEG87RC8mdah8LyZ1qDwA\
        CgQAAIgAADgAWABYShLFgoUkVkLcDQAAQMAV+kkpBrt3pWWjADxfEODDRAQw4AECmUiyMABMAeljCwCACpVRxg1ezvV8+aHDYtrG\
        dYa22rawJJGYMa43AADgTgBnksQBqlvcC3iytqoGo21bM7NyweCo6pzzDnxfJYkS4xZ+Q9AO6aG/VCAd0kMB
        """

    @Test(arguments: [Int?.none, 1, 3, 7, 8, 40, 200]) func anAnimationWithHiddenFramesIsDecoded(
        _ boxLength: Int?
    ) throws {
        let bare = try #require(Data(base64Encoded: Self.animation))
        let data = boxLength.map { boxed(bare, each: $0) } ?? bare
        var context = DecodeContext()
        (context.limits.frames, context.limits.animatedPixels) = (4, 4 * 16 * 16)
        let image = try JXLDecoder().decode(data, context: context)
        #expect(image.info.frameCount == 2)
        #expect(try #require(image.animation).frameCount == 2)
        #expect(try limit(data) { $0.frames = 3 } == .frames)
        #expect(try limit(data) { $0.animatedPixels = 4 * 16 * 16 - 1 } == .animatedPixels)
    }

    @Test(arguments: [
        ("rects.jxl", 14), ("layers.jxl", 60), ("layers-alpha.jxl", 6), ("container.jxl", 1), ("p3.jxl", 1),
    ])
    func theWalkEndsWithTheLastFrame(_ name: String, _ count: Int) throws {
        let frames = try walk(FixtureManifest.named(name).data)
        #expect(frames.count == count && frames.allSatisfy(\.isShown))
        #expect(frames.map(\.isLast) == (1...count).map { $0 == count })
    }

    @Test func theWalkFindsHiddenFramesBetweenShownOnes() throws {
        let frames = try walk(try #require(Data(base64Encoded: Self.animation)))
        #expect(frames.map(\.kind) == [.lowFrequency, .regular, .lowFrequency, .regular])
        // The last frame changes only a part of the canvas.
        #expect(frames.map(\.size.width) == [2, 16, 2, 15])
        #expect(frames.map(\.isLast) == [false, false, false, true])
    }

    private func walk(_ data: Data) throws -> [JXLFrameHeader] {
        try data.withUnsafeBytes { raw in
            let header = try #require(try JXLHeader(raw, isComplete: true, DecodeLimits()))
            let headerEnd = try #require(try JXLLayers.headerEnd(raw, header))
            var walk = JXLFrameWalk(JXLCodestream(raw, headerEnd: headerEnd), of: header)
            var frames: [JXLFrameHeader] = []
            while let frame = try walk.next() { frames.append(frame) }
            return frames
        }
    }

    /// libjxl 0.7 expects the length at another place than the standard states.
    @Test func aBoxWithALengthOf64BitsIsRefused() throws {
        let long = UInt32(1).bigEndianBytes + Data("jxlp".utf8) + Data(count: 12)
        let data = boxed(plainHeader + shownFrame(), each: 200) + long + (try file().dropFirst(Self.headerLength))
        #expect(try limit(data) { _ in } == .library)
    }

    @Test func aFrameWithExtensionsIsRefused() throws {
        let frame = hiddenFrame(PixelSize(width: 300, height: 300), extensions: 1)
        let data = plainHeader + frame + (try file().dropFirst(Self.headerLength))
        #expect(try limit(data) { _ in } == .library)
    }

    /// Hidden frames may follow a preview. No encoder writes any.
    @Test func aPreviewFrameIsRefused() throws {
        var bits = JXLBitWriter()
        let size = [(0x0AFF, 16), (1, 1), (7, 5), (1, 3)]
        // No defaults; a preview of 16×16 pixels; 8 bits; default colours.
        let properties = [
            (0, 1), (1, 1), (0, 3), (0, 1), (1, 1), (1, 1), (0, 2), (1, 3), (0, 1), (0, 1), (0, 2), (1, 1), (0, 2),
            (1, 1), (1, 1), (1, 1), (0, 2), (1, 1),
        ]
        for (value, count) in size + properties { bits.append(value, count) }
        let data = bits.bytes + (try file().dropFirst(Self.headerLength))
        #expect(try limit(data) { _ in } == .library)
    }

    @Test func aHugeHiddenFrameOfASmallImageIsRefused() throws {
        let data = plainHeader + hiddenFrame(PixelSize(width: 30_000, height: 30_000))
        #expect(try limit(data) { _ in } == .pixels)
        #expect(try limit(data) { $0.pixels = 30_000 * 30_000 } == nil)
        let previews = try #require(JXLDecoder().makeIncrementalDecoder(context: DecodeContext()))
        #expect(throws: TintypeError.self) { _ = try previews.append(data) }
    }

    @Test func aHiddenFrameCutAnywhereIsAnError() throws {
        let data = try file()
        for count in 0..<data.count {
            #expect(throws: TintypeError.self) {
                _ = try JXLDecoder().decode(data.prefix(count), context: DecodeContext())
            }
        }
    }
}

extension UInt32 {
    fileprivate var bigEndianBytes: [UInt8] { (0..<4).map { UInt8(truncatingIfNeeded: self >> (24 - 8 * $0)) } }
}
