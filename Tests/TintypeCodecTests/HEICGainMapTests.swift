import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore
@testable import TintypeHEIF

/// HEIC files with a gain map: an auxiliary image of Apple's, or an input of a tone-mapped image.
///
/// The map is `grey.heic`, a monochrome image of four bands, whose codes are 0, 128, 255 and 64. The image is grey.
@Suite struct HEICGainMapTests {
    private static let size = PixelSize(width: 256, height: 128)
    /// A column in the middle of each band.
    private static let columns = [32, 96, 160, 224]
    private static let appleType = "urn:com:apple:photo:2020:aux:hdrgainmap"

    // MARK: Files

    private static func map() throws -> HEICBuilder.Item {
        try HEICBuilder.image(of: FixtureManifest.named("grey.heic").data)
    }

    private static func xmp(headroom: String) -> HEICBuilder.Item {
        HEICBuilder.xmp(
            """
            xmlns:HDRGainMap="http://ns.apple.com/HDRGainMap/1.0/" HDRGainMap:HDRGainMapVersion="131072" \
            HDRGainMap:HDRGainMapHeadroom="\(headroom)"
            """)
    }

    /// Returns Exif data whose only content is maker notes with two signed fractions, each a numerator of thousandths.
    private static func notes(_ headroom: Int, _ gain: Int, name: String = "Apple iOS\0\0\u{1}MM") -> Data {
        func short(_ number: Int) -> Data { Data([UInt8(number >> 8), UInt8(number & 255)]) }
        func long(_ number: Int) -> Data { PNGBuilder.bigEndian(UInt32(bitPattern: Int32(number))) }
        func directory(_ entries: [(tag: Int, type: Int, count: Int, value: Int)]) -> Data {
            let all = entries.map { short($0.tag) + short($0.type) + long($0.count) + long($0.value) }
            return short(entries.count) + Data(all.joined()) + long(0)
        }
        // The fractions follow the directory of the notes, whose offsets begin with the name.
        var notes = Data(name.utf8) + directory([(0x21, 10, 1, 44), (0x30, 10, 1, 52)])
        for number in [headroom, 1000, gain, 1000] { notes += long(number) }
        let directories = directory([(0x8769, 4, 1, 26)]) + directory([(0x927C, 7, notes.count, 44)])
        return Data("MM\0*".utf8) + long(8) + directories + notes
    }

    /// Returns a file with a map of Apple's as item 2 and its XMP as item 3, unless that is `nil`.
    private static func apple(
        _ map: HEICBuilder.Item, headroom: String? = "8", exif: Data? = nil,
        base: HEICBuilder.Item? = nil
    ) throws -> HEICBuilder {
        var (builder, map) = (HEICBuilder(), map)
        map.properties.append(HEICBuilder.auxiliaryType(appleType))
        builder.items = [try base ?? HEICBuilder.grey(188, size), map]
        builder.references = [("auxl", 2, [1])]
        if let headroom {
            builder.items.append(xmp(headroom: headroom))
            builder.references.append(("cdsc", builder.items.count, [2]))
        }
        if let exif {
            builder.items.append(HEICBuilder.exif(exif))
            builder.references.append(("cdsc", builder.items.count, [1]))
        }
        return builder
    }

    /// Binary parameters of a tone-mapped image with one channel: a version, the headrooms 2⁰ and 2², the least and
    /// greatest gain, gamma and two offsets, as quarters and sixty-fourths.
    private static func parameters(_ numbers: [Int] = [0, 1, 8, 4, -2, 4, 6, 4, 8, 4, 1, 64, 2, 64]) -> Data {
        numbers.reduce(Data([0, 0, 0, 0, 0, 0])) { $0 + PNGBuilder.bigEndian(UInt32(bitPattern: Int32($1))) }
    }

    private static let standardParameters = parameters()

    /// Returns a file as iOS 18 writes it: the map, item 2, is hidden, and auxiliary to the image and to the
    /// tone-mapped image, item 3. The Exif data describe both.
    private static func toneMapped(
        _ parameters: Data = standardParameters, map: HEICBuilder.Item? = nil
    ) throws -> HEICBuilder {
        var builder = try apple(map ?? self.map())
        builder.items[1].isHidden = true
        let toneMap = HEICBuilder.Item(kind: "tmap", data: parameters, properties: [HEICBuilder.size(size)])
        builder.items.insert(toneMap, at: 2)
        builder.items.append(HEICBuilder.exif(notes(500, 500)))
        builder.references = [("dimg", 3, [1, 2]), ("auxl", 2, [1, 3]), ("cdsc", 4, [2]), ("cdsc", 5, [1, 3])]
        return builder
    }

