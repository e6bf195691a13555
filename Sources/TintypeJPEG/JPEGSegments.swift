import Foundation
import TintypeColor
import TintypeCore

/// The segments before the first scan of a JPEG, read in place. libjpeg would copy them.
struct JPEGSegments {
    /// A chunk of a colour profile (ICC.1:2022, B.4): its number, the count of chunks, and its bytes.
    private struct ProfileChunk {
        let number: UInt8
        let count: UInt8
        let bytes: Range<Int>
    }

    private let raw: UnsafeRawBufferPointer
    private var profileChunks: [ProfileChunk] = []
    private var exifRange: Range<Int>?
    private var xmpRange: Range<Int>?
    /// The bodies of the index of images (CIPA DC-007) and of the gain map's parameters (ISO 21496-1), without their
    /// names.
    private var imageIndexRange: Range<Int>?
    private var gainMapRange: Range<Int>?
    private var jfifDensity: PixelDensity?

    /// Reads the segments up to the first scan. Segments after a damaged one count as absent.
    ///
    /// - Parameter raw: Must outlive this value.
    init(_ raw: UnsafeRawBufferPointer) {
        self.raw = raw
        var offset = 2
        while let (marker, body) = Self.nextSegment(raw, &offset), marker != Self.scan { record(marker, body) }
    }

    private static let scan: UInt8 = 0xDA
    private static let app0: UInt8 = 0xE0
    private static let app1: UInt8 = 0xE1
    private static let app2: UInt8 = 0xE2

    /// Returns the next marker and its body (ITU-T T.81, B.1.1.3). Bytes between segments are skipped, as libjpeg does.
    private static func nextSegment(_ raw: UnsafeRawBufferPointer, _ offset: inout Int) -> (UInt8, Range<Int>)? {
        while offset + 3 < raw.count {
            guard raw[offset] == 0xFF, raw[offset + 1] != 0, raw[offset + 1] != 0xFF else {
                offset += 1
                continue
            }
            let length = Int(raw[offset + 2]) << 8 | Int(raw[offset + 3])
            let body = offset + 4..<max(offset + 4, min(offset + 2 + length, raw.count))
            defer { offset = body.upperBound }
            return (raw[offset + 1], body)
        }
        return nil
    }

    private mutating func record(_ marker: UInt8, _ body: Range<Int>) {
        switch marker {
        case Self.app0 where starts(body, with: "JFIF\0") && body.count >= 12 && jfifDensity == nil:
            jfifDensity = density(at: body.lowerBound + 7)
        case Self.app1 where starts(body, with: "Exif\0\0") && exifRange == nil:
            exifRange = body
        case Self.app1 where starts(body, with: "http://ns.adobe.com/xap/1.0/\0") && xmpRange == nil:
            xmpRange = body.dropFirst(29)
        case Self.app2 where starts(body, with: "MPF\0") && imageIndexRange == nil:
            imageIndexRange = body.dropFirst(4)
        case Self.app2 where starts(body, with: "urn:iso:std:iso:ts:21496:-1\0") && gainMapRange == nil:
            gainMapRange = body.dropFirst(28)
        case Self.app2 where starts(body, with: "ICC_PROFILE\0") && body.count >= 14:
            let start = body.lowerBound + 14
            profileChunks.append(
                ProfileChunk(number: raw[start - 2], count: raw[start - 1], bytes: start..<body.upperBound))
        default: break
        }
    }

    private func starts(_ body: Range<Int>, with word: StaticString) -> Bool {
        body.count >= word.utf8CodeUnitCount
            && raw[body].prefix(word.utf8CodeUnitCount).elementsEqual(
                UnsafeBufferPointer(start: word.utf8Start, count: word.utf8CodeUnitCount))
    }

    /// Reads the unit and two 16-bit numbers (JFIF 1.02).
    private func density(at offset: Int) -> PixelDensity? {
        let across = Double(Int(raw[offset + 1]) << 8 | Int(raw[offset + 2]))
        let down = Double(Int(raw[offset + 3]) << 8 | Int(raw[offset + 4]))
        switch raw[offset] {
        case 1: return PixelDensity(across: across, down: down)
        case 2:
            let inch = PixelDensity.centimetresAnInch
            return PixelDensity(across: across * inch, down: down * inch)
        default: return nil
        }
    }

    // MARK: Contents

    /// The Exif data, or `nil`.
    var exif: ExifData? { exifRange.flatMap { ExifData(Data(raw[$0])) } }

    /// The XMP packet, or `nil`.
    var xmp: XMPPacket? { xmpRange.flatMap { XMPPacket(Data(raw[$0])) } }

    /// The parameters of the gain map that this image is, or `nil`.
    var gainMap: GainMapParameters? {
        gainMapRange.flatMap { GainMapParameters(Data(raw[$0])) } ?? xmp.flatMap(GainMapParameters.init)
    }

    /// The number of images that are looked for in an index. Cameras write up to four.
    private static let maximumFurtherImages = 16

    /// The ranges of the images after the first one, by the index (CIPA DC-007, 5.2.3), as far as they lie in the file.
    ///
    /// Together they are at most as long as the file. Images that exceed this, because others overlap, are omitted.
    var furtherImages: [Range<Int>] {
        guard let index = imageIndexRange, let directory = TIFFDirectory.first(of: Data(raw[index])),
            let entries = directory.bytes(0xB002)
        else { return [] }
        let isBigEndian = raw[index.lowerBound] == UInt8(ascii: "M")
        func number(at start: Int) -> Int {
            let part = raw[start..<start + 4]
            return (isBigEndian ? Array(part) : part.reversed()).reduce(0) { $0 << 8 | Int($1) }
        }
        var (images, left) = ([Range<Int>](), raw.count)
        // An entry has 16 bytes: attributes, size, offset from the index, dependencies. The first is that of this
        // image.
        for position in 1..<max(1, min(entries.count / 16, Self.maximumFurtherImages + 1)) {
            let entry = index.lowerBound + entries.lowerBound + 16 * position
            let (size, start) = (number(at: entry + 4), index.lowerBound + number(at: entry + 8))
            guard size > 0, start <= raw.count, size <= min(raw.count - start, left) else { continue }
            images.append(start..<start + size)
            left -= size
        }
        return images
    }

    /// The pixel density of the JFIF segment, or else of the Exif data.
    var density: PixelDensity? { jfifDensity ?? exif?.density }

    /// Returns the colours that the file states.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large, before its chunks are joined.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let first = profileChunks.first else { return .standard }
        try limits.check(profileBytes: profileChunks.reduce(0) { $0 + $1.bytes.count })
        let sorted = profileChunks.sorted { $0.number < $1.number }
        let isComplete = sorted.count == Int(first.count) && sorted.map(\.number).elementsEqual(1...max(first.count, 1))
        return isComplete ? .profile(sorted.reduce(into: Data()) { $0.append(contentsOf: raw[$1.bytes]) }) : .standard
    }
}
