import Foundation
import Testing
import TintypeColor
import TintypeTesting

@testable import Tintype
@testable import TintypeCore

/// Metadata that are kept, filtered or removed when an image is encoded.
@Suite struct MetadataTests {
    private static let coders = ImageCoderRegistry.standard
    private static let formats = ImageMetadata.writableFormats.sorted { $0.rawValue < $1.rawValue }
    private static let exifFormats = formats.filter { ImageMetadata.writableKinds(for: $0).contains(.exif) }

    // MARK: Sources

    /// A directory of big-endian Exif data: tag, type, number of values, and the value or its offset.
    private static func directory(_ entries: [(Int, Int, Int, Int)], next: Int = 0) -> Data {
        var data = Data()
        data.append(bigEndian: entries.count, 2)
        for (tag, type, count, value) in entries {
            data.append(bigEndian: tag, 2)
            data.append(bigEndian: type, 2)
            data.append(bigEndian: count, 4)
            data.append(bigEndian: type == 3 ? value << 16 : value, 4)
        }
        data.append(bigEndian: next, 4)
        return data
    }

    private static let thumbnail = Data([0xFF, 0xD8]) + Data("private thumbnail".utf8) + Data([0xFF, 0xD9])
    private static let latitude = Data("52 degrees north, 13 minutes".utf8.prefix(24))

    /// Exif data of a camera: orientation, maker, exposure with the size, location and thumbnail.
    private static func exif(orientation: Int = 6) -> Data {
        // 8: four entries (54), 62: maker (6), 68: two entries (30), 98: one entry (18), 116: latitude (24), 140: two
        // entries (30), 170: thumbnail.
        let first = directory(
            [(0x010F, 2, 6, 62), (0x0112, 3, 1, orientation), (0x8769, 4, 1, 68), (0x8825, 4, 1, 98)], next: 140)
        let size = directory([(0xA002, 4, 1, 4000), (0xA003, 3, 1, 3000)])
        let location = directory([(2, 5, 3, 116)])
        let second = directory([(0x0201, 4, 1, 170), (0x0202, 4, 1, thumbnail.count)])
        return Data("MM\0*\0\0\0\u{8}".utf8) + first + Data("Maker\0".utf8) + size + location + latitude + second
            + thumbnail
    }

