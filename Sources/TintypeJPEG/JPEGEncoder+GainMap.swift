package import Foundation
package import TintypeCore

/// Adds the gain maps of 8-bit images: an Ultra HDR image (Ultra HDR image format 1.1; ISO 21496-1, annex C). Programs
/// of either specification find the map, the others show the image alone.
extension JPEGEncoder: GainMapImageEncoder {
    package func adding(
        _ map: Data, _ parameters: WrittenGainMap, to file: Data, of size: PixelSize
    ) throws(TintypeError) -> Data {
        // Small: the parameters of three channels have 142 bytes, and XMP half a kilobyte.
        let second = Self.inserting(
            Self.segment(0xE1, Self.xmpStart + parameters.xmp) + Self.segment(0xE2, Self.isoStart + parameters.binary),
            into: map, at: Self.headEnd(of: map))
        var first = Self.statingMap(of: second.count, file)
        // Only the versions: that is how a file states that a map follows.
        first = Self.inserting(
            Self.segment(0xE2, Self.isoStart + Data(count: 4)), into: first, at: Self.headEnd(of: first))
        let position = Self.headEnd(of: first)
        let index = Self.index(first.count, second.count, at: position)
        return Self.inserting(Self.segment(0xE2, index), into: first, at: position) + second
    }

    private static let xmpStart = Data("http://ns.adobe.com/xap/1.0/\0".utf8)
    private static let isoStart = Data("urn:iso:std:iso:ts:21496:-1\0".utf8)

    private static func segment(_ marker: UInt8, _ body: Data) -> Data {
        var segment = Data([0xFF, marker])
        segment.append(bigEndian: body.count + 2, 2)
        return segment + body
    }

    private static func inserting(_ segments: Data, into jpeg: Data, at position: Int) -> Data {
        jpeg.prefix(position) + segments + jpeg.dropFirst(position)
    }

    /// Returns the segments of applications and comments at the beginning of a JPEG: markers and bodies.
    private static func head(of jpeg: Data) -> [(marker: UInt8, body: Range<Int>)] {
        var (segments, offset) = ([(marker: UInt8, body: Range<Int>)](), 2)
        while offset + 4 <= jpeg.count, jpeg[offset] == 0xFF,
            (0xE0...0xEF).contains(jpeg[offset + 1]) || jpeg[offset + 1] == 0xFE
        {
            let end = offset + 2 + Int(jpeg[offset + 2]) << 8 + Int(jpeg[offset + 3])
            guard end >= offset + 4, end <= jpeg.count else { break }
            segments.append((jpeg[offset + 1], offset + 4..<end))
            offset = end
        }
        return segments
    }

    /// Returns where the tables of a JPEG begin. Segments that are inserted there leave the others in their places.
    private static func headEnd(of jpeg: Data) -> Int { head(of: jpeg).last?.body.upperBound ?? 2 }

    /// Returns the JPEG with the length of the map in its XMP packet, or in a new one.
    private static func statingMap(of length: Int, _ jpeg: Data) -> Data {
        let directory = WrittenGainMap.directory(length: length)
        let packet = head(of: jpeg).first { $0.marker == 0xE1 && jpeg[$0.body].starts(with: xmpStart) }
        let end = packet.flatMap { jpeg[$0.body].range(of: Data("</rdf:RDF>".utf8), options: .backwards) }
        guard let packet, let end, packet.body.count + directory.utf8.count < Int(UInt16.max) - 2 else {
            guard packet == nil else { return jpeg }
            let new = segment(0xE1, xmpStart + XMPPacket.packet(directory))
            return inserting(new, into: jpeg, at: headEnd(of: jpeg))
        }
        let body =
            jpeg[packet.body.lowerBound..<end.lowerBound] + Data(directory.utf8)
            + jpeg[end.lowerBound..<packet.body.upperBound]
        return jpeg.prefix(packet.body.lowerBound - 4) + segment(0xE1, Data(body)) + jpeg[packet.body.upperBound...]
    }

    /// The number of bytes of the index, without its marker and length.
    private static let indexLength = 86

    /// Returns the index of both images (CIPA DC-007, 5.2).
    ///
    /// - Parameters:
    ///   - first: The bytes of the first image without the index.
    ///   - second: The bytes of the map.
    ///   - position: Where the segment of the index will be.
    private static func index(_ first: Int, _ second: Int, at position: Int) -> Data {
        var data = Data("MPF\0MM\0*\0\0\0\u{8}".utf8)
        func append(_ numbers: Int..., size: Int) {
            for number in numbers { data.append(bigEndian: number, size) }
        }
        // The version, the number of images, and their entries, each with its tag, type and count.
        append(3, 0xB000, 7, size: 2)
        append(4, size: 4)
        data += Data("0100".utf8)
        append(0xB001, 4, size: 2)
        append(1, 2, size: 4)
        append(0xB002, 7, size: 2)
        append(32, 50, 0, size: 4)
        // Offsets count from the byte order, eight bytes after the marker of the segment.
        let whole = first + indexLength + 4
        append(0x0003_0000, whole, 0, 0, size: 4)
        append(0, second, whole - position - 8, 0, size: 4)
        return data
    }
}
