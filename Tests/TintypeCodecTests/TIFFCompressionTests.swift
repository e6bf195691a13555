import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTIFF

/// The compressions of TIFF that libtiff may decode.
@Suite struct TIFFCompressionTests {
    /// Returns a bilevel TIFF of 8 × 8 pixels, whose only strip has these bytes.
    private static func file(compression: Int, _ strip: [UInt8]) -> Data {
        let start = 8 + 2 + 10 * 12 + 4
        // Tag, type (3: two bytes, 4: four), value.
        let entries = [
            (256, 4, 8), (257, 4, 8), (258, 3, 1), (259, 3, compression), (262, 3, 0), (266, 3, 1), (273, 4, start),
            (277, 3, 1), (278, 4, 8), (279, 4, strip.count),
        ]
        var data = Data("II*\0".utf8) + number(8, 4) + number(entries.count, 2)
        for (tag, type, value) in entries { data += number(tag, 2) + number(type, 2) + number(1, 4) + number(value, 4) }
        return data + Data(count: 4) + Data(strip)
    }

    private static func number(_ number: Int, _ size: Int) -> Data {
        Data((0..<size).map { UInt8(truncatingIfNeeded: number >> (8 * $0)) })
    }

    /// Returns an empty bilevel image entity (ITU-T T.82, 6.2) that states this width, height and stripe.
    private static func jbig(side: UInt32) -> [UInt8] {
        let bytes = (0..<4).map { UInt8(truncatingIfNeeded: side >> (24 - 8 * $0)) }
        // One plane and no lower resolutions; then no options, and the end of a stripe.
        return [0, 0, 1, 0] + bytes + bytes + bytes + [0, 0, 0, 0, 0xFF, 0x02]
    }

    private static func check(_ data: Data, names compression: Int) {
        for decode in [{ _ = try TIFFDecoder().decode($0, context: DecodeContext()) }, readInfo] {
            let error = expectError(.undecodable) { try decode(data) }
            #expect(error?.message.contains("unsupported feature: compression \(compression)") == true)
        }
    }

    private static func readInfo(_ data: Data) throws {
        _ = try TIFFDecoder().info(of: data, isComplete: true)
    }

    /// The first ended the process, because libjbig aborts without memory. The second took 112 MB for 64 pixels.
    @Test(arguments: [0xFFFF_FFF0, 30_000] as [UInt32]) func jbigIsRefused(_ side: UInt32) {
        Self.check(Self.file(compression: 34661, Self.jbig(side: side)), names: 34661)
    }

    /// LERC, WebP, ThunderScan, PixarLog.
    @Test(arguments: [34887, 50001, 32809, 32909]) func otherCompressionsAreRefused(_ compression: Int) {
        Self.check(Self.file(compression: compression, [1, 2, 3, 4, 5, 6, 7, 8]), names: compression)
    }

    /// None, PackBits, and Group 4 with eight white rows.
    @Test(arguments: [(1, [UInt8](repeating: 0, count: 8)), (32773, [0xF9, 0]), (4, [0xFF, 0, 0x10, 0x01])])
    func boundedCompressionsAreDecoded(_ compression: Int, _ strip: [UInt8]) throws {
        let image = try TIFFDecoder().decode(
            Self.file(compression: compression, strip), context: DecodeContext())
        #expect(image.size == PixelSize(width: 8, height: 8))
    }
}
