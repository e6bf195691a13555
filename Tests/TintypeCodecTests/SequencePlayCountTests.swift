import Foundation
import Testing
import Tintype
import TintypeTesting

/// The play counts of image sequences in ISO base media files.
@Suite struct SequencePlayCountTests {
    private func decode(_ data: Data) throws -> Image {
        try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext())
    }

    /// A sequence of 700 time units, whose edit list says whether it repeats, and whose track header gives its
    /// duration.
    private func heics(repeats: Bool, duration: UInt32) throws -> Data {
        var data = try FixtureManifest.named("frames-420.heics").data
        let edits = try #require(data.firstRange(of: Data("elst".utf8))).upperBound
        data[edits + 3] = repeats ? 1 : 0
        let header = try #require(data.firstRange(of: Data("tkhd".utf8))).upperBound
        data.replaceSubrange(header + 20..<header + 24, with: withUnsafeBytes(of: duration.bigEndian) { Data($0) })
        return data
    }

    @Test(
        arguments: [
            (true, 700, 1), (true, 2100, 3), (true, 1500, 3), (true, UInt32.max, 0), (false, 2100, 0), (true, 0, 1),
        ] as [(Bool, UInt32, Int)])
    func aHEICSequenceHasThePlayCountOfItsEditList(_ repeats: Bool, _ duration: UInt32, _ plays: Int) throws {
        let image = try decode(heics(repeats: repeats, duration: duration))
        #expect(image.info.loopCount == plays && image.animation?.loopCount == plays)
    }

    /// libavif 0.11 writes no edit list. One that is inserted is read as in a HEIC.
    @Test(arguments: [(true, 3), (false, 0)]) func anAVIFSequenceHasThePlayCountOfItsEditList(
        _ repeats: Bool, _ plays: Int
    ) throws {
        var data = try FixtureManifest.named("sequence.avif").data
        #expect(try decode(data).info.loopCount == 0)
        // The track header then declares 15 units of 1/10 s, of which the frames take 5.
        let header = try #require(data.firstRange(of: Data("tkhd".utf8))).upperBound
        data[header + 35] = 15
        var edits = Data([0, 0, 0, 36]) + Data("edts".utf8)
        edits += Data([0, 0, 0, 28]) + Data("elst".utf8)
        edits += Data([0, 0, 0, repeats ? 1 : 0, 0, 0, 0, 1])
        edits += Data([0, 0, 0, 5, 0, 0, 0, 0, 0, 1, 0, 0])
        try data.insert(edits, intoFirstTrackAt: header + 96)
        let image = try decode(data)
        #expect(image.info.loopCount == plays && image.animation?.loopCount == plays)
    }

    @Test func everyFlippedByteOfAnEditListIsACountOrAnError() throws {
        let data = try heics(repeats: true, duration: 2100)
        let edits = try #require(data.firstRange(of: Data("edts".utf8))).lowerBound - 4
        for index in edits..<edits + 36 {
            for bits in [0x55, 0xFF] as [UInt8] {
                var damaged = data
                damaged[index] ^= bits
                if let info = try? DecodeTests.coders.info(of: damaged) { #expect(info.loopCount >= 0) }
            }
        }
    }
}
