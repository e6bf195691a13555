import Foundation
import Testing
import TintypeTesting

@testable import TintypeCore

/// Reads the orientation and the location from XMP packets, and rewrites the packets.
@Suite struct XMPPacketTests {
    private static let exif = #"xmlns:exif="http://ns.adobe.com/exif/1.0/""#
    private static let tiff = #"xmlns:tiff="http://ns.adobe.com/tiff/1.0/""#

    private static func packet(_ content: String, declaring names: String = "") -> Data {
        Data("<rdf:RDF \(names)>\(content)</rdf:RDF>".utf8)
    }

    private static func rewritten(_ packet: Data, keepsLocation: Bool = false) -> String? {
        XMPPacket(packet)?.rewritten(keepsLocation: keepsLocation).map { String(decoding: $0, as: UTF8.self) }
    }

    // MARK: Properties in properties

    private static let nestedLocations = [
        #"<rdf:RDF xmlns:e="http://ns.adobe.com/exif/1.0/"><exif:GPSA><e:GPSB/></exif:GPSA>"#,
        #"<rdf:RDF xmlns:x="http://ns.adobe.com/exif/1.0/"><exif:GPSA x:GPSB="aaaaaaaa"/>"#,
        #"<rdf:RDF xmlns:x="http://ns.adobe.com/exif/1.0/"><exif:GPSA x:GPSB="a/>">secret</exif:GPSA>"#,
        "<rdf:RDF><exif:GPSA><exif:GPSAB>secret</exif:GPSAB>secret</exif:GPSA>",
    ]

    @Test(arguments: nestedLocations, ["", "</rdf:RDF>"]) func theOuterLocationIsRemovedAsAWhole(
        _ packet: String, _ end: String
    ) {
        let result = Self.rewritten(Data((packet + end).utf8))
        #expect(result?.contains("GPS") == false || packet.contains("GPSAB"))
        #expect(result?.contains("secret") != true)
        #expect(result.map { $0.hasSuffix(end) } ?? true)
    }

    private static let nestedOrientations = [
        #"<rdf:RDF xmlns:x="http://ns.adobe.com/tiff/1.0/"><tiff:Orientation><x:Orientation>1000</x:Orientation></tiff:Orientation>"#,
        #"<rdf:RDF xmlns:x="http://ns.adobe.com/tiff/1.0/"><tiff:Orientation x:Orientation="\#(String(repeating: "A", count: 1000))">6</tiff:Orientation>"#,
    ]

    /// An orientation that contains an element is malformed; one with an attribute is a number.
    @Test(arguments: nestedOrientations, ["", "</rdf:RDF>"])
    func anOrientationInAnOrientationIsNotEdited(_ packet: String, _ end: String) {
        for keepsLocation in [true, false] {
            let result = Self.rewritten(Data((packet + end).utf8), keepsLocation: keepsLocation)
            #expect((result == nil) == packet.contains("<x:Orientation>"))
            #expect(result?.hasSuffix(">1</tiff:Orientation>" + end) ?? true)
        }
    }

    /// Names without an end are searched at many positions. 200 searches of a megabyte would exceed the time limit.
    @Test func namesWithoutAnEndCostLittle() {
        let packet = XMPPacket(Data(("<rdf:RDF" + String(repeating: "<Orientation", count: 80_000)).utf8))
        #expect(packet != nil && packet?.orientation == nil)
        #expect(packet?.rewritten(keepsLocation: false) == nil)
    }

    @Test func noTruncationOfNestedPropertiesEndsTheProcess() {
        var rewrittenCount = 0
        for packet in Self.nestedLocations + Self.nestedOrientations.prefix(1) {
            let data = Data(packet.utf8)
            for count in data.indices {
                guard let result = XMPPacket(data.prefix(count))?.rewritten(keepsLocation: false) else { continue }
                #expect(result.count <= count)
                rewrittenCount += 1
            }
        }
        #expect(rewrittenCount > 0)
    }