    private func decode(_ data: Data, _ change: (inout DecodeContext) -> Void = { _ in }) throws -> Image {
        var context = DecodeContext(options: DecodeOptions(range: .high))
        change(&context)
        return try HEIFDecoder().decode(data, context: context)
    }

    private func expectLight(_ image: Image, _ expected: Float, x: Int, y: Int = 64) throws {
        let pixel = try #require(image.highRange)[x, y]
        for channel in 0..<3 { #expect(abs(pixel[channel] - expected) < expected * 0.03, "\(x): \(pixel)") }
        #expect(pixel.w == 1)
    }

    // MARK: Apple's maps

    /// The light of the code 188, times 1 + 7 g. The gain g of a code is that of Rec. ITU-R BT.709.
    @Test func applesGainMapBrightensTheHighRange() throws {
        let image = try decode(Self.apple(Self.map()).file)
        #expect(image.highRange?.size == Self.size)
        for (x, light) in zip(Self.columns, [0.5029, 1.4234, 4.0231, 0.7797] as [Float]) {
            try expectLight(image, light, x: x)
        }
    }

    /// The light of the code 188 times the headroom, which is 2 to the power of 1.7, 1.5505, 2.65 and 2.1515.
    @Test(
        arguments: [
            (500, 5, 1.6339), (500, 500, 1.4730), (1250, 5, 3.1565), (1250, 500, 2.2343),
        ] as [(Int, Int, Float)])
    func theHeadroomInTheNotesOfTheCameraIsApplied(_ headroom: Int, _ gain: Int, _ light: Float) throws {
        let image = try decode(Self.apple(Self.map(), headroom: nil, exif: Self.notes(headroom, gain)).file)
        try expectLight(image, light, x: 160)
        try expectLight(image, 0.5029, x: 32)
    }

    @Test func theHeadroomOfTheMapHasPrecedence() throws {
        let image = try decode(Self.apple(Self.map(), headroom: "2", exif: Self.notes(1250, 5)).file)
        try expectLight(image, 1.0058, x: 160)
    }

    @Test func aMapWithoutAHeadroomIsIgnored() throws {
        for headroom in ["nan", "1", "0.5", "70000", "x"] {
            #expect(try decode(Self.apple(Self.map(), headroom: headroom).file).highRange == nil, "\(headroom)")
        }
        let notes = Self.notes(1250, 5)
        var zero = notes
        zero.setNumber(0, at: zero.count - 4)
        // Another manufacturer's notes, a denominator of 0, no stops, too many stops, and notes that are truncated.
        let all = [
            Data("MM\0*\0\0\0\u{8}\0\u{1}\u{1}\u{12}\0\u{3}\0\0\0\u{1}\0\u{1}\0\0\0\0\0\0".utf8),
            Self.notes(1250, 5, name: "Apple tvO\0\0\u{1}MM"), zero, Self.notes(1250, 9000), Self.notes(1250, -500),
            notes.dropLast(1), notes.prefix(60), notes.prefix(46),
        ]
        for (index, exif) in all.enumerated() {
            let file = try Self.apple(Self.map(), headroom: nil, exif: exif).file
            #expect(try decode(file).highRange == nil, "\(index)")
        }
    }

    /// Other auxiliary images are depth maps and mattes.
    @Test func onlyTheMapOfTheImageIsApplied() throws {
        var other = try Self.apple(Self.map())
        other.items[1].properties[2] = HEICBuilder.auxiliaryType("urn:com:apple:photo:2018:aux:portraiteffectsmatte")
        #expect(try decode(other.file).highRange == nil)
        var ofAnother = try Self.apple(Self.map())
        ofAnother.items.append(try HEICBuilder.grey(9, Self.size))
        ofAnother.references[0].to = [4]
        #expect(try decode(ofAnother.file).highRange == nil)
    }

    /// It is bright itself.
    @Test func anImageInPQKeepsItsLight() throws {
        let pq = try FixtureManifest.named("pq.heic").data
        var base = try HEICBuilder.image(of: pq)
        let colors = try #require(pq.range(of: Data("colr".utf8))).lowerBound - 4
        base.properties.append(pq[colors..<colors + pq.number(at: colors)])
        let map = try HEICBuilder.grey(255, PixelSize(width: 64, height: 64))
        let own = try #require(try decode(pq).highRange)
        let light = try #require(try decode(Self.apple(map, base: base).file).highRange)
        #expect(own[30, 30] == light[30, 30])
    }

    // MARK: Tone-mapped images

    /// The map's share s of a code c is (c / 255) to the power of 1/2. The light is (0.5029 + 1/64) times 2 to the
    /// power of 1.5 s − 0.5 (1 − s), less 1/32. The XMP of the map does not count.
    @Test(arguments: [false, true]) func theMapOfAToneMappedImageBrightens(_ hasLongReferences: Bool) throws {
        var builder = try Self.toneMapped()
        builder.hasLongReferences = hasLongReferences
        let image = try decode(builder.file)
        for (x, light) in zip(Self.columns, [0.3354, 0.9478, 1.4353, 0.7030] as [Float]) {
            try expectLight(image, light, x: x)
        }
    }

    @Test func aToneMappedImageNeedNoAuxiliaryImage() throws {
        var builder = try Self.toneMapped()
        builder.items[1].properties.removeLast()
        builder.items.removeLast(2)
        builder.references = [("dimg", 3, [1, 2])]
        try expectLight(try decode(builder.file), 1.4353, x: 160)
    }

    /// Apple's map counts then. The base of the last tone-mapped image is another image.
    @Test func aToneMappedImageThatCannotBeReadIsIgnored() throws {
        var files = [1, 5, 30].map { Self.parameters().prefix($0) }
        files.append(Data([1]) + Self.parameters().dropFirst())
        // A base that is the bright rendition, a gamma of 0, a gain of 2⁹⁹.
        files.append(Self.parameters([8, 4, 0, 1, -2, 4, 6, 4, 8, 4, 1, 64, 2, 64]))
        files.append(Self.parameters([0, 1, 8, 4, -2, 4, 6, 4, 0, 4, 1, 64, 2, 64]))
        files.append(Self.parameters([0, 1, 8, 4, -2, 4, 99, 1, 8, 4, 1, 64, 2, 64]))
        files.append(Self.parameters() + Data(count: 5000))
        for (index, parameters) in files.enumerated() {
            let image = try decode(Self.toneMapped(parameters).file)
            let light = try #require(image.highRange)[160, 64].x
            #expect(abs(light - 4.0231) < 0.1, "\(index)")
        }
        var other = try Self.toneMapped()
        other.references[0].to = [2, 1]
        try expectLight(try decode(other.file), 4.0231, x: 160)
    }

    // MARK: Size

    @Test func theOrdinaryRenditionIsUnchanged() throws {
        let builder = try Self.apple(Self.map())
        let plain = try decode(builder.file) { $0.options.range = .standard }
        #expect(plain.highRange == nil && plain.size == Self.size)
        #expect(PixelDifference(between: plain.pixels, and: try decode(builder.file).pixels)?.maximum == 0)
        var alone = builder
        alone.items.removeLast(2)
        alone.references = []
        #expect(PixelDifference(between: plain.pixels, and: try decode(alone.file).pixels)?.maximum == 0)
    }

    /// Also to a program that does not ask for the high range, which loses it.
    @Test func anImageWithAGainMapStatesItsRange() throws {
        var builder = try Self.apple(Self.map())
        for range in [DecodeOptions.DynamicRange.standard, .high] {
            #expect(try decode(builder.file) { $0.options.range = range }.info.isHighRange)
        }
        builder.items.removeLast(2)
        builder.references = []
        #expect(try !decode(builder.file) { $0.options.range = .standard }.info.isHighRange)
    }

    @Test func aMapFollowsSizeAndCrop() throws {
        let data = try Self.apple(Self.map()).file
        let small = try decode(data) { $0.options.size = .fit(PixelSize(width: 64, height: 64)) }
        #expect(small.highRange?.size == PixelSize(width: 64, height: 32))
        for (x, light) in zip(Self.columns, [0.5029, 1.4234, 4.0231, 0.7797] as [Float]) {
            try expectLight(small, light, x: x / 4, y: 16)
        }
        let part = try decode(data) {
            $0.options.crop = PixelRect(x: 140, y: 20, size: PixelSize(width: 40, height: 40))
        }
        try expectLight(part, 4.0231, x: 0, y: 0)
        try expectLight(part, 4.0231, x: 39, y: 39)
    }

    /// Both images are turned by a quarter, counterclockwise: the left band is at the bottom.
    @Test func aMapIsTurnedWithItsImage() throws {
        var builder = try Self.apple(Self.map())
        for index in 0...1 { builder.items[index].properties.append(HEICBuilder.rotation(quarterTurns: 1)) }
        let image = try decode(builder.file)
        #expect(image.size == PixelSize(width: 128, height: 256))
        try expectLight(image, 0.5029, x: 64, y: 224)
        try expectLight(image, 4.0231, x: 64, y: 96)
        // A map that lies on its side belongs to another image.
        builder.items[1].properties.removeLast()
        #expect(try decode(builder.file).highRange == nil)
    }

    @Test func aMapOfAnotherShapeIsIgnored() throws {
        for (width, isUsed) in [(128, true), (132, true), (140, false), (64, false)] {
            let map = try HEICBuilder.grey(255, PixelSize(width: width, height: 64))
            let image = try decode(Self.apple(map).file)
            #expect((image.highRange != nil) == isUsed, "\(width)")
        }
    }

    // MARK: Damage and limits

    /// The image itself is whole, so damage of the map only costs the high range.
    @Test func aDamagedMapIsIgnored() throws {
        let map = try Self.map()
        let whole = try decode(Self.apple(map).file)
        #expect(whole.highRange != nil)
        var damaged = [HEICBuilder.Item](repeating: map, count: 5)
        damaged[0].data = map.data.prefix(12)
        damaged[1].data = Data([0, 0, 0, 9]) + map.data.dropFirst(4)
        damaged[2].data = Data(count: 4)
        // The size of the image, which is not that of the map.
        damaged[3].properties[1] = HEICBuilder.size(PixelSize(width: 120, height: 60))
        damaged[4].kind = "jpeg"
        for (index, map) in damaged.enumerated() {
            for builder in [try Self.apple(map), try Self.toneMapped(map: map)] {
                let image = try decode(builder.file)
                #expect(image.highRange == nil, "\(index)")
                #expect(PixelDifference(between: image.pixels, and: whole.pixels)?.maximum == 0)
            }
        }
    }

    /// It would be decoded whole.
    @Test(arguments: [(2, true), (3, false)]) func aMapFarLargerThanItsImageIsIgnored(_ scale: Int, _ isUsed: Bool)
        throws
    {
        let map = try HEICBuilder.grey(255, PixelSize(width: scale * 128, height: scale * 64))
        let base = try HEICBuilder.grey(188, PixelSize(width: 128, height: 64))
        #expect((try decode(Self.apple(map, base: base).file).highRange != nil) == isUsed)
    }

    @Test func aMapBeyondALimitIsIgnored() throws {
        // The image, the map at its size, and the result.
        for data in [try Self.apple(Self.map()).file, try Self.toneMapped().file] {
            let most = Self.size.area * (4 + 4 + 8)
            for (memory, isUsed) in [(most, true), (most - 1, false)] {
                let image = try decode(data) { $0.limits.memoryBytes = memory }
                #expect((image.highRange != nil) == isUsed)
            }
        }
        // It declares 200 megapixels.
        var builder = try Self.apple(Self.map())
        builder.items[1].properties[1] = HEICBuilder.size(PixelSize(width: 20_000, height: 10_000))
        let image = try decode(builder.file)
        #expect(image.highRange == nil && image.size == Self.size)
    }

    /// Unlike damage, the end of a decode is no reason to return the ordinary rendition.
    @Test func aCancelledDecodeHasNoResult() throws {
        let data = try Self.apple(Self.map()).file
        let checks = try CancellationChecks.cancelAtEach(upTo: 400, by: 9) { isCancelled throws(TintypeError) in
            let context = DecodeContext(options: DecodeOptions(range: .high), isCancelled: isCancelled)
            let image = try HEIFDecoder().decode(data, context: context)
            #expect(image.highRange != nil)
        }
        #expect((checks ?? 0) > 0)
    }
}
