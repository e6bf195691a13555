import Foundation
import Testing
import Tintype
import TintypeCore
import TintypeTesting

@testable import TintypeHEIF

/// Still HEIC files whose coded images are larger than declared: libheif would allocate for the coded size.
@Suite struct HEICCodedSizeTests {
    private let decoder = HEIFDecoder()

    /// An image of 1.2 megapixels that is declared as 16 × 16.
    private func understated() throws -> Data {
        let image = try PixelBuffer.filled(Pixel(red: 9, green: 8, blue: 7), size: PixelSize(width: 1200, height: 1000))
        var data = try HEIFEncoder().encode(image, as: .heic, options: EncodeOptions(quality: 0.3))
        for offset in data.ranges(of: Data("ispe".utf8)).map(\.upperBound) {
            data.setNumber(16, at: offset + 4)
            data.setNumber(16, at: offset + 8)
        }
        return data
    }

    private func error(_ data: Data, _ limits: DecodeLimits) -> TintypeError? {
        #expect(throws: TintypeError.self) { try decoder.decode(data, context: DecodeContext(limits: limits)) }
    }

    @Test func aCodedSizeAboveTheLimitsIsRefusedBeforeDecoding() throws {
        let data = try understated()
        let wasAsked = Shared(false)
        let context = DecodeContext(limits: DecodeLimits(pixels: 500_000)) {
            wasAsked.withLock { $0 = true }
            return false
        }
        let error = #expect(throws: TintypeError.self) { try decoder.decode(data, context: context) }
        #expect(error?.limit == .pixels && !wasAsked.now)
        #expect(self.error(data, DecodeLimits(side: 1000))?.limit == .side)
    }

    @Test func aCodedSizeThatDiffersFromTheDeclaredOneIsRefused() throws {
        #expect(try error(understated(), DecodeLimits())?.code == .undecodable)
    }

    /// A parameter set may also be among the units of an image, where no writer puts it.
    @Test func aParameterSetAmongTheUnitsOfAnImageIsChecked() throws {
        var data = try FixtureManifest.named("lossy.heic").data
        let set = Self.parameterSet(width: 30_000, height: 20_000)
        let start = try #require(data.firstRange(of: Data("mdat".utf8))).upperBound
        let length = data.number(at: start)
        data.replaceSubrange(start + 4..<start + 4 + set.count, with: set)
        data.setNumber(set.count, at: start)
        data.setNumber(length - set.count - 4, at: start + 4 + set.count)
        #expect(error(data, DecodeLimits())?.limit == .pixels)
    }

    // MARK: Memory

    /// Expects that a file is charged for exactly this number of pixels.
    private func expectCharge(_ data: Data, pixels: Int) {
        for (bytes, isExceeded) in [(16 * pixels, false), (16 * pixels - 1, true)] {
            var context = DecodeContext()
            context.limits.memoryBytes = bytes
            var limit: DecodeLimit?
            do throws(TintypeError) {
                _ = try decoder.decode(data, context: context)
            } catch {
                limit = error.limit
            }
            #expect((limit == .memoryBytes) == isExceeded, "\(String(describing: limit))")
        }
    }

    @Test func theCodedSizeIsCharged() throws {
        try expectCharge(understated(), pixels: 1200 * 1000)
    }

    @Test func aCroppedImageIsChargedInWhole() throws {
        let shown = PixelSize(width: 64, height: 32)
        var image = try HEICBuilder.grey(99, PixelSize(width: 256, height: 128))
        image.properties.append(HEICBuilder.cleanAperture(shown))
        let data = HEICBuilder(items: [image]).file
        #expect(try decoder.decode(data, context: DecodeContext()).size == shown)
        expectCharge(data, pixels: 256 * 128)
    }

    /// A grid of four tiles, 512 × 256 pixels, of which a part is shown.
    @Test func aCroppedGridIsChargedInWhole() throws {
        let grid = HEICBuilder.Item(
            kind: "grid", data: Data([0, 0, 1, 1, 2, 0, 1, 0]),
            properties: [
                HEICBuilder.size(PixelSize(width: 512, height: 256)),
                HEICBuilder.cleanAperture(PixelSize(width: 64, height: 32)),
            ])
        let tile = try HEICBuilder.grey(99, PixelSize(width: 256, height: 128))
        let data = HEICBuilder(items: [grid, tile], references: [("dimg", 1, [2, 2, 2, 2])]).file
        expectCharge(data, pixels: 512 * 256)
    }

