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

    /// An index of an image and others, each with its size and its offset.
    private static func index(_ others: [(size: Int, offset: Int)]) -> Data {
        var data = Data("MPF\0MM\0*\0\0\0\u{8}".utf8)
        data.append(bigEndian: 1, 2)
        data.append(bigEndian: 0xB002, 2)
        data.append(bigEndian: 7, 2)
        for number in [16 * (others.count + 1), 26, 0] { data.append(bigEndian: number, 4) }
        for number in [0x30000, 0, 0, 0] { data.append(bigEndian: number, 4) }
        for image in others { for number in [0, image.size, image.offset, 0] { data.append(bigEndian: number, 4) } }
        return data
    }

    /// Returns a file of an image and others behind it.
    private static func file(_ base: Data, _ others: [Data]) -> Data {
        // The index is the first segment; its offsets begin eight bytes after its marker.
        let length = segment(0xE2, index(others.map { ($0.count, 0) })).count
        var (entries, offset) = ([(size: Int, offset: Int)](), base.count + length - 2 - 8)
        for image in others {
            entries.append((image.count, offset))
            offset += image.count
        }
        return others.reduce(inserting(segment(0xE2, index(entries)), into: base)) { $0 + $1 }
    }

    private static func xmp(_ properties: String, elements: String = "") -> Data {
        Data("http://ns.adobe.com/xap/1.0/\0".utf8)
            + Data(
                """
                <rdf:RDF><rdf:Description xmlns:hdrgm="http://ns.adobe.com/hdr-gain-map/1.0/" \(properties)>
                \(elements)</rdf:Description></rdf:RDF>
                """.utf8)
    }

    /// Returns binary parameters (ISO 21496-1, C.2): the headrooms, and then five fractions for each channel.
    private static func binary(flags: UInt8, _ numbers: [Int]) -> Data {
        var data = Data("urn:iso:std:iso:ts:21496:-1\0".utf8) + Data([0, 0, 0, 0, flags])
        for number in numbers { data.append(bigEndian: number, 4) }
        return data
    }

    /// Binary parameters of one channel: no headroom in the image, 2² in its bright rendition, no offsets.
    private static let binary = binary(flags: 0, [0, 1, 2, 1, 0, 1, 2, 1, 1, 1, 0, 1, 0, 1])

    private static let half = PixelSize(width: size.width / 2, height: size.height / 2)

    private static func map(
        _ parameters: Data, marker: UInt8 = 0xE1, size: PixelSize = half, gain: (Int) -> UInt8 = { _ in 255 }
    ) throws -> Data {
        inserting(segment(marker, parameters), into: try grey(gain, size))
    }

    /// Returns a grey image with a map, of half its size unless it is stated.
    private static func file(
        _ parameters: Data, marker: UInt8 = 0xE1, exif: Data = Data(), mapSize: PixelSize = half,
        gain: (Int) -> UInt8
    ) throws -> Data {
        let base = inserting(exif, into: try grey({ _ in 188 }, size))
        return file(base, [try map(parameters, marker: marker, size: mapSize, gain: gain)])
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

    /// Returns the offset of the map in a file, which is its last image.
    private static func mapStart(_ file: Data) throws -> Int {
        try #require(file.range(of: Data([0xFF, 0xD8, 0xFF]), options: .backwards)).lowerBound
    }

    // MARK: Tests

    @Test func aGainMapBrightensTheHighRange() throws {
        let parameters = Self.xmp("hdrgm:GainMapMin='0' hdrgm:GainMapMax='2' hdrgm:OffsetSDR='0' hdrgm:OffsetHDR='0'")
        for (gain, factor) in [(0, 1), (255, 4), (128, 2.007)] as [(UInt8, Float)] {
            try expectLight(try decode(Self.file(parameters) { _ in gain }), Self.light * factor)
        }
    }

    /// Also to a program that does not ask for the high range, which loses it.
    @Test func anImageWithAGainMapStatesItsRange() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        for range in [DecodeOptions.DynamicRange.standard, .high] {
            let image = try decode(data) { $0.range = range }
            #expect(image.info.isHighRange && image.info.bitDepth == 8)
            #expect((image.highRange != nil) == (range == .high))
        }
        #expect(try !decode(Self.grey({ _ in 188 }, Self.size)).info.isHighRange)
    }

    @Test func binaryParametersAreRead() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        try expectLight(try decode(data), Self.light * 4)
    }

    /// Three channels, whose fractions have one denominator, 2.
    @Test func parametersOfThreeChannelsAreRead() throws {
        let channels = [0, 1, 2].flatMap { [0, 2 * $0, 2, 0, 0] }
        let binary = Self.binary(flags: 0x88, [2, 0, 4] + channels)
        let list = Self.xmp(
            "hdrgm:OffsetSDR='0' hdrgm:OffsetHDR='0'",
            elements: """
                <hdrgm:GainMapMin>0</hdrgm:GainMapMin>
                <hdrgm:GainMapMax><rdf:Seq><rdf:li>0</rdf:li><rdf:li>1</rdf:li><rdf:li>2</rdf:li></rdf:Seq></hdrgm:GainMapMax>
                """)
        for (parameters, marker) in [(binary, 0xE2), (list, 0xE1)] as [(Data, UInt8)] {
            let image = try decode(Self.file(parameters, marker: marker) { _ in 255 })
            let pixel = try #require(image.highRange)[20, 10]
            for (channel, factor) in [(0, 1), (1, 2), (2, 4)] as [(Int, Float)] {
                #expect(abs(pixel[channel] / Self.light / factor - 1) < 0.03, "\(pixel)")
            }
        }
    }

    /// An image that is itself the bright rendition has nothing to add.
    @Test func aMapThatDarkensIsIgnored() throws {
        for headrooms in [[2, 1, 2, 1], [2, 1, 0, 1]] {
            let parameters = Self.binary(flags: 0, headrooms + [0, 1, 2, 1, 1, 1, 0, 1, 0, 1])
            #expect(try decode(Self.file(parameters, marker: 0xE2) { _ in 255 }).highRange == nil)
        }
    }

    /// Cameras put a preview or a depth map before the gain map.
    @Test func theGainMapMayBeAnyImageOfTheFile() throws {
        let map = try Self.map(Self.binary, marker: 0xE2)
        let preview = try Self.grey({ _ in 9 }, Self.half)
        let base = try Self.grey({ _ in 188 }, Self.size)
        for others in [[preview, map], [preview, Data(count: 40), map, preview]] {
            try expectLight(try decode(Self.file(base, others)), Self.light * 4)
        }
        #expect(try decode(Self.file(base, [preview])).highRange == nil)
    }

    /// The thumbnail has another brightness, so that it is known which one was used.
    @Test func theGainMapIsAppliedToAnEmbeddedThumbnail() throws {
        let thumbnail = try Self.grey({ _ in 100 }, PixelSize(width: 16, height: 8))
        let exif = try #require(
            ExifData(Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{1}\0\0\0\0\0\0".utf8)))
        let body = Data("Exif\0\0".utf8) + (try #require(exif.appending(thumbnail: thumbnail)).bytes)
        let data = try Self.file(Self.binary, marker: 0xE2, exif: Self.segment(0xE1, body)) { _ in 255 }
        let image = try decode(data) {
            $0.size = .fit(PixelSize(width: 16, height: 8))
            $0.embeddedThumbnail = .whereLargeEnough
        }
        #expect(abs(Int(image.pixels[8, 4].red) - 100) < 3)
        try expectLight(image, 0.1274 * 4, x: 8, y: 4)
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

    /// The image itself is whole, so damage of the map only costs the high range.
    @Test func aMapWithDamagedPixelsIsIgnored() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { UInt8($0 * 8) }
        let whole = try decode(data)
        #expect(whole.highRange != nil)
        let map = try Self.mapStart(data)
        let frame = try #require(data[map...].range(of: Data([0xFF, 0xC0]))).lowerBound
        let scan = try #require(data[map...].range(of: Data([0xFF, 0xDA]))).upperBound + 12
        var damaged = [Data]()
        // The precision, the height, and a component.
        for offset in [4, 6, 10] {
            var file = data
            file[frame + offset] = 0xFF
            damaged.append(file)
        }
        // A marker that belongs to no scan, and a run of ones, which is no code.
        damaged.append(data[..<scan] + Data([0xFF, 0xC4]) + data[scan...].dropFirst(2))
        let ones = Data((scan..<data.count - 2).map { ($0 - scan).isMultiple(of: 2) ? 0xFF : 0 })
        damaged.append(data[..<scan] + ones.dropLast(ones.count % 2) + Data(count: ones.count % 2) + data.suffix(2))
        for (index, file) in damaged.enumerated() {
            let image = try decode(file)
            #expect(image.highRange == nil, "\(index)")
            #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
        }
    }

    /// A map of another shape than its image belongs to another one.
    @Test func aMapOfAnotherShapeIsIgnored() throws {
        for (width, isUsed) in [(31, true), (32, true), (35, false), (16, false)] {
            let size = PixelSize(width: width, height: 16)
            let image = try decode(Self.file(Self.binary, marker: 0xE2, mapSize: size) { _ in 255 })
            #expect((image.highRange != nil) == isUsed, "\(size)")
        }
    }

    /// It would be decoded whole.
    @Test(arguments: [(2, true), (3, false)]) func aMapFarLargerThanItsImageIsIgnored(_ scale: Int, _ isUsed: Bool)
        throws
    {
        let size = PixelSize(width: scale * Self.size.width, height: scale * Self.size.height)
        let image = try decode(Self.file(Self.binary, marker: 0xE2, mapSize: size) { _ in 255 })
        #expect((image.highRange != nil) == isUsed)
    }

    /// While the map is decoded and scaled, the image is held, and so are its gains and their turned copy.
    @Test func thePixelsOfTheMapAreCharged() throws {
        let double = PixelSize(width: 2 * Self.size.width, height: 2 * Self.size.height)
        let data = try Self.file(Self.binary, marker: 0xE2, mapSize: double) { _ in 255 }
        let perPixel = try data.dropFirst(Self.mapStart(data)).withUnsafeBytes { raw in
            let header = try JPEGReader(DecodeContext()).open(raw, isComplete: true)
            return try #require(header).bytesPerPixel
        }
        let charge = double.area * perPixel + 3 * 4 * Self.size.area
        for (memory, isUsed) in [(charge, true), (charge - 1, false)] {
            var context = DecodeContext(options: DecodeOptions(range: .high))
            context.limits.memoryBytes = memory
            #expect((try JPEGDecoder().decode(data, context: context).highRange != nil) == isUsed)
        }
    }

    @Test func aMapThatIsCutShortOrHasNoParametersIsIgnored() throws {
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

    /// A map beyond a limit costs only the high range.
    @Test func aMapBeyondALimitIsIgnored() throws {
        let double = PixelSize(width: 2 * Self.size.width, height: 2 * Self.size.height)
        let data = try Self.file(Self.binary, marker: 0xE2, mapSize: double) { _ in 255 }
        let changes: [(inout DecodeLimits) -> Void] = [
            { $0.memoryBytes = Self.size.area * 10 }, { $0.pixels = Self.size.area }, { $0.side = Self.size.width },
        ]
        for change in changes {
            var context = DecodeContext(options: DecodeOptions(range: .high))
            #expect(try JPEGDecoder().decode(data, context: context).highRange != nil)
            change(&context.limits)
            let image = try JPEGDecoder().decode(data, context: context)
            #expect(image.highRange == nil && image.size == Self.size)
        }
    }

    /// Unlike damage, the end of a decode is no reason to return the ordinary rendition.
    @Test func aCancelledDecodeHasNoResult() throws {
        let data = try Self.file(Self.binary, marker: 0xE2) { _ in 255 }
        let checks = try CancellationChecks.cancelAtEach(upTo: 300, by: 7) { isCancelled throws(TintypeError) in
            let context = DecodeContext(options: DecodeOptions(range: .high), isCancelled: isCancelled)
            let image = try JPEGDecoder().decode(data, context: context)
            #expect(image.highRange != nil)
        }
        #expect((checks ?? 0) > 0)
    }
}
