import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeAVIF

/// The tables and the coded frames of an AVIF, which are read before libavif sees them.
@Suite struct AVIFCodedFramesTests {
    // MARK: Frames

    /// Returns a sequence of five frames, of which only the first one is a key frame.
    private func sequence() throws -> Data {
        let frames = try (0..<5).map { index in
            TimedImage(
                try .drawn(PixelSize(width: 32, height: 32)) { x, y in
                    Pixel(red: UInt8(8 * x), green: UInt8(8 * y), blue: UInt8(50 * index))
                }, duration: 0.1)
        }
        return try AVIFEncoder().encode(try AnimatedImage(frames), as: .avif, options: EncodeOptions())
    }

    /// libavif decodes all frames of a sample in one call, which cannot be cancelled.
    @Test func aSampleWithTooManyFramesIsRefused() throws {
        func error(frames count: Int) throws -> TintypeError? {
            var data = try sequence()
            let samples = try data.withUnsafeBytes { raw in
                try #require(try AVIFTracks(raw, DecodeLimits()).color).samples(raw, atMost: 5)
            }
            let last = try #require(samples.last)
            try #require(last.upperBound == data.count)
            var units = AV1Units()
            try data.withUnsafeBytes { try units.read(UnsafeRawBufferPointer(rebasing: $0[last])) }
            // Frame headers without contents.
            let added = Data(repeatElement([3 << 3 | 2, 0], count: count - units.frameCount).joined())
            let sizes = try #require(data.firstRange(of: Data("stsz".utf8))).upperBound
            for offset in [sizes + 12 + 4 * 4, try #require(data.firstRange(of: Data("mdat".utf8))).lowerBound - 4] {
                data.setNumber(data.number(at: offset) + added.count, at: offset)
            }
            data += added
            do throws(TintypeError) {
                _ = try AVIFFrameDecoder(data, DecodeLimits()).pixels(of: 0) { false }
                return nil
            } catch {
                return error
            }
        }
        #expect(try error(frames: 16) == nil)
        #expect(try error(frames: 17)?.message == TintypeError.suspectStructure.message)
    }

