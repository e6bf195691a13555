import Foundation
import Testing
import Tintype
import TintypeTesting

/// How often image sequences of ISO base media files are played.
@Suite struct SequenceRepetitionTests {
    private func decode(_ data: Data) throws -> Image {
        try DecodeTests.coders.decoder(for: data).decode(data, context: DecodeContext())
    }

    /// A sequence of 700 units, whose list of edits says whether it begins again, and whose track says how long it is.
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
    func aHEICSIsPlayedAsOftenAsItSays(_ repeats: Bool, _ duration: UInt32, _ plays: Int) throws {
        let image = try decode(heics(repeats: repeats, duration: duration))
        #expect(image.info.loopCount == plays && image.animation?.loopCount == plays)
    }

    /// libavif 0.11 writes no list of edits; put in, it is read as that of a HEIC is.
    @Test(arguments: [(true, 3), (false, 0)]) func anAVIFIsPlayedAsOftenAsItSays(_ repeats: Bool, _ plays: Int) throws {
        var data = try FixtureManifest.named("sequence.avif").data
        #expect(try decode(data).info.loopCount == 0)
        // The track's header says 15 units of 10 a second, of which the frames take 5.
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

    @Test func everyFlippedByteOfAListOfEditsIsACountOrAnError() throws {
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