    /// A decoder would keep the images of all access units.
    @Test func anItemWithSeveralCodedImagesIsRefused() throws {
        var image = try HEICBuilder.grey(99, PixelSize(width: 64, height: 64))
        _ = try decoder.decode(HEICBuilder(items: [image]).file, context: DecodeContext())
        image.data += image.data
        #expect(
            error(HEICBuilder(items: [image]).file, DecodeLimits())?.message == TintypeError.suspectStructure.message)
    }

    @Test func theSizesOfCanvasesAreRead() throws {
        // 0x01020304 × 5 and 7 × 9 pixels; the last two are truncated.
        let wide = Data([0, 1, 0, 0, 1, 2, 3, 4, 0, 0, 0, 5])
        let overlay = Data([0, 0]) + Data(repeating: 9, count: 8) + Data([0, 7, 0, 9])
        let items = [("grid", wide), ("iovl", overlay), ("grid", wide.dropLast()), ("iovl", overlay.prefix(9))]
        let file = HEICBuilder(items: items.map { HEICBuilder.Item(kind: $0.0, data: Data($0.1)) }).file
        let pixels = try file.withUnsafeBytes { raw in
            let file = ISOFile(bytes: raw)
            return try ISOItems(file, file.itemMetaBox()).canvasPixels(file)
        }
        #expect(pixels == [1: 0x0102_0304 * 5, 2: 63])
    }

    // MARK: Item locations

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

    /// libheif reads no bytes for such fields, so it would see other items than the check does.
    @Test(arguments: [0x1, 0x2, 0x3, 0x5, 0x6, 0x7, 0x9, 0xC, 0xE, 0xF] as [UInt8])
    func locationsWithOtherFieldSizesAreRefused(_ size: UInt8) throws {
        for sizes in [(size << 4, 0), (size, 0), (0, size << 4)] as [(UInt8, UInt8)] {
            for filler in [0x00, 0x80, 0xFF] as [UInt8] {
                let body = [0, 0, 0, 0, sizes.0, sizes.1, 0, 1, 0, 7, 0, 0] + [UInt8](repeating: filler, count: 64)
                #expect(throws: TintypeError.self) { try locations(body) }
            }
        }
        #expect(throws: TintypeError.self) { try locations([1, 0, 0, 0, 0x44, size, 0, 0]) }
    }

    @Test func twoItemsWithTheSameNumberAreRefused() throws {
        func items(_ numbers: [UInt8]) throws -> [ISOItems.Item] {
            let names = numbers.map { Self.box("infe", Data([2, 0, 0, 0, 0, $0, 0, 0] + "hvc1\0".utf8)) }
            let named = Self.box("iinf", Data([0, 0, 0, 0, 0, 2]) + names.joined())
            let data = named + Self.box("iloc", Data([0, 0, 0, 0, 0x44, 0, 0, 0]))
            return try data.withUnsafeBytes { try ISOItems(ISOFile(bytes: $0), 0..<data.count).all }
        }
        #expect(try items([1, 2]).isEmpty)
        #expect(throws: TintypeError.self) { try items([1, 1]) }
    }

    @Test func theCodedSizeIsReadFromAParameterSet() throws {
        let set = Self.parameterSet(width: 30_000, height: 20_000)
        let read = set.withUnsafeBytes { HEVCSequenceParameterSet($0) }
        #expect(read?.size == PixelSize(width: 30_000, height: 20_000))
        for count in 0..<set.count { _ = set.prefix(count).withUnsafeBytes { HEVCSequenceParameterSet($0) } }
        #expect(set.prefix(15).withUnsafeBytes { HEVCSequenceParameterSet($0) } == nil)
        let other = Data([34 << 1]) + set.dropFirst()
        #expect(other.withUnsafeBytes { HEVCSequenceParameterSet($0) } == nil)
    }

    @Test(arguments: FixtureManifest.all.filter { $0.valid && $0.format == "heic" && $0.frameCount == 1 })
    func validImagesPassWithLimitsOfTheirOwnSize(_ fixture: FixtureManifest.Fixture) throws {
        let pixels = (fixture.width ?? 0) * (fixture.height ?? 0)
        let data = try fixture.data
        _ = try data.withUnsafeBytes { try HEIFCodedImages.check($0, limits: DecodeLimits(pixels: pixels)) }
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
                        try HEIFCodedImages.check(raw, limits: DecodeLimits())
                    } catch {
                        #expect([.limitExceeded, .undecodable].contains(error.code))
                    }
                }
            }
        }
    }

    /// Images whose bytes overlap: the units of each would be read again.
    @Test func unitsThatAreReadAreBounded() throws {
        let (count, length) = (9000, 400)
        var kinds = PNGBuilder.bigEndian(0) + Data([UInt8(count >> 8), UInt8(count & 255)])
        var locations = PNGBuilder.bigEndian(0) + Data([0x44, 0, UInt8(count >> 8), UInt8(count & 255)])
        for item in 0..<count {
            let number = Data([UInt8(item >> 8), UInt8(item & 255)])
            kinds += Self.box("infe", Data([2, 0, 0, 0]) + number + Data([0, 0]) + Data("hvc1\0".utf8))
            locations += number + Data([0, 0, 0, 1]) + PNGBuilder.bigEndian(8) + PNGBuilder.bigEndian(UInt32(length))
        }
        let head = Self.box("free", Data(count: length))
        let data =
            head + Self.box("meta", PNGBuilder.bigEndian(0) + Self.box("iinf", kinds) + Self.box("iloc", locations))
        let error = #expect(throws: TintypeError.self) {
            try data.withUnsafeBytes { try HEIFCodedImages.check($0, limits: DecodeLimits()) }
        }
        #expect(error?.message == TintypeError.suspectStructure.message)
    }

    /// A unit may begin in one extent of an image and end in another.
    @Test func extentsOfAnImageAreJoined() throws {
        let set = Self.parameterSet(width: 30_000, height: 20_000)
        let units = PNGBuilder.bigEndian(100) + Data(count: 100) + PNGBuilder.bigEndian(UInt32(set.count)) + set
        let kind = Self.box("infe", Data([2, 0, 0, 0, 0, 1, 0, 0]) + Data("hvc1\0".utf8))
        let kinds = Self.box("iinf", PNGBuilder.bigEndian(0) + Data([0, 1]) + kind)
        let extents = [8, 50, 58, UInt32(units.count - 50)].map(PNGBuilder.bigEndian).reduce(Data(), +)
        let locations = PNGBuilder.bigEndian(0) + Data([0x44, 0, 0, 1, 0, 1, 0, 0, 0, 2]) + extents
        let meta = Self.box("meta", PNGBuilder.bigEndian(0) + kinds + Self.box("iloc", locations))
        let data = Self.box("mdat", units) + meta
        let error = #expect(throws: TintypeError.self) {
            try data.withUnsafeBytes { try HEIFCodedImages.check($0, limits: DecodeLimits()) }
        }
        #expect(error?.limit == .pixels)
    }

    /// Extents whose fields have no bytes take no room in the file.
    @Test func extentsWithoutBytesAreBounded() throws {
        let count = 60_000
        var locations = PNGBuilder.bigEndian(0) + Data([0, 0, UInt8(count >> 8), UInt8(count & 255)])
        for _ in 0..<count { locations += Data([0, 1, 0, 0, 0xFF, 0xFF]) }
        let kinds = Self.box("iinf", Data(count: 6))
        let data = Self.box("meta", PNGBuilder.bigEndian(0) + kinds + Self.box("iloc", locations))
        let error = #expect(throws: TintypeError.self) {
            try data.withUnsafeBytes { try HEIFCodedImages.check($0, limits: DecodeLimits()) }
        }
        #expect(error?.message == TintypeError.suspectStructure.message)
    }

    // MARK: Fixtures

    private static func box(_ kind: String, _ body: Data) -> Data {
        PNGBuilder.bigEndian(UInt32(body.count + 8)) + Data(kind.utf8) + body
    }

    /// A sequence parameter set up to the size (ITU-T H.265, 7.3.2.2), of one layer, in 4:2:0.
    static func parameterSet(width: Int, height: Int) -> Data {
        var bits = String(repeating: "0", count: 4 + 3 + 1)
        // Ones, so that no emulation prevention byte is needed.
        bits += String(repeating: "1", count: 96)
        for number in [0, 1, width, height] {
            let code = String(number + 1, radix: 2)
            bits += String(repeating: "0", count: code.count - 1) + code
        }
        bits += String(repeating: "1", count: 8 - bits.count % 8)
        let bytes = stride(from: 0, to: bits.count, by: 8).compactMap { UInt8(bits.dropFirst($0).prefix(8), radix: 2) }
        return Data([33 << 1, 1]) + Data(bytes)
    }
}
