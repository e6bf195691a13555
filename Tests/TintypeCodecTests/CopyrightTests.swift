import Foundation
import Testing
import TintypeTesting

@testable import Tintype
@testable import TintypeCore

/// The authors and the copyright, which are kept when all other metadata is removed.
@Suite struct CopyrightTests {
    private static let coders = ImageCoderRegistry.standard
    private static let formats = ImageMetadata.writableFormats.sorted { $0.rawValue < $1.rawValue }

    // MARK: Sources

    private static let secret = "Maker of the camera"
    private static let artist = "Julia Margaret Cameron\0"
    private static let notice = "\u{A9} 1867 J. M. Cameron\0The editor\0"

    /// Exif data with the artist, the copyright, and what is private.
    private static func exif(artist: String = artist, notice: String = notice, isBigEndian: Bool = true) -> ExifData? {
        func number(_ value: Int, _ size: Int) -> Data {
            let bytes = (0..<size).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
            return Data(isBigEndian ? bytes.reversed() : bytes)
        }
        var (directory, values) = (number(3, 2), Data())
        for (tag, text) in [(0x010F, secret + "\0"), (0x013B, artist), (0x8298, notice)] {
            directory += number(tag, 2) + number(2, 2) + number(text.utf8.count, 4) + number(50 + values.count, 4)
            values += Data(text.utf8)
        }
        return ExifData(
            Data((isBigEndian ? "MM" : "II").utf8) + number(42, 2) + number(8, 4) + directory + number(0, 4) + values)
    }

    private static func xmp(_ properties: String, attributes: String = "") -> Data {
        Data(
            """
            <x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#">
            <rdf:Description xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:o="http://purl.org/dc/elements/1.1/"
              xmlns:xmpRights="http://ns.adobe.com/xap/1.0/rights/" xmlns:cc="http://creativecommons.org/ns#"
              xmlns:xmpMM="http://ns.adobe.com/xap/1.0/mm/" \(attributes) dc:format="image/jpeg">
            <dc:title><rdf:Alt><rdf:li xml:lang="x-default">\(secret)</rdf:li></rdf:Alt></dc:title>
            \(properties)</rdf:Description></rdf:RDF></x:xmpmeta>
            """.utf8)
    }

    private static func iptc(_ datasets: [(UInt8, UInt8, String)]) -> Data {
        datasets.reduce(into: Data()) { data, dataset in
            data += [0x1C, dataset.0, dataset.1]
            data.append(bigEndian: dataset.2.utf8.count, 2)
            data += Data(dataset.2.utf8)
        }
    }

    private static let rights = """
        <dc:creator><rdf:Seq><rdf:li>Cameron</rdf:li><rdf:li>Herschel</rdf:li></rdf:Seq></dc:creator>
        <dc:rights><rdf:Alt><rdf:li xml:lang="x-default">All rights</rdf:li></rdf:Alt></dc:rights>
        """
    private static let records = iptc([
        (1, 90, "\u{1B}%G"), (2, 0, "\0\u{4}"), (2, 5, secret), (2, 80, "J. M. Cameron"), (2, 110, "V&A"),
        (2, 116, "\u{A9} Cameron"),
    ])

    private func image(_ metadata: ImageMetadata?) throws -> Image {
        let pixels = try PixelBuffer.drawn(PixelSize(width: 16, height: 8)) { x, _ in
            Pixel(red: UInt8(16 * x), green: 100, blue: 50)
        }
        return Image(pixels: pixels, info: ImageInfo(format: .jpeg, size: pixels.size), metadata: metadata)
    }

    private func encode(_ metadata: ImageMetadata?, _ format: ImageFormat, keeps: Bool = true) throws -> Data {
        var options = EncodeOptions(quality: 0.8)
        options.keepsCopyright = keeps
        return try Self.coders.encode(image(metadata), as: format, options: options)
    }

    private func metadata(of data: Data) throws -> ImageMetadata? {
        let context = DecodeContext(
            options: {
                var options = DecodeOptions(); options.keepsMetadata = true; return options
            }())
        return try Self.coders.decoder(for: data).decodeChecked(data, context: context).metadata
    }

    // MARK: Files

