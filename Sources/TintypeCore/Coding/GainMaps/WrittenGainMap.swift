package import Foundation

/// The parameters of a gain map that is written: one range of gains for all channels, and linear codes.
package struct WrittenGainMap: Hashable, Sendable {
    /// The logarithms to base 2 of the gains that the codes 0 and 255 stand for.
    package let least: Double
    package let greatest: Double
    /// The logarithm to base 2 of the brightest light in multiples of reference white, from which a display shows all
    /// gains.
    package let headroom: Double
    /// 1 or 3.
    package let channelCount: Int

    /// The binary parameters (ISO 21496-1, C.2): the gains are applied in the primaries of the base image.
    package var binary: Data {
        var data = Data()
        // The versions, and the flags: several channels, and the colour space of the base image.
        data.append(bigEndian: 0, 4)
        data.append(UInt8(channelCount == 3 ? 0xC0 : 0x40))
        data.append(fraction: 0)
        data.append(fraction: headroom)
        for _ in 0..<channelCount {
            let offset = Double(GainMapImage.offset)
            // The range, the exponent of the codes, and the offsets of both renditions.
            for number in [least, greatest, 1, offset, offset] { data.append(fraction: number) }
        }
        return data
    }

    /// The parameters for programs that know only XMP (Adobe Gain Map specification 1.0).
    package var xmp: Data {
        let offset = Double(GainMapImage.offset)
        let attributes = [
            ("Version", "1.0"), ("BaseRenditionIsHDR", "False"), ("GainMapMin", "\(least)"),
            ("GainMapMax", "\(greatest)"), ("Gamma", "1.0"), ("OffsetSDR", "\(offset)"), ("OffsetHDR", "\(offset)"),
            ("HDRCapacityMin", "0.0"), ("HDRCapacityMax", "\(headroom)"),
        ]
        let text = attributes.map { " hdrgm:\($0.0)=\"\($0.1)\"" }.joined()
        return XMPPacket.packet("<rdf:Description rdf:about=\"\" \(Self.namespace)\(text)/>")
    }

    /// What a JPEG states about the map that follows it, as a part of RDF (Ultra HDR image format 1.1).
    ///
    /// - Parameter length: The number of bytes of the map.
    package static func directory(length: Int) -> String {
        """
        <rdf:Description rdf:about="" \(namespace) xmlns:Container="http://ns.google.com/photos/1.0/container/" \
        xmlns:Item="http://ns.google.com/photos/1.0/container/item/" hdrgm:Version="1.0"><Container:Directory><rdf:Seq>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="Primary" Item:Mime="image/jpeg"/></rdf:li>\
        <rdf:li rdf:parseType="Resource"><Container:Item Item:Semantic="GainMap" Item:Mime="image/jpeg" \
        Item:Length="\(length)"/></rdf:li></rdf:Seq></Container:Directory></rdf:Description>
        """
    }

    private static let namespace = "xmlns:hdrgm=\"http://ns.adobe.com/hdr-gain-map/1.0/\""
}

extension XMPPacket {
    /// Returns a packet of one part of RDF.
    package static func packet(_ description: String) -> Data {
        Data(
            ("<x:xmpmeta xmlns:x=\"adobe:ns:meta/\"><rdf:RDF xmlns:rdf=\"http://www.w3.org/1999/02/22-rdf-syntax-ns#\">"
                + description + "</rdf:RDF></x:xmpmeta>").utf8)
    }
}

extension Data {
    fileprivate mutating func append(fraction value: Double) {
        append(bigEndian: Int((value * 1_000_000).rounded()) & 0xFFFF_FFFF, 4)
        append(bigEndian: 1_000_000, 4)
    }
}

/// An encoder that writes an 8-bit image and a gain map into one file.
package protocol GainMapImageEncoder: ImageEncoder {
    /// Returns a file with both images.
    ///
    /// - Parameters:
    ///   - map: The map, as this encoder has encoded it.
    ///   - parameters: The meaning of the map.
    ///   - file: The 8-bit image, as this encoder has encoded it, with its metadata.
    ///   - size: The size of the 8-bit image in pixels.
    /// - Throws: ``TintypeError/Code/encodeFailed``.
    func adding(
        _ map: Data, _ parameters: WrittenGainMap, to file: Data, of size: PixelSize
    ) throws(TintypeError) -> Data
}