    @Test func aJumpToALaterFrameIsCancelledBetweenFrames() throws {
        let decoder = try AVIFFrameDecoder(try sequence(), DecodeLimits())
        _ = try decoder.pixels(of: 0) { false }
        let checks = Locked(0)
        let error = #expect(throws: TintypeError.self) {
            _ = try decoder.pixels(of: decoder.frames.count - 1) {
                checks.withLock { count in
                    count += 1
                    return count == 3
                }
            }
        }
        #expect(error?.code == .cancelled)
        #expect(checks.withLock { $0 } == 3)
        // The decoder goes on where it was.
        _ = try decoder.pixels(of: 4) { false }
    }

    // MARK: Tables

    private static func box(_ kind: String, _ body: Data) -> Data { long(body.count + 8) + Data(kind.utf8) + body }

    private static func long(_ number: Int) -> Data { PNGBuilder.bigEndian(UInt32(number)) }

    private static func list(_ kind: String, _ numbers: [Int]) -> Data {
        box(kind, long(0) + numbers.map(long).reduce(Data(), +))
    }

    /// A movie of one track with a second of 1000 units, and samples of 8 bytes.
    ///
    /// - Parameter identifier: The number of the track; `nil` for a track without header.
    private static func movie(
        identifier: Int? = 1, durations: [(count: Int, ticks: Int)], chunks: [Int], runs: [(first: Int, samples: Int)]
    ) -> Data {
        let tables = [
            box("stsd", long(0) + long(1) + box("av01", Data())),
            list("stts", [durations.count] + durations.flatMap { [$0.count, $0.ticks] }),
            list("stsc", [runs.count] + runs.flatMap { [$0.first, $0.samples, 1] }),
            list("stsz", [8, 5]), list("stco", [chunks.count] + chunks),
        ]
        let information = box("minf", box("stbl", tables.reduce(Data(), +)))
        let media = box("mdia", list("mdhd", [0, 0, 1000, 0, 0]) + information)
        let header = identifier.map { list("tkhd", [0, 0, $0] + Array(repeating: 0, count: 17)) } ?? Data()
        return box("ftyp", Data("avis\0\0\0\0avisavif".utf8)) + box("moov", box("trak", header + media))
    }

    @Test func theLastRunOfDurationsIncludesAllFurtherFrames() throws {
        let data = Self.movie(durations: [(2, 100), (1, 50)], chunks: [0], runs: [(1, 5)])
        let durations = try data.withUnsafeBytes { raw in
            try #require(try AVIFTracks(raw, DecodeLimits()).color).durations(raw, count: 5)
        }
        #expect(durations == [0.1, 0.1, 0.05, 0.05, 0.05])
    }

    @Test func samplesFollowEachOtherInTheirChunk() throws {
        let data = Self.movie(durations: [(5, 1)], chunks: [100, 0, 50, 1 << 30], runs: [(1, 2), (2, 1)])
        let samples = try data.withUnsafeBytes { raw in
            try #require(try AVIFTracks(raw, DecodeLimits()).color).samples(raw, atMost: 5)
        }
        // The last one is not in the file.
        #expect(samples == [100..<108, 108..<116, 0..<8, 50..<58])
    }

    @Test func tracksThatLibavifSkipsAreNotShown() throws {
        func isShown(_ identifier: Int?, chunks: [Int]) throws -> Bool {
            let data = Self.movie(identifier: identifier, durations: [(5, 1)], chunks: chunks, runs: [(1, 5)])
            return try data.withUnsafeBytes { try AVIFTracks($0, DecodeLimits()).color } != nil
        }
        #expect(try isShown(1, chunks: [0]))
        #expect(try !isShown(0, chunks: [0]))
        #expect(try !isShown(nil, chunks: [0]))
        #expect(try !isShown(1, chunks: []))
    }

    @Test func aLongListOfRunsIsRefusedBeforeLibavifReadsIt() throws {
        let runs = (0...10_000).map { (count: 1, ticks: $0) }
        let data = Self.movie(durations: runs, chunks: [0], runs: [(1, 5)])
        let error = #expect(throws: TintypeError.self) { try AVIFDecoder().info(of: data, isComplete: true) }
        #expect(error?.limit == .frames)
        let chunks = Self.movie(durations: [(5, 1)], chunks: [0], runs: (1...10_001).map { (first: $0, samples: 1) })
        let second = #expect(throws: TintypeError.self) { try AVIFDecoder().info(of: chunks, isComplete: true) }
        #expect(second?.limit == .frames)
    }

    // MARK: Units

    @Test(arguments: [
        ("grey.avif", 8, 2), ("lossy-420.avif", 8, 3), ("limited.avif", 8, 4), ("lossy-444.avif", 8, 6),
        ("lossless.avif", 8, 6), ("ten-bit.avif", 10, 6),
    ])
    func theFormatIsReadFromTheSequenceHeader(_ file: String, _ depth: Int, _ samples: Int) throws {
        let data = try FixtureManifest.named(file).data
        let start = try #require(data.firstRange(of: Data("mdat".utf8))).upperBound
        var units = AV1Units()
        try data.withUnsafeBytes { try units.read(UnsafeRawBufferPointer(rebasing: $0[start...])) }
        #expect(units.format == AV1FrameFormat(depth: depth, samplesOfTwoPixels: samples, pixels: 48 * 34))
        #expect(units.frameCount == 1)
    }

    /// Alpha has the size and the depth of its colours, but was charged for its own sequence headers.
    @Test func decodedFramesMustFitIntoTheMemoryOfBothDecoders() {
        let eight = AV1FrameFormat(depth: 8, samplesOfTwoPixels: 3, pixels: 100)
        let grey = AV1FrameFormat(depth: 8, samplesOfTwoPixels: 2, pixels: 100)
        var (ten, large) = (eight, eight)
        (ten.depth, large.pixels) = (10, 101)
        let kept = AVIFKeptFrames(colors: eight.union(ten).union(large), alpha: grey)
        #expect(kept.allow(eight, hasAlpha: true) && kept.allow(ten, hasAlpha: false))
        #expect(!kept.allow(ten, hasAlpha: true) && !kept.allow(large, hasAlpha: true))
        let opaque = AVIFKeptFrames(colors: eight, alpha: nil)
        #expect(opaque.allow(eight, hasAlpha: false) && !opaque.allow(eight, hasAlpha: true))
        #expect(!opaque.allow(ten, hasAlpha: false))
    }

    @Test func everyFrameOfASequenceWithAlphaIsAllowed() throws {
        let decoder = try AVIFDecoder().makeFrameDecoder(
            FixtureManifest.named("sequence.avif").data, context: DecodeContext())
        for index in decoder.frames.indices { _ = try decoder.pixels(of: index) { false } }
    }

    /// A still image with frame headers behind its frame. Layered images have at most four frames.
    @Test func aStillImageWithMoreFramesThanLayersIsRefused() throws {
        func error(addedHeaders count: Int) throws -> TintypeError? {
            var item = try Self.item(of: FixtureManifest.named("lossy-420.avif").data)
            for _ in 0..<count { item.data += Data([3 << 3 | 2, 0]) }
            return Self.decodeError([item])
        }
        #expect(try error(addedHeaders: 0) == nil)
        #expect(try error(addedHeaders: 3)?.message != TintypeError.suspectStructure.message)
        #expect(try error(addedHeaders: 4)?.message == TintypeError.suspectStructure.message)
    }

    /// Images of which each is smaller than the file, but not all together.
    @Test func overlappingExtentsAreNotJoinedForEachImage() throws {
        func error(extents: [Range<Int>]?) throws -> TintypeError? {
            let shown = try Self.item(of: FixtureManifest.named("lossy-420.avif").data)
            var other = shown
            (other.data, other.extents) = (Data(count: 4000), extents)
            return Self.decodeError([shown] + Array(repeating: other, count: 3))
        }
        #expect(try error(extents: nil) == nil)
        #expect(try error(extents: [0..<1000, 1000..<4000]) == nil)
        let overlapping = try error(extents: [0..<4000, 0..<4000])
        #expect(overlapping?.message == TintypeError.suspectStructure.message)
    }

    /// Returns the error of decoding the first of some images.
    private static func decodeError(_ items: [HEICBuilder.Item]) -> TintypeError? {
        var data = HEICBuilder(items: items).file
        data.replaceSubrange(8..<24, with: Data("avif\0\0\0\0mif1avif".utf8))
        do throws(TintypeError) {
            _ = try AVIFDecoder().decode(data, context: DecodeContext())
            return nil
        } catch {
            return error
        }
    }

    private static func item(of data: Data) throws -> HEICBuilder.Item {
        try data.withUnsafeBytes { raw in
            let file = ISOFile(bytes: raw)
            let meta = try file.requiredBox("meta", in: 0..<raw.count).fullBody
            let image = try #require(try ISOItems(file, meta).all.first { $0.kind == "av01" })
            let container = try file.requiredBox("ipco", in: file.requiredBox("iprp", in: meta).body).body
            let properties = try ["av1C", "ispe"].map { kind in
                box(kind, Data(raw[try file.requiredBox(kind, in: container).body]))
            }
            let bytes = image.extents.reduce(into: Data()) { $0.append(contentsOf: raw[$1]) }
            return HEICBuilder.Item(kind: "av01", data: bytes, properties: properties)
        }
    }
}
