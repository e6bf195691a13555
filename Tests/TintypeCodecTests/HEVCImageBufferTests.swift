import Foundation
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// The memory that is charged for the images that an HEVC decoder keeps.
@Suite struct HEVCImageBufferTests {
    /// Each image has its planes and a byte of modes per pixel. There is one more than the stream keeps and reorders, and each
    /// reordered image is converted to 4 bytes per pixel.
    @Test(arguments: [
        (1, 0, 0, 8, 4), (1, 0, 1, 8, 5), (4, 0, 1, 8, 13), (5, 2, 3, 8, 40), (5, 2, 1, 10, 40), (16, 0, 1, 8, 43),
        (16, 16, 3, 16, 295), (1 << 32, 1 << 32, 3, 16, 295),
    ])
    func imagesThatAreKeptAreCharged(
        _ buffered: Int, _ reordered: Int, _ chroma: Int, _ depth: Int, _ bytesPerPixel: Int
    ) {
        let buffer = HEVCImageBuffer(
            bufferedCount: buffered, reorderedCount: reordered, chromaFormat: chroma, depth: depth)
        #expect(buffer.bytesPerPixel == bytesPerPixel)
    }

    @Test(
        arguments: [
            ("sequence.heics", 40, nil), ("sequence-alpha.heics", 40, 10), ("frames-420.heics", 13, nil),
        ] as [(String, Int, Int?)])
    func theNumberOfImagesIsReadFromTheParameterSet(_ file: String, _ color: Int, _ alpha: Int?) throws {
        let data = try FixtureManifest.named(file).data
        let sequence = try data.withUnsafeBytes { try HEIFSequence($0, DecodeLimits()) }
        #expect(sequence?.colorTrack.memory.bytesPerPixel == color)
        #expect(sequence?.alphaTrack?.memory.bytesPerPixel == alpha)
    }

    // MARK: Coded size

    private func memory(_ units: [Data], _ limits: DecodeLimits = DecodeLimits()) throws -> HEVCTrackMemory {
        let joined = units.reduce(Data(), +)
        return try joined.withUnsafeBytes { raw in
            var (ranges, start) = ([UnsafeRawBufferPointer](), 0)
            for unit in units {
                ranges.append(UnsafeRawBufferPointer(rebasing: raw[start..<start + unit.count]))
                start += unit.count
            }
            return try HEVCTrackMemory(ranges, size: PixelSize(width: 16, height: 8), limits)
        }
    }

    /// The images of the track may be smaller, because the stream crops them.
    @Test func theSizeInTheParameterSetIsChargedAndLimited() throws {
        let sets = [(100, 100), (1000, 800)].map { HEICCodedSizeTests.parameterSet(width: $0, height: $1) }
        let memory = try memory(sets)
        #expect(memory.pixels == 1000 * 800)
        #expect(memory.bytes == 1000 * 800 * Double(HEVCImageBuffer.largest.bytesPerPixel))
        let smallest = (1000 - 63) * (800 - 63)
        #expect(try self.memory(sets, DecodeLimits(pixels: smallest)).pixels == 1000 * 800)
        let error = #expect(throws: TintypeError.self) { try self.memory(sets, DecodeLimits(pixels: smallest - 1)) }
        #expect(error?.limit == .pixels)
    }

    @Test func aTrackWithoutParameterSetsIsChargedForWholeBlocks() throws {
        let memory = try memory([Data([34 << 1, 1])])
        #expect(memory.pixels == (16 + 63) * (8 + 63))
        #expect(memory.bytesPerPixel == HEVCImageBuffer.largest.bytesPerPixel)
    }

    /// Parameter sets among the images, which a decoder would use.
    @Test(arguments: [(1000, 800, true), (800, 1000, true), (1001, 800, false), (8192, 8192, false)])
    func aLaterParameterSetMustNotNeedMoreMemory(_ width: Int, _ height: Int, _ suffices: Bool) throws {
        let memory = try memory([HEICCodedSizeTests.parameterSet(width: 1000, height: 800)])
        let set = HEICCodedSizeTests.parameterSet(width: width, height: height)
        #expect(set.withUnsafeBytes { memory.suffices(for: $0) } == suffices)
    }

    /// libheif encodes at least 64 × 64 pixels, of which a small sequence shows a part.
    @Test func aSequenceIsChargedForItsCodedSize() throws {
        let animation = try SequenceSource.animation(PixelSize(width: 20, height: 10), count: 2)
        let data = try HEIFEncoder().encode(animation, as: .heic, options: EncodeOptions())
        let sequence = try data.withUnsafeBytes { try HEIFSequence($0, DecodeLimits()) }
        let track = try #require(sequence?.colorTrack)
        #expect(track.memory.pixels >= 64 * 64 && track.codedSize.area == 20 * 10)
        let charge = 16 * track.codedSize.area + track.memory.bytesPerPixel * track.memory.pixels
        var context = DecodeContext()
        context.limits.memoryBytes = charge
        _ = try HEIFDecoder().makeFrameDecoder(data, context: context)
        context.limits.memoryBytes = charge - 1
        let error = #expect(throws: TintypeError.self) {
            _ = try HEIFDecoder().makeFrameDecoder(data, context: context)
        }
        #expect(error?.limit == .memoryBytes)
    }

    /// A sequence that is shown in the reverse of its decoding order, so that all of its frames but one are early.
    @Test func noMoreEarlyFramesAreKeptThanAreCharged() throws {
        var data = try FixtureManifest.named("sequence.heics").data
        // The first sample becomes the only one that is decoded without others.
        let sync = try #require(data.firstRange(of: Data("stss".utf8))).upperBound
        data.setNumber(1, at: sync + 12)
        func error() -> TintypeError? {
            do throws(TintypeError) {
                _ = try HEIFDecoder().makeFrameDecoder(data, context: DecodeContext()).pixels(of: 0) { false }
                return nil
            } catch {
                return error
            }
        }
        #expect(error() == nil)
        let shifts = try #require(data.firstRange(of: Data("ctts".utf8))).upperBound
        for sample in 0..<7 { data.setNumber((6 - sample) * 2048, at: shifts + 12 + 8 * sample) }
        #expect(error()?.message == TintypeError.damagedSequence.message)
    }
}
