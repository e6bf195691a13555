import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeJPEG

/// JPEGs with a gain map as a second image.
@Suite struct GainMapTests {
    private static let size = PixelSize(width: 64, height: 32)

    private static func grey(_ level: (Int) -> UInt8, _ size: PixelSize) throws -> Data {
        let pixels = try PixelBuffer.drawn(size) { x, _ in
            let level = level(x)
            return Pixel(red: level, green: level, blue: level)
        }
        return try JPEGEncoder().encode(pixels, as: .jpeg, options: EncodeOptions())
    }

    private static func segment(_ marker: UInt8, _ body: Data) -> Data {
        var data = Data([0xFF, marker])
        data.append(bigEndian: body.count + 2, 2)
        return data + body
    }

    private static func inserting(_ segments: Data, into jpeg: Data) -> Data {
        jpeg.prefix(2) + segments + jpeg.dropFirst(2)
    }

    /// An index of two images, of which the second begins after the first.
    private static func index(second: Int, at offset: Int) -> Data {
        var data = Data("MPF\0MM\0*\0\0\0\u{8}".utf8)
        data.append(bigEndian: 1, 2)
        data.append(bigEndian: 0xB002, 2)
        data.append(bigEndian: 7, 2)
        for number in [32, 26, 0] { data.append(bigEndian: number, 4) }
        for number in [0x30000, 0, 0, 0, 0, second, offset, 0] { data.append(bigEndian: number, 4) }
        return data
    }

    private static func xmp(_ properties: String) -> Data {
        Data("http://ns.adobe.com/xap/1.0/\0".utf8)
            + Data(
                """
                <rdf:RDF><rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \(properties)/></rdf:RDF>
                """.utf8)
    }

    /// Binary parameters of one channel: no headroom in the image, 2² in its bright rendition, no offsets.
    private static let binary: Data = {
        var data = Data("urn:iso:std:iso:ts:21496:-1\0".utf8) + Data([0, 0, 0, 0, 0])
        for number in [0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 0, 1, 0, 1] { data.append(bigEndian: number, 4) }
        return data
    }()

    /// Returns a grey image with a map of half its size.
    private static func file(
        _ parameters: Data, marker: UInt8 = 0xE1, exif: Data = Data(), gain: @escaping (Int) -> UInt8
    ) throws -> Data {
        let half = PixelSize(width: size.width / 2, height: size.height / 2)
        let map = inserting(segment(marker, parameters), into: try grey(gain, half))
        let base = inserting(exif, into: try grey({ _ in 188 }, size))
        // The index is the first segment; its offsets begin eight bytes after its marker.
        let length = segment(0xE2, index(second: 0, at: 0)).count
        let offset = base.count + length - 2 - 8
        return inserting(segment(0xE2, index(second: map.count, at: offset)), into: base) + map
    }

    private func decode(_ data: Data, _ change: (inout DecodeOptions) -> Void = { _ in }) throws -> Image {
        var options = DecodeOptions(range: .high)
        change(&options)
        return try JPEGDecoder().decode(data, context: DecodeContext(options: options))
    }

    /// The light of the code 188 in sRGB.
    private static let light: Float = 0.5028864

    private func expectLight(_ image: Image, _ expected: Float, x: Int = 20, y: Int = 10) throws {
        let pixel = try #require(image.highRange)[x, y]
        for channel in 0..<3 { #expect(abs(pixel[channel] - expected) < expected * 0.03, "\(pixel)") }
        #expect(pixel.w == 1)
    }

    // MARK: Tests

    @Test func aGainMapBrightensTheHighRange() throws {
        let parameters = Self.xmp("hdrgm:GainMapMin='0' hdrgm:GainMapMax='2' hdrgm:OffsetSDR='0' hdrgm:OffsetHDR='0'")
        for (gain, factor) in [(0, 1), (255, 4), (128, 2.007)] as [(UInt8, Float)] {
            try expectLight(try decode(Self.file(parameters) { _ in gain }), Self.light * factor)
        }
    }

    @Test func binaryParametersAreRead() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        try expectLight(try decode(data), Self.light * 4)
    }

    @Test func offsetsAndGammaAreApplied() throws {
        let parameters = Self.xmp(
            "hdrgm:GainMapMax='2' hdrgm:Gamma='0.5' hdrgm:OffsetSDR='0.25' hdrgm:OffsetHDR='0.125'")
        // (128/255)² of two stops.
        let expected = (Self.light + 0.25) * exp2(2 * 0.25196) - 0.125
        try expectLight(try decode(Self.file(parameters) { _ in 128 }), expected)
    }

    @Test func theOrdinaryRenditionIsUnchanged() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        let plain = try decode(data) { $0.range = .standard }
        #expect(plain.highRange == nil && plain.size == Self.size)
        #expect(PixelDifference(between: plain.pixels, and: try decode(data).pixels)?.maximum == 0)
    }

    /// The map has half the size of the image. Its right half is bright.
    @Test func aGainMapFollowsSizeCropAndOrientation() throws {
        let half: (Int) -> UInt8 = { $0 < 16 ? 0 : 255 }
        let small = try decode(Self.file(Self.binary, marker: 0xE2, gain: half)) {
            $0.size = .fit(PixelSize(width: 16, height: 16))
        }
        #expect(small.highRange?.size == PixelSize(width: 16, height: 8))
        try expectLight(small, Self.light, x: 3, y: 4)
        try expectLight(small, Self.light * 4, x: 12, y: 4)
        let part = try decode(Self.file(Self.binary, marker: 0xE2, gain: half)) {
            $0.crop = PixelRect(x: 40, y: 0, size: PixelSize(width: 20, height: 20))
        }
        try expectLight(part, Self.light * 4, x: 0, y: 0)
        // Turned clockwise: the right half is below.
        let exif = Data("Exif\0\0MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{6}\0\0\0\0\0\0".utf8)
        let turned = try decode(Self.file(Self.binary, marker: 0xE2, exif: Self.segment(0xE1, exif), gain: half))
        #expect(turned.size == PixelSize(width: 32, height: 64))
        try expectLight(turned, Self.light, x: 10, y: 10)
        try expectLight(turned, Self.light * 4, x: 10, y: 60)
    }

    /// The image itself is whole, so a map that is not only costs the high range.
    @Test func aDamagedMapIsIgnored() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        let start = try #require(data.range(of: Data("21496".utf8))).lowerBound
        for count in stride(from: start, to: data.count, by: 97) {
            #expect(try decode(data.prefix(count)).highRange == nil)
        }
        for parameters in [
            "hdrgm:GainMapMax='nan'", "hdrgm:GainMapMax='99'", "hdrgm:Gamma='1'",
            "hdrgm:GainMapMax='1' hdrgm:Gamma='0'",
            "hdrgm:GainMapMax='1' hdrgm:BaseRenditionIsHDR='True'",
        ] {
            #expect(try decode(Self.file(Self.xmp(parameters)) { _ in 9 }).highRange == nil)
        }
    }

    @Test func aMapIsWithinTheLimits() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        var limits = DecodeLimits()
        limits.memoryBytes = Self.size.area * 10
        let context = DecodeContext(options: DecodeOptions(range: .high), limits: limits)
        let error = #expect(throws: TintypeError.self) { try JPEGDecoder().decode(data, context: context) }
        #expect(error?.limit == .memoryBytes)
    }
}