    private static func xmp(orientation: Int = 6) -> Data {
        Data(
            """
            <x:xmpmeta xmlns:x='adobe:ns:meta/'><rdf:RDF xmlns:rdf='http://www.w3.org/1999/02/22-rdf-syntax-ns#'>
            <rdf:Description xmlns:tiff='http://ns.adobe.com/tiff/1.0/' xmlns:e="http://ns.adobe.com/exif/1.0/"
             tiff:Orientation="\(orientation)" e:GPSLatitude='52,30N' dc:title="Title">
            <e:GPSLongitude>13,24E</e:GPSLongitude><e:GPSAltitude/></rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    private static let iptc = Data([0x1C, 2, 80, 0, 6]) + Data("Author".utf8)

    private static func segment(_ marker: UInt8, _ body: Data) -> Data {
        var data = Data([0xFF, marker])
        data.append(bigEndian: body.count + 2, 2)
        return data + body
    }

    /// A JPEG of a camera, with all kinds of metadata.
    private static func photograph(exif: Data? = exif(), xmp: Data? = xmp()) throws -> Data {
        let plain = try FixtureManifest.named("baseline-420.jpg").data
        var segments = Data()
        if let exif { segments += segment(0xE1, Data("Exif\0\0".utf8) + exif) }
        if let xmp { segments += segment(0xE1, Data("http://ns.adobe.com/xap/1.0/\0".utf8) + xmp) }
        segments += segment(0xED, PhotoshopResources.body(iptc: iptc))
        return plain.prefix(2) + segments + plain.dropFirst(2)
    }

    private func decode(_ data: Data, keepsMetadata: Bool = true) throws(TintypeError) -> Image {
        var options = DecodeOptions()
        options.keepsMetadata = keepsMetadata
        return try Self.coders.decoder(for: data).decodeChecked(data, context: DecodeContext(options: options))
    }

    /// Returns the Exif data of an encoded image. A TIFF is its own.
    private static func exif(of data: Data, _ image: Image) -> ExifData? {
        image.info.format == .tiff ? ExifData(data) : image.metadata?.exif
    }

    private func encode(_ image: Image, _ format: ImageFormat, _ kinds: Set<MetadataKind>) throws -> Data {
        var options = EncodeOptions()
        options.metadata = kinds
        return try Self.coders.encode(image, as: format, options: options)
    }

    // MARK: Tests

    @Test func allMetadataOfAJPEGAreRead() throws {
        let image = try decode(Self.photograph())
        let metadata = try #require(image.metadata)
        #expect(metadata.exif?.text(0x010F) == "Maker" && metadata.exif?.thumbnail == Self.thumbnail)
        #expect(metadata.xmp == Self.xmp() && metadata.iptc == Self.iptc)
        #expect(try decode(Self.photograph(), keepsMetadata: false).metadata == nil)
    }

    @Test(arguments: formats) func noMetadataAreWrittenByDefault(_ format: ImageFormat) throws {
        let data = try encode(decode(Self.photograph()), format, [])
        #expect(try decode(data).metadata == nil)
    }

    @Test(arguments: exifFormats) func exifIsKeptUprightAndWithoutLocationAndThumbnail(_ format: ImageFormat) throws {
        let image = try decode(Self.photograph())
        let data = try encode(image, format, [.exif])
        let written = try decode(data)
        let exif = try #require(Self.exif(of: data, written))
        #expect(exif.orientation == .up && exif.text(0x010F) == "Maker" && exif.thumbnail == nil)
        #expect(written.size == image.size && written.info.orientation == .up)
        for secret in [Self.latitude, Self.thumbnail] { #expect(data.range(of: secret) == nil) }
        #expect(exif.number(0x8825) == nil && written.metadata?.xmp == nil)
    }

    @Test(arguments: exifFormats) func theSizeInExifIsThatOfThePixels(_ format: ImageFormat) throws {
        let small = try decode(Self.photograph()).transformed(
            by: ResizeTransformer(to: PixelSize(width: 10, height: 12), mode: .stretch))
        let data = try encode(small, format, [.exif])
        let exif = try #require(Self.exif(of: data, try decode(data)))
        // The directory begins at 68; its values are at 78 and 90.
        #expect(exif.bytes[78..<82].elementsEqual([0, 0, 0, 10]) && exif.bytes[90..<92].elementsEqual([0, 12]))
    }

    @Test(arguments: exifFormats) func theLocationIsKeptOnRequest(_ format: ImageFormat) throws {
        let data = try encode(decode(Self.photograph()), format, [.exif, .xmp, .location])
        let written = try decode(data)
        #expect(Self.exif(of: data, written)?.number(0x8825) == 98 && data.range(of: Self.latitude) != nil)
        #expect(written.metadata?.xmp?.range(of: Data("GPSLatitude".utf8)) != nil)
    }

    @Test(arguments: formats) func xmpIsKeptUprightAndWithoutLocation(_ format: ImageFormat) throws {
        let written = try decode(encode(decode(Self.photograph()), format, [.xmp]))
        let text = String(decoding: try #require(written.metadata?.xmp), as: UTF8.self)
        #expect(text.contains("dc:title=\"Title\"") && text.contains("tiff:Orientation=\"1\""))
        #expect(!text.contains("GPS") && !text.contains("52,30") && !text.contains("13,24"))
        #expect(written.metadata?.exif == nil && written.info.orientation == .up)
    }

    /// As records, or as properties of XMP.
    @Test(arguments: formats) func iptcIsKept(_ format: ImageFormat) throws {
        let metadata = try #require(try decode(encode(decode(Self.photograph()), format, [.iptc])).metadata)
        guard ![.jpeg, .png, .tiff].contains(format) else {
            #expect(metadata == ImageMetadata(iptc: Self.iptc))
            return
        }
        let text = String(decoding: try #require(metadata.xmp), as: UTF8.self)
        #expect(text.contains("<dc:creator><rdf:Seq><rdf:li>Author</rdf:li></rdf:Seq></dc:creator>"))
        #expect(metadata == ImageMetadata(xmp: metadata.xmp))
    }

    /// Both byte orders, and pixels that are as without metadata.
    @Test(arguments: [true, false]) func aTIFFBeginsWithItsExifData(_ isBigEndian: Bool) throws {
        let little = Data("II*\0\u{8}\0\0\0\u{1}\0\u{F}\u{1}\u{2}\0\u{3}\0\0\0Me\0\0\0\0\0\0\0".utf8)
        var image = try decode(FixtureManifest.named("rgba-8.png").data)
        image = image.with(metadata: ImageMetadata(exif: ExifData(isBigEndian ? Self.exif() : little)))
        let data = try encode(image, .tiff, [.exif, .icc])
        let written = try decode(data)
        #expect(ExifData(data)?.text(0x010F) == (isBigEndian ? "Maker" : "Me"))
        #expect(
            PixelDifference(between: written.pixels, and: try decode(encode(image, .tiff, [])).pixels)?.maximum == 0)
        #expect(data.range(of: StandardProfile.data) != nil)
    }

    @Test(arguments: exifFormats) func theProfileOfTheWrittenColoursIsAdded(_ format: ImageFormat) throws {
        let image = try decode(FixtureManifest.named("p3.png").data)
        let (plain, profiled) = (try encode(image, format, []), try encode(image, format, [.icc]))
        let (first, second) = (try decode(plain), try decode(profiled))
        #expect(PixelDifference(between: first.pixels, and: second.pixels)?.maximum == 0)
        // JPEG XL names its colours without a profile.
        let statesColors =
            format == .jxl || profiled.range(of: StandardProfile.data) != nil
            || profiled.range(of: Data("sRGB".utf8)) != nil
        #expect(statesColors)
    }

    /// lcms2 takes the profile for sRGB, so no conversion is needed.
    @Test func theProfileIsThatOfSRGB() {
        #expect(ColorConverter(.profile(StandardProfile.data), .rgb) == nil)
        #expect(StandardProfile.data.count < 600 && StandardProfile.data.count.isMultiple(of: 4))
    }

    /// An embedded thumbnail is made of the written pixels, and lies in the same Exif data.
    @Test func aNewThumbnailReplacesTheOldOne() throws {
        let image = try decode(Self.photograph())
        let large = try image.transformed(
            by: ResizeTransformer(to: PixelSize(width: 400, height: 300), mode: .stretch, isEnlarging: true))
        var options = EncodeOptions(embedsThumbnail: true)
        options.metadata = [.exif]
        let data = try Self.coders.encode(large, as: .jpeg, options: options)
        let exif = try #require(try decode(data).metadata?.exif)
        let thumbnail = try #require(exif.thumbnail)
        #expect(exif.text(0x010F) == "Maker")
        #expect(try decode(thumbnail).size == PixelSize(width: 320, height: 240))
    }

    /// An animation of five plays, and an endless one. The play count that is added to an AVIF of libavif 0.11 moves
    /// its metadata.
    @Test(arguments: [ImageFormat.png, .webp, .avif, .heic, .jxl], ["animated.png", "animated-forever.png"])
    func animationsAreWrittenWithMetadata(_ format: ImageFormat, _ name: String) throws {
        let photograph = try decode(Self.photograph())
        let animated = try decode(FixtureManifest.named(name).data).with(metadata: photograph.metadata)
        let plain = try decode(encode(animated, format, []))
        let data = try encode(animated, format, [.exif, .xmp, .icc])
        let written = try decode(data)
        let exif = try #require(written.metadata?.exif)
        #expect(exif.text(0x010F) == "Maker" && exif.orientation == .up && written.info.orientation == .up)
        let xmp = String(decoding: try #require(written.metadata?.xmp), as: UTF8.self)
        #expect(xmp.contains("dc:title=\"Title\"") && !xmp.contains("GPS"))
        for secret in [Self.latitude, Self.thumbnail] { #expect(data.range(of: secret) == nil) }
        let profiles = [StandardProfile.data, Data("sRGB".utf8)].filter { data.range(of: $0) != nil }
        // JPEG XL names its colours without a profile.
        #expect(format == .jxl || !profiles.isEmpty)
        let (moving, expected) = (try #require(written.animation), try #require(plain.animation))
        #expect(moving.frameCount == expected.frameCount && moving.loopCount == animated.info.loopCount)
        for index in 0..<expected.frameCount {
            let (frame, other) = (try moving.frame(at: index), try expected.frame(at: index))
            #expect(PixelDifference(between: frame, and: other)?.maximum == 0)
        }
        #expect(try decode(encode(animated, format, [])).metadata == nil)
    }

    @Test func metadataCountTowardsTheByteLimit() throws {
        var options = EncodeOptions(maximumByteCount: 3000)
        options.metadata = [.xmp, .icc]
        let image = try decode(Self.photograph())
        #expect(try Self.coders.encode(image, as: .jpeg, options: options).count <= 3000)
    }

    // MARK: Orientation

    @Test func theOrientationOfXMPIsUsedIfExifHasNone() throws {
        let plain = try decode(FixtureManifest.named("baseline-420.jpg").data)
        let turned = try decode(Self.photograph(exif: nil))
        #expect(turned.info.orientation == .right && turned.size.width == plain.size.height)
        let upright = try decode(Self.photograph(exif: Self.exif(orientation: 1)))
        #expect(upright.info.orientation == .up && upright.size == plain.size)
    }

    /// Returns an image that has only an XMP packet with an orientation, before its pixels.
    private static func withXMP(orientation: Int, _ format: ImageFormat, exif: Data? = nil) throws -> Data {
        let plain = try FixtureManifest.named(format == .png ? "rgba-8.png" : "lossless.webp").data
        guard format == .png else {
            let size = try #require(try coders.info(of: plain)?.size)
            let metadata = ImageMetadata(exif: exif.flatMap { ExifData($0) }, xmp: xmp(orientation: 1))
            let writer = try #require(MetadataWriter(metadata, [.xmp, .exif], .sRGB, size, format))
            var data = writer.inserted(into: plain, format)
            let value = try #require(data.range(of: Data("tiff:Orientation=\"1".utf8))).upperBound - 1
            data[value] = UInt8(ascii: "0") + UInt8(orientation)
            return data
        }
        var chunks = PNGBuilder.chunk("iTXt", Data("Title\0\0\0\0\0An upright title".utf8))
        chunks += PNGBuilder.chunk("iTXt", Data(MetadataReader.xmpKeyword) + xmp(orientation: orientation))
        if let exif { chunks += PNGBuilder.chunk("eXIf", exif) }
        return plain.prefix(33) + chunks + plain.dropFirst(33)
    }

    @Test(arguments: [ImageFormat.png, .webp]) func theOrientationOfXMPTurnsOtherFormats(_ format: ImageFormat) throws {
        let plain = try decode(Self.withXMP(orientation: 1, format))
        #expect(plain.info.orientation == .up)
        for value in 2...8 {
            let orientation = try #require(Orientation(rawValue: value))
            let data = try Self.withXMP(orientation: value, format)
            let turned = try decode(data)
            #expect(turned.info.orientation == orientation && turned.size == orientation.displayed(plain.size))
            let expected = try plain.pixels.oriented(orientation)
            #expect(PixelDifference(between: turned.pixels, and: expected)?.maximum == 0)
            #expect(try Self.coders.info(of: data)?.size == turned.size)
        }
        let upright = try Self.withXMP(orientation: 6, format, exif: Self.exif(orientation: 1))
        #expect(try decode(upright).info.orientation == .up)
    }

    /// A preview of an arriving PNG is turned, too.
    @Test func previewsOfAPNGAreTurnedByXMP() throws {
        let data = try Self.withXMP(orientation: 6, .png)
        let decoder = try #require(
            try Self.coders.decoder(for: data).makeIncrementalDecoder(context: DecodeContext()))
        let preview = try #require(try decoder.append(data.dropLast(30)))
        #expect(preview.size == PixelSize(width: 24, height: 32))
    }

    // MARK: Hostile metadata

    @Test func anyFlippedByteOfExifIsKeptOrRefused() throws {
        let exif = Self.exif()
        for index in exif.indices {
            for bits in [0x55, 0xFF] as [UInt8] {
                var damaged = exif
                damaged[index] ^= bits
                let kept = ExifData(damaged)?.rewritten(size: PixelSize(width: 1, height: 1), keepsLocation: false)
                #expect((kept?.bytes.count ?? 0) <= exif.count)
            }
        }
    }

    /// The values of 60,000 entries are the same 700,000 bytes, which are not erased for each of them.
    @Test func directoriesThatOverlapCostLittle() throws {
        let (count, length) = (60_000, 700_000)
        let start = 38 + 2 + 12 * count + 4
        var data = Data("MM\0*\0\0\0\u{8}".utf8)
        data += Self.directory([(0x010F, 2, 2, 0x4D00_0000), (0x8825, 4, 1, 38)])
        data += Self.directory(Array(repeating: (1, 1, length, start), count: count))
        data += Data(repeating: 7, count: length)
        let erased = ExifEditor(data).values(ofDirectory: 38)
        #expect(erased.first == start..<start + length && erased.reduce(0) { $0 + $1.count } <= data.count)
        let kept = try #require(
            ExifData(data)?.rewritten(size: PixelSize(width: 1, height: 1), keepsLocation: false))
        #expect(kept.bytes.dropFirst(38) == Data(count: data.count - 38))
    }

    /// Other programs may follow a pointer of an unusual type, or the second of two.
    @Test func aLocationThatCannotBeRemovedRemovesAllExif() {
        let start = Data("MM\0*\0\0\0\u{8}".utf8)
        let maker = (0x010F, 2, 2, 0x4D00_0000)
        // 8: the first directory with one to three entries, then that of the location, and its value.
        func exif(_ pointers: [(Int, Int, Int, Int)], locationEntries: Int = 1) -> Data {
            let offset = 8 + 2 + 12 * (pointers.count + 1) + 4
            let entries = [maker] + pointers.map { ($0.0, $0.1, $0.2, $0.3 + offset) }
            let directory = Self.directory([(2, 5, 3, offset + 18)])
            return start + Self.directory(entries) + Data([0, UInt8(locationEntries)]) + directory.dropFirst(2)
                + Self.latitude
        }
        func rewritten(_ data: Data) -> ExifData? {
            ExifData(data)?.rewritten(size: PixelSize(width: 1, height: 1), keepsLocation: false)
        }
        for pointer in [(0x8825, 4, 1, 0), (0x8825, 13, 1, 0)] {
            let kept = rewritten(exif([pointer]))
            #expect(kept?.text(0x010F) == "M" && kept?.bytes.range(of: Self.latitude) == nil)
        }
        for pointers in [
            [(0x8825, 4, 2, 0)], [(0x8825, 9, 1, 0)], [(0x8825, 7, 4, 0)], [(0x8825, 4, 1, 0), (0x8825, 4, 1, 0)],
            [(0x8825, 4, 1, 1 << 20)],
        ] {
            #expect(rewritten(exif(pointers)) == nil, "\(pointers)")
        }
        // More entries than there are bytes, and none.
        #expect(rewritten(exif([(0x8825, 4, 1, 0)], locationEntries: 200)) == nil)
        #expect(rewritten(exif([(0x8825, 4, 1, 0)], locationEntries: 0)) != nil)
        // A location in the Exif directory.
        let nested = start + Self.directory([(0x8769, 4, 1, 26)]) + Self.directory([(0x8825, 4, 1, 44)])
        #expect(rewritten(nested + Self.directory([(2, 5, 3, 62)]) + Self.latitude) == nil)
    }

    @Test func aPacketWithTooManyLocationsIsRemoved() {
        let hostile = Data(("<rdf:RDF>" + String(repeating: "<exif:GPS> ", count: 50_000)).utf8)
        #expect(XMPPacket(hostile)?.rewritten(keepsLocation: false) == nil)
        #expect(XMPPacket(Data(count: 2 << 20)) == nil && XMPPacket(Data("text".utf8)) == nil)
    }

    @Test func everyTruncationOfAnXMPPacketIsRewritten() throws {
        let packet = Self.xmp()
        for count in 0..<packet.count {
            guard let kept = XMPPacket(packet.prefix(count))?.rewritten(keepsLocation: false) else { continue }
            #expect(kept.count <= count)
        }
    }

    @Test(arguments: ["baseline-420.jpg", "rgba-8.png", "lossy-alpha.webp", "lossless.webp", "rgb.tiff"])
    func everyTruncationAndFlippedByteHasMetadataOrNone(_ name: String) throws {
        let data = try FixtureManifest.named(name).data
        let format = try #require(FormatSniffer.format(of: data))
        for index in stride(from: 0, to: data.count, by: max(1, data.count / 500)) {
            var damaged = data
            damaged[index] ^= 0xFF
            for bytes in [damaged, data.prefix(index)] {
                _ = MetadataReader.metadata(of: bytes, format, DecodeLimits())
                if bytes.count > 40 { _ = try writer.inserted(into: bytes, format) }
            }
        }
    }

    /// A segment that states to be shorter than its own length field.
    @Test func aSegmentWithoutLengthIsKept() throws {
        let data = Data([0xFF, 0xD8, 0xFF, 0xE1, 0, 0, 0xFF, 0xD9])
        #expect(try writer.inserted(into: data, .jpeg).count > data.count)
        #expect(MetadataReader.metadata(of: data, .jpeg, DecodeLimits()).isEmpty)
    }

    private var writer: MetadataWriter {
        get throws {
            let metadata = ImageMetadata(exif: ExifData(Self.exif()), xmp: Self.xmp(), iptc: Self.iptc)
            return try #require(
                MetadataWriter(metadata, Set(MetadataKind.allCases), .sRGB, PixelSize(width: 8, height: 8), .jpeg))
        }
    }
}