    @Test(arguments: formats) func everyFormatKeepsTheCopyrightThatItCanHave(_ format: ImageFormat) throws {
        let source = ImageMetadata(
            exif: Self.exif(), xmp: Self.xmp(Self.rights), iptc: Self.records, comment: Self.secret)
        let data = try encode(source, format)
        #expect(data.range(of: Data(Self.secret.utf8)) == nil)
        let kept = try metadata(of: data)
        let kinds = ImageMetadata.writableKinds(for: format)
        if kinds.contains(.exif) {
            #expect(kept?.exif?.text(0x013B) == "Julia Margaret Cameron")
            #expect(kept?.exif?.text(0x8298) == "\u{A9} 1867 J. M. Cameron")
            #expect(data.range(of: Data("The editor".utf8)) != nil && kept?.exif?.text(0x010F) == nil)
        }
        let packet = String(decoding: kept?.xmp ?? Data(), as: UTF8.self)
        #expect(packet.contains("<rdf:li>Herschel</rdf:li>") && packet.contains(">All rights</rdf:li>"))
        #expect(!packet.contains("dc:title") && !packet.contains("dc:format") && kept?.comment == nil)
        if [.jpeg, .png, .tiff].contains(format) {
            #expect(
                kept?.iptc
                    == Self.iptc([
                        (1, 90, "\u{1B}%G"), (2, 0, "\0\u{4}"), (2, 80, "J. M. Cameron"), (2, 110, "V&A"),
                        (2, 116, "\u{A9} Cameron"),
                    ]))
        } else {
            #expect(packet.contains("<photoshop:Credit>V&amp;A</photoshop:Credit>"))
        }
    }

    @Test(arguments: formats) func aFileIsNoLargerWithoutACopyright(_ format: ImageFormat) throws {
        let plain = try encode(nil, format, keeps: false)
        let source = ImageMetadata(
            exif: Self.exif(artist: "          \0", notice: "\0\0\0\0\0"), xmp: Self.xmp("<dc:rights> </dc:rights>"),
            iptc: Self.iptc([(1, 90, "\u{1B}%G"), (2, 0, "\0\u{4}"), (2, 5, Self.secret), (2, 80, "  ")]),
            comment: Self.secret)
        #expect(try encode(source, format) == plain && encode(nil, format) == plain)
    }

    @Test(arguments: [ImageFormat.jpeg, .webp]) func nothingIsKeptUnlessItIsAskedFor(_ format: ImageFormat) throws {
        let source = ImageMetadata(exif: Self.exif(), xmp: Self.xmp(Self.rights), iptc: Self.records)
        #expect(try metadata(of: encode(source, format, keeps: false)) == nil)
    }

    @Test func whatIsWrittenWholeIsNotReduced() {
        let source = ImageMetadata(exif: Self.exif(), xmp: Self.xmp(Self.rights), iptc: Self.records)
        let kept = source.filtered(to: [.exif], keepsCopyright: true, size: PixelSize(width: 16, height: 8))
        #expect(kept.exif?.text(0x010F) == Self.secret && kept.iptc != nil && kept.iptc != Self.records)
        #expect(kept.xmp.map { !String(decoding: $0, as: UTF8.self).contains(Self.secret) } == true)
    }

    // MARK: Exif

    @Test(arguments: [true, false]) func theCopyrightOfExifHasTheByteOrderOfItsSource(isBigEndian: Bool) throws {
        let kept = try #require(Self.exif(isBigEndian: isBigEndian)?.copyright)
        #expect(kept.bytes.starts(with: isBigEndian ? [0x4D, 0x4D, 0, 42] : [0x49, 0x49, 42, 0]))
        #expect(kept.text(0x013B) == "Julia Margaret Cameron" && kept.text(0x010F) == nil)
        #expect(try #require(Self.exif(artist: "        \0", isBigEndian: isBigEndian)?.copyright).text(0x013B) == nil)
    }

    @Test func anyFlippedByteOfExifIsKeptOrLeftOut() throws {
        let bytes = try #require(Self.exif()).bytes
        for index in bytes.indices {
            var damaged = bytes
            damaged[index] ^= 0xFF
            let kept = ExifData(damaged)?.copyright
            #expect((kept?.bytes.count ?? 0) <= bytes.count + 2)
        }
    }

    // MARK: XMP

    private func reduced(_ properties: String, attributes: String = "") -> String? {
        XMPPacket(Self.xmp(properties, attributes: attributes))?.copyright.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Properties in the forms that writers use, and what is kept of them.
    @Test(arguments: [
        (
            "<dc:rights>Mine</dc:rights>",
            "<dc:rights><rdf:Alt><rdf:li xml:lang=\"x-default\">Mine</rdf:li></rdf:Alt></dc:rights>"
        ),
        (
            "<o:creator>\n <rdf:Seq><rdf:li>A &amp; B</rdf:li></rdf:Seq></o:creator>",
            "<dc:creator><rdf:Seq><rdf:li>A &amp; B</rdf:li></rdf:Seq></dc:creator>"
        ),
        (
            "<dc:publisher><rdf:Bag><rdf:li>P</rdf:li><rdf:li>Q</rdf:li></rdf:Bag></dc:publisher>",
            "<dc:publisher><rdf:Bag><rdf:li>P</rdf:li><rdf:li>Q</rdf:li></rdf:Bag></dc:publisher>"
        ),
        ("<xmpRights:Marked>True</xmpRights:Marked>", "<xmpRights:Marked>True</xmpRights:Marked>"),
        ("<cc:license rdf:resource=\"https://a.example/by\"/>", "<cc:license>https://a.example/by</cc:license>"),
    ])
    func propertiesAreKeptInTheirUsualForm(property: String, expected: String) {
        let packet = reduced(property)
        #expect(packet?.contains(">\(expected)</rdf:Description>") == true, "\(packet ?? "nothing")")
    }

    @Test func attributesAreKept() {
        let packet = reduced(
            "", attributes: "xmpRights:WebStatement='https://a.example/?a=1&amp;b=\"2\"' dc:source=\"s\"")
        #expect(
            packet?.contains("<xmpRights:WebStatement>https://a.example/?a=1&amp;b=\"2\"</xmpRights:WebStatement>")
                == true)
        #expect(packet?.contains("source") == false)
    }

    /// What is not a property of the image itself, cannot be read, or has other elements inside.
    @Test(arguments: [
        "<xmpMM:Pantry><rdf:Bag><rdf:li><rdf:Description><dc:creator><rdf:Seq><rdf:li>Other</rdf:li></rdf:Seq></dc:creator>"
            + "</rdf:Description></rdf:li></rdf:Bag></xmpMM:Pantry>",
        "<dc:rights>", "<dc:rights><script>x</script></dc:rights>", "<dc:rights/>", "<dc:rights></dc:rights>",
        "<dc:rights><rdf:Alt><rdf:li><b>bold</b></rdf:li></rdf:Alt></dc:rights>", "<dc:copyrights>x</dc:copyrights>",
        "<cc:license rdf:resource=broken/>", "<other:rights>x</other:rights>",
        String(repeating: "<x:rights/>", count: 300) + "<dc:rights>Mine</dc:rights>",
    ])
    func otherPropertiesAreLeftOut(properties: String) {
        #expect(reduced(properties) == nil)
    }

    @Test func anyPrefixOfAPacketIsKeptOrLeftOut() {
        let packet = Self.xmp(Self.rights + "<cc:license rdf:resource='https://a.example/'/>")
        for count in 0...packet.count { _ = XMPPacket(packet.prefix(count))?.copyright }
    }

    // MARK: IPTC

    @Test func damagedRecordsAreKeptUpToTheDamage() {
        let whole = Self.iptc([(2, 80, "A"), (2, 5, Self.secret), (2, 116, "C")])
        #expect(IPTCRecords.copyright(in: whole) == Self.iptc([(2, 80, "A"), (2, 116, "C")]))
        #expect(IPTCRecords.copyright(in: whole.dropLast()) == Self.iptc([(2, 80, "A")]))
        #expect(IPTCRecords.copyright(in: Data("padding".utf8) + whole) == nil)
        #expect(
            IPTCRecords.copyright(in: (Data([0, 0]) + whole).dropFirst(2)) == Self.iptc([(2, 80, "A"), (2, 116, "C")]))
        for count in 0...whole.count { _ = IPTCRecords.copyright(in: whole.prefix(count)) }
    }
}
