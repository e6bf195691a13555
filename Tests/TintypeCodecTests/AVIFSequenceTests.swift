import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeAVIF

/// The durations of an AVIF sequence, and jumps between its frames.
@Suite struct AVIFSequenceTests {
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

    @Test func aJumpToALaterFrameIsCancelledBetweenFrames() throws {
        let decoder = try AVIFFrameDecoder(try sequence(), DecodeLimits())
        _ = try decoder.pixels(of: 0) { false }
        let checks = Locked(0)
        expectError(.cancelled) {
            _ = try decoder.pixels(of: decoder.frames.count - 1) {
                checks.withLock { count in
                    count += 1
                    return count == 3
                }
            }
        }
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

    /// A movie of one track with a second of 1000 units.
    ///
    /// - Parameter identifier: The number of the track; `nil` for a track without header.
    private static func movie(identifier: Int? = 1, durations: [(count: Int, ticks: Int)]) -> Data {
        let tables = [
            box("stsd", long(0) + long(1) + box("av01", Data())),
            list("stts", [durations.count] + durations.flatMap { [$0.count, $0.ticks] }),
        ]
        let information = box("minf", box("stbl", tables.reduce(Data(), +)))
        let media = box("mdia", list("mdhd", [0, 0, 1000, 0, 0]) + information)
        let header = identifier.map { list("tkhd", [0, 0, $0] + Array(repeating: 0, count: 17)) } ?? Data()
        return box("ftyp", Data("avis\0\0\0\0avisavif".utf8)) + box("moov", box("trak", header + media))
    }

    @Test func theLastRunOfDurationsIncludesAllFurtherFrames() throws {
        let data = Self.movie(durations: [(2, 100), (1, 50)])
        let durations = try data.withUnsafeBytes { raw in
            try #require(try AVIFTrack(raw)).durations(raw, count: 5)
        }
        #expect(durations == [0.1, 0.1, 0.05, 0.05, 0.05])
    }

    @Test(arguments: [(1, true), (0, false), (nil, false)]) func tracksThatLibavifSkipsAreNotShown(
        _ identifier: Int?, _ isShown: Bool
    ) throws {
        let data = Self.movie(identifier: identifier, durations: [(5, 1)])
        #expect(try data.withUnsafeBytes { try AVIFTrack($0) != nil } == isShown)
    }
}
