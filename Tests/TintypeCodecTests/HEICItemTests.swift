import Foundation
import TestSupport
import Testing
import Tintype
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// The items of still HEIC files, and images that are composed or cropped.
@Suite struct HEICItemTests {
    private let decoder = HEIFDecoder()

    private func decode(_ items: [HEICBuilder.Item], _ references: [(String, Int, [Int])] = []) throws -> PixelBuffer {
        let file = HEICBuilder(items: items, references: references).file
        return try decoder.decode(file, context: DecodeContext()).pixels
    }

    // MARK: Images

    @Test func aCroppedImageIsShown() throws {
        let shown = PixelSize(width: 64, height: 32)
        var image = try HEICBuilder.grey(99, PixelSize(width: 256, height: 128))
        image.properties.append(HEICBuilder.cleanAperture(shown))
        let pixels = try decode([image])
        #expect(pixels.size == shown && abs(Int(pixels[9, 9].green) - 99) < 4)
    }

    /// A grid of four tiles, 512 × 256 pixels, of which a part is shown.
    @Test func aCroppedGridIsShown() throws {
        let shown = PixelSize(width: 64, height: 32)
        let grid = HEICBuilder.Item(
            kind: "grid", data: Data([0, 0, 1, 1, 2, 0, 1, 0]),
            properties: [
                HEICBuilder.size(PixelSize(width: 512, height: 256)), HEICBuilder.cleanAperture(shown),
            ])
        let tile = try HEICBuilder.grey(99, PixelSize(width: 256, height: 128))
        let pixels = try decode([grid, tile], [("dimg", 1, [2, 2, 2, 2])])
        #expect(pixels.size == shown && abs(Int(pixels[9, 9].green) - 99) < 4)
    }

    @Test func aCodedSizeThatDiffersFromTheDeclaredOneIsRefused() throws {
        var image = try HEICBuilder.grey(99, PixelSize(width: 256, height: 128))
        image.properties[1] = HEICBuilder.size(PixelSize(width: 16, height: 16))
        expectError(.undecodable) { try decode([image]) }
    }

    @Test func everyFlippedByteOfTheBoxesIsAcceptedOrRefused() throws {
        let data = try FixtureManifest.named("alpha.heic").data
        let pixels = try #require(data.firstRange(of: Data("mdat".utf8))).upperBound
        for index in 0..<pixels {
            for bits in [0x01, 0x55, 0xFF] as [UInt8] {
                var damaged = data
                damaged[index] ^= bits
                damaged.withUnsafeBytes { raw in
                    do throws(TintypeError) {
                        _ = try HEIFAdaptedCopy.ifNeeded(raw, showing: 2)
                        _ = try Orientation(primaryItemOf: raw)
                    } catch {
                        #expect(error.code == .undecodable)
                    }
                }
            }
        }
    }

    // MARK: Locations

    private func locations(_ body: [UInt8]) throws -> [(identifier: Int, extents: [Range<Int>])] {
        try body.withUnsafeBytes { raw in
            var locations = ISOItemLocations(ISOFile(bytes: raw), 0..<raw.count, data: nil)
            return try locations.read()
        }
    }

    @Test(arguments: [0x0, 0x4, 0x8]) func locationsWithStandardFieldSizesAreRead(_ size: UInt8) throws {
        let number = [UInt8](repeating: 0, count: Int(size))
        // An offset, a length of 2 and a base.
        let body = [0, 0, 0, 0, size << 4 | 4, size << 4, 0, 1, 0, 7, 0, 0] + number + [0, 1] + number + [0, 0, 0, 2]
        let read = try locations(body)
        #expect(read.count == 1 && read.first?.identifier == 7 && read.first?.extents == [0..<2])
    }

    /// libheif reads no bytes for such fields, so it would see other items.
    @Test(arguments: [0x1, 0x2, 0x3, 0x5, 0x6, 0x7, 0x9, 0xC, 0xE, 0xF] as [UInt8])
    func locationsWithOtherFieldSizesAreRefused(_ size: UInt8) throws {
        for sizes in [(size << 4, 0), (size, 0), (0, size << 4)] as [(UInt8, UInt8)] {
            for filler in [0x00, 0x80, 0xFF] as [UInt8] {
                let body = [0, 0, 0, 0, sizes.0, sizes.1, 0, 1, 0, 7, 0, 0] + [UInt8](repeating: filler, count: 64)
                expectError(.undecodable) { try locations(body) }
            }
        }
        expectError(.undecodable) { try locations([1, 0, 0, 0, 0x44, size, 0, 0]) }
    }

    /// Extents whose fields have no bytes take no room in the file.
    @Test func extentsWithoutBytesAreBounded() throws {
        var body: [UInt8] = [0, 0, 0, 0, 0, 0, 0, 2]
        for _ in 0..<2 { body += [0, 1, 0, 0, 0xFF, 0xFF] }
        let error = expectError(.undecodable) { try locations(body) }
        #expect(error?.message == TintypeError.suspectStructure.message)
    }

    @Test func twoItemsWithTheSameNumberAreRefused() throws {
        func items(_ numbers: [UInt8]) throws -> [ISOItems.Item] {
            let names = numbers.map { Self.box("infe", Data([2, 0, 0, 0, 0, $0, 0, 0] + "hvc1\0".utf8)) }
            let named = Self.box("iinf", Data([0, 0, 0, 0, 0, 2]) + names.joined())
            let data = named + Self.box("iloc", Data([0, 0, 0, 0, 0x44, 0, 0, 0]))
            return try data.withUnsafeBytes { try ISOItems(ISOFile(bytes: $0), 0..<data.count).all }
        }
        #expect(try items([1, 2]).isEmpty)
        expectError(.undecodable) { try items([1, 1]) }
    }

    private static func box(_ kind: String, _ body: Data) -> Data {
        PNGBuilder.bigEndian(UInt32(body.count + 8)) + Data(kind.utf8) + body
    }
}
