import Foundation
import TestSupport
import Testing
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// Parameter sets that are changed for the tracks of HEIC sequences.
@Suite struct HEVCUnitTests {
    private static func bytes(_ text: String) -> [UInt8] {
        text.split(separator: " ").map { UInt8($0, radix: 16) ?? 0 }
    }

    /// The sequence parameter set of an image of 64 × 64 pixels, 4:2:0, of the profile Main Still Picture, by x265.
    private static let still = bytes(
        "42 01 01 03 70 00 00 03 00 90 00 00 03 00 00 03 00 1e a0 20 81 05 96 ea ae 9a e6 e0 40 40 c0 80 00 00 03 00 80 00 00 "
            + "03 00 84 22")

    @Test func theProfileAllowsSeveralImages() throws {
        var unit = HEVCUnit(Self.still)
        try unit.allowSeveralImages()
        // Main, and compatible with Main and Main 10.
        let expected = Self.bytes("42 01 01 01 60") + Self.still.dropFirst(5)
        #expect(unit.stored == expected)
        // Range extensions: one bit of 48.
        var head = Self.bytes("04 08 00 00 00 9f f8 00 00 00 00 1e")
        HEVCUnit.allowSeveralImages(in: &head, at: 0)
        #expect(head == Self.bytes("04 08 00 00 00 9f e8 00 00 00 00 1e"))
    }

    @Test func theWindowIsInsertedAndWidened() throws {
        var unit = HEVCUnit(Self.still)
        try unit.crop(by: PixelSize(width: 40, height: 46))
        let cropped = unit.stored
        // After the sizes: flag 1, 0, 20, 0, 23 in Exp-Golomb codes; the rest moves by as many bits.
        let window = "11000010101" + "1000011000"
        func bits(_ bytes: [UInt8]) -> Substring {
            Substring(HEVCBitReader(bytes).bytes.map { String(0x100 | Int($0), radix: 2).dropFirst() }.joined())
        }
        let (before, after) = (bits(Self.still), bits(cropped))
        let flag = 8 * 15 + 4 + 13 + 13
        // Without the zeros that fill the last byte.
        func body(_ text: Substring) -> Substring { text.prefix(through: text.lastIndex(of: "1") ?? text.startIndex) }
        #expect(after.prefix(flag) == before.prefix(flag))
        #expect(after.dropFirst(flag).hasPrefix(window))
        #expect(body(after.dropFirst(flag + window.count)) == body(before.dropFirst(flag + 1)))
        // A second time, the window exists.
        try unit.crop(by: PixelSize(width: 2, height: 0))
        #expect(bits(unit.stored).dropFirst(flag).hasPrefix("11000010110" + "1000011000"))
    }

    /// Half a sample of chroma cannot be removed.
    @Test(arguments: [(1, 0), (0, 3), (-2, 0)]) func otherCropsAreRefused(_ width: Int, _ height: Int) {
        expectError(.encodeFailed) {
            var unit = HEVCUnit(Self.still)
            try unit.crop(by: PixelSize(width: width, height: height))
        }
    }

    /// A set is changed if it is whole up to the window.
    @Test func truncatedSetsAreErrorsOrKeepTheirSize() {
        for count in 1..<Self.still.count {
            var unit = HEVCUnit(Array(Self.still.prefix(count)))
            do throws(TintypeError) {
                try unit.allowSeveralImages()
                try unit.crop(by: PixelSize(width: 2, height: 2))
                let size = unit.stored.withUnsafeBytes { HEVCSequenceParameterSet($0)?.size }
                #expect(size == PixelSize(width: 64, height: 64), "\(count)")
            } catch {
                #expect(error.code == .encodeFailed)
            }
        }
    }

    /// No start code, and nothing that is removed again, appears in a stored unit.
    @Test func anyBytesAreStoredWithoutStartCodes() {
        var random = SeededRandom.printed("anyBytesAreStoredWithoutStartCodes")
        for _ in 0..<2000 {
            var plain: [UInt8] = [0x44, 1]
            for _ in 0..<Int.random(in: 1...12, using: &random) { plain.append(.random(in: 0...4, using: &random)) }
            // Escaped bit by bit, as the standard says.
            var escaped: [UInt8] = []
            for byte in plain {
                if byte <= 3 && escaped.suffix(2) == [0, 0] { escaped.append(3) }
                escaped.append(byte)
            }
            let unit = HEVCUnit(escaped)
            #expect(unit.stored == escaped && unit.type == 34)
        }
    }
}