    /// Whether a packet has an element or an attribute that states the location: any prefix, and a name that begins so.
    private static func statesLocation(_ packet: String) -> Bool {
        packet.contains(/<([^\s<>\/=:"']+:)?(GPS|Gps|gps)/)
            || packet.contains(/\s([^\s<>\/=:"']+:)?(GPS|Gps|gps)[^\s=\/>]*\s*=\s*["']/)
    }

    @Test(arguments: [
        ("<exif:GPSA>", true), ("<GPSE>", true), ("< e:GpsC = '1'", true), (" GPSD=\"", true), ("</exif:GPSA>", false),
        ("GPS", false), ("<exif:MyGPS a='GPS'>", false),
    ]) func theLocationIsSeenByTheTest(_ text: String, _ isLocation: Bool) {
        #expect(Self.statesLocation(text) == isLocation)
    }

    /// Random sequences of tags, attributes and text: none ends the process, and none keeps a location.
    @Test func randomPacketsKeepNoLocation() {
        let fragments = [
            "<exif:GPSA>", "</exif:GPSA>", "<e:GPSB/>", "<e:GPSB ", " e:GPSC='1'", " GpsD=\"", "\"", ">", "/>", "<",
            "GPS",
            "<tiff:Orientation>", "</tiff:Orientation>", " t:Orientation='6'", "6", " ", "text", "<GPSE>", "</GPSE>",
        ]
        var random = SeededRandom.printed("XMPPacketTests")
        var removedCount = 0
        for _ in 0..<1000 {
            let count = Int.random(in: 1...12, using: &random)
            let content = (0..<count).map { _ in fragments.randomElement(using: &random) ?? "" }
            let packet = Self.packet(
                content.joined(), declaring: "\(Self.exif) xmlns:t=\"http://ns.adobe.com/tiff/1.0/\"")
            guard let result = Self.rewritten(packet) else { continue }
            #expect(!Self.statesLocation(result), "\(content)")
            if Self.statesLocation(String(decoding: packet, as: UTF8.self)) { removedCount += 1 }
            // A result is stable: nothing is left that another call would remove.
            #expect(Self.rewritten(Data(result.utf8)) == result, "\(content)")
        }
        #expect(removedCount > 0)
    }

    // MARK: Namespaces

    private static let hiddenLocations = [
        #"<rdf:Description><GPSLatitude xmlns="http://ns.adobe.com/exif/1.0/">52,30N</GPSLatitude></rdf:Description>"#,
        #"<rdf:Description \#((0..<12).map { "xmlns:e\($0)=\"http://ns.adobe.com/exif/1.0/\" " }.joined())><e11:GPSLatitude>52,30N</e11:GPSLatitude></rdf:Description>"#,
        #"<rdf:Description xmlns:drone-dji="http://www.dji.com/drone-dji/1.0/" drone-dji:GpsLatitude="+52.30N"/>"#,
        "<exif:GPSLatitude title='>'>52,30N</exif:GPSLatitude>",
        "<exif:GPSLatitude>52,30N",
        "<exif:GPSLatitude><exif:GPSLatitude>1</exif:GPSLatitude>52,30N</exif:GPSLatitude>",
    ]

    @Test(arguments: hiddenLocations) func theLocationIsFoundInEachNamespaceAndForm(_ content: String) {
        let packet = Self.packet(content)
        #expect(Self.rewritten(packet)?.contains("30N") != true)
        #expect(Self.rewritten(packet, keepsLocation: true)?.contains("30N") == true)
    }

    /// The rest of the packet is unchanged, also words that look like a location.
    @Test func onlyTheLocationIsRemoved() {
        let names = #"xmlns:GPSMaker="http://maker.example/" \#(Self.exif)"#
        let text = "<dc:title>Tested my GPS: it works</dc:title><exif:MyGPS>1</exif:MyGPS>"
        let packet = Self.packet("<exif:GPSLatitude>52,30N</exif:GPSLatitude>" + text, declaring: names)
        #expect(Self.rewritten(packet) == String(decoding: Self.packet(text, declaring: names), as: UTF8.self))
    }

    @Test(arguments: [
        ("<tiff:Orientation>6</tiff:Orientation>", tiff),
        ("<t:Orientation>6</t:Orientation>", #"xmlns:t="http://ns.adobe.com/tiff/1.0/""#),
        ("<Orientation>6</Orientation>", #"xmlns="http://ns.adobe.com/tiff/1.0/""#),
        ("<rdf:Description tiff:Orientation=\"6\"/>", tiff),
    ]) func theOrientationIsReadAndReset(_ content: String, _ names: String) {
        let packet = Self.packet(content, declaring: names)
        #expect(XMPPacket(packet)?.orientation == .right)
        let upright = Self.packet(content.replacingOccurrences(of: "6", with: "1"), declaring: names)
        #expect(Self.rewritten(packet) == String(decoding: upright, as: UTF8.self))
    }

    @Test func otherOrientationsAreKept() {
        let content =
            "<pano:Orientation>6</pano:Orientation><tiff:Orientation/><tiff:OrientationNote>6</tiff:OrientationNote>"
        let packet = Self.packet(content, declaring: Self.tiff)
        #expect(XMPPacket(packet)?.orientation == nil)
        #expect(Self.rewritten(packet) == String(decoding: packet, as: UTF8.self))
    }
}
