import Foundation

/// Reads the metadata of an encoded image from its segments, chunks or tags.
///
/// Formats: GIF, JPEG, PNG, WebP and TIFF. The libraries of other formats read the metadata themselves
/// (``XMPDecoder``).
package struct MetadataReader {
    private let bytes: Data
    private let limits: DecodeLimits
    private var metadata = ImageMetadata()

    /// Returns the metadata of an image, which has been decoded.
    ///
    /// Metadata of more than ``DecodeLimits/exifBytes`` bytes, and metadata after a damaged segment, counts as absent.
    static func metadata(of bytes: Data, _ format: ImageFormat, _ limits: DecodeLimits) -> ImageMetadata {
        // A copy of a slice, whose indices begin at 0.
        var reader = MetadataReader(bytes: bytes.startIndex == 0 ? bytes : Data(bytes), limits: limits)
        switch format {
        case .jpeg: reader.readJPEG()
        case .png: reader.readPNG()
        case .webp: reader.readWebP()
        case .tiff: reader.readTIFF()
        case .gif: reader.readGIF()
        default: break
        }
        return reader.metadata
    }

    private init(bytes: Data, limits: DecodeLimits) {
        (self.bytes, self.limits) = (bytes, limits)
    }

    private func copy(_ range: Range<Int>) -> Data? {
        range.count <= limits.exifBytes ? bytes.subdata(in: range) : nil
    }

    private func starts(_ range: Range<Int>, with word: [UInt8]) -> Bool {
        range.count >= word.count && bytes[range].starts(with: word)
    }

    // MARK: JPEG

    /// The beginnings of the segments with metadata (Exif 2.32, 4.7.2; XMP specification, part 3, 1.1.3).
    enum JPEGSegment {
        static let exif: [UInt8] = ExifData.segmentStart
        static let xmp = Array("http://ns.adobe.com/xap/1.0/\0".utf8)
        static let photoshop = Array("Photoshop 3.0\0".utf8)
    }

    /// Reads the segments before the first scan (ITU-T T.81, B.1.1.4).
    private mutating func readJPEG() {
        var offset = 2
        while offset + 4 <= bytes.count, bytes[offset] == 0xFF, bytes[offset + 1] != 0xDA {
            let marker = bytes[offset + 1]
            // A fill byte.
            if marker == 0xFF {
                offset += 1
                continue
            }
            let end = offset + 2 + bytes.bigEndian16(at: offset + 2)
            guard end >= offset + 4, end <= bytes.count else { return }
            read(segment: marker, offset + 4..<end)
            offset = end
        }
    }

    private mutating func read(segment marker: UInt8, _ body: Range<Int>) {
        switch marker {
        case 0xE1 where starts(body, with: JPEGSegment.exif) && metadata.exif == nil:
            metadata.exif = copy(body).flatMap { ExifData($0) }
        case 0xE1 where starts(body, with: JPEGSegment.xmp) && metadata.xmp == nil:
            metadata.xmp = copy(body.dropFirst(JPEGSegment.xmp.count))
        case 0xED where starts(body, with: JPEGSegment.photoshop) && metadata.iptc == nil:
            metadata.iptc = PhotoshopResources(bytes, body.dropFirst(JPEGSegment.photoshop.count)).iptc.flatMap(copy)
        // A comment (ITU-T T.81, B.2.4.5).
        case 0xFE: add(comment: bytes[body])
        default: break
        }
    }

    // MARK: PNG and WebP

    /// The beginning of the international text chunk with XMP: the keyword, no compression, no language.
    package static let xmpKeyword = Array("XML:com.adobe.xmp\0\0\0\0\0".utf8)

    /// Adds a comment, in UTF-8 or else in Latin-1, as GIF and PNG have it.
    private mutating func add(comment bytes: Data) {
        let bytes = bytes.prefix { $0 != 0 }
        let left = limits.exifBytes - (metadata.comment?.utf8.count ?? 0)
        guard !bytes.isEmpty, bytes.count <= left else { return }
        let text = String(validating: bytes, as: UTF8.self) ?? String(bytes.map { Character(UnicodeScalar($0)) })
        metadata.comment = metadata.comment.map { "\($0)\n\(text)" } ?? text
    }

    private mutating func readPNG() {
        var offset = 8
        // Profiles that are texts, which count if there is no chunk for them.
        var legacy = ImageMetadata()
        defer {
            metadata.exif = metadata.exif ?? legacy.exif
            metadata.xmp = metadata.xmp ?? legacy.xmp
        }
        while offset + 12 <= bytes.count {
            let length = bytes.bigEndian32(at: offset)
            guard length <= bytes.count - offset - 12 else { return }
            let body = offset + 8..<offset + 8 + length
            switch bytes.fourCharacters(at: offset + 4) {
            case "eXIf" where metadata.exif == nil: metadata.exif = copy(body).flatMap { ExifData($0) }
            case "iTXt" where starts(body, with: Self.xmpKeyword) && metadata.xmp == nil:
                metadata.xmp = copy(body.dropFirst(Self.xmpKeyword.count))
            case let kind where ["tEXt", "zTXt", "iTXt"].contains(kind) && PNGText.isMetadata(bytes[body]):
                // Two hexadecimal digits for each byte, and line feeds.
                if let text = PNGText(kind, bytes[body], limit: limits.exifBytes * 2 + 1024) { read(text, &legacy) }
            default: break
            }
            offset = body.upperBound + 4
        }
    }

    private mutating func read(_ text: PNGText, _ legacy: inout ImageMetadata) {
        if text.keyword.lowercased() == "comment" { return add(comment: text.text) }
        if text.keyword == "XML:com.adobe.xmp", legacy.xmp == nil { legacy.xmp = limited(text.text) }
        guard let kind = text.profileKind, let profile = text.profile.flatMap(limited) else { return }
        switch kind {
        // The records alone, or in resources of Photoshop.
        case "iptc" where profile.first == 0x1C: metadata.iptc = metadata.iptc ?? profile
        case "iptc", "8bim":
            let start = profile.starts(with: JPEGSegment.photoshop) ? JPEGSegment.photoshop.count : 0
            let records = PhotoshopResources(profile, start..<profile.count).iptc.map { profile.subdata(in: $0) }
            metadata.iptc = metadata.iptc ?? records
        case "exif" where legacy.exif == nil: legacy.exif = ExifData(profile)
        case "xmp" where legacy.xmp == nil: legacy.xmp = profile
        // The body of a JPEG segment.
        case "APP1" where profile.starts(with: JPEGSegment.exif): legacy.exif = legacy.exif ?? ExifData(profile)
        case "APP1" where profile.starts(with: JPEGSegment.xmp):
            legacy.xmp = legacy.xmp ?? Data(profile.dropFirst(JPEGSegment.xmp.count))
        default: break
        }
    }

    private func limited(_ data: Data) -> Data? { data.count <= limits.exifBytes ? data : nil }

    private mutating func readWebP() {
        var offset = 12
        while offset + 8 <= bytes.count {
            let length = bytes.littleEndian32(at: offset + 4)
            guard length <= bytes.count - offset - 8 else { return }
            let body = offset + 8..<offset + 8 + length
            switch bytes.fourCharacters(at: offset) {
            case "EXIF" where metadata.exif == nil: metadata.exif = copy(body).flatMap { ExifData($0) }
            case "XMP " where metadata.xmp == nil: metadata.xmp = copy(body)
            default: break
            }
            // Chunks begin at even offsets.
            offset = body.upperBound + length % 2
        }
    }

    // MARK: TIFF

    private mutating func readGIF() {
        let blocks = GIFBlocks(bytes, limit: limits.exifBytes)
        for comment in blocks.comments { add(comment: comment) }
        metadata.xmp = blocks.xmp.flatMap(copy)
    }

    /// The Exif data of a TIFF is the file itself: ``ImageMetadata/exif`` has a copy of what does not describe its
    /// pixels.
    private mutating func readTIFF() {
        guard let directory = TIFFDirectory.first(of: bytes) else { return }
        metadata.exif = ExifData.extracted(fromTIFF: bytes, limit: limits.exifBytes)
        metadata.xmp = directory.bytes(0x02BC).flatMap(copy)
        metadata.iptc = directory.bytes(0x83BB).flatMap(copy)
    }
}

/// The resources of Photoshop in a JPEG segment (Adobe Photoshop File Formats Specification, image resources).
struct PhotoshopResources {
    /// The range of the IPTC records; `nil` if there are none.
    let iptc: Range<Int>?

    /// The number of the resource with the IPTC records.
    private static let iptcNumber = 0x0404

    init(_ bytes: Data, _ body: Range<Int>) {
        var (offset, found) = (body.lowerBound, Range<Int>?.none)
        while found == nil, offset + 12 <= body.upperBound, bytes.fourCharacters(at: offset) == "8BIM" {
            // A name of one length byte and its characters, padded to an even number.
            let nameLength = (Int(bytes[offset + 6]) + 2) / 2 * 2
            let start = offset + 6 + nameLength + 4
            guard start <= body.upperBound else { break }
            let length = bytes.bigEndian32(at: start - 4)
            guard length <= body.upperBound - start else { break }
            if bytes.bigEndian16(at: offset + 4) == Self.iptcNumber { found = start..<start + length }
            offset = start + length + length % 2
        }
        iptc = found
    }

    /// Returns a segment body with IPTC records alone.
    static func body(iptc: Data) -> Data {
        var body = Data(MetadataReader.JPEGSegment.photoshop) + Data("8BIM".utf8)
        body.append(bigEndian: Self.iptcNumber, 2)
        // No name.
        body += Data([0, 0])
        body.append(bigEndian: iptc.count, 4)
        return body + iptc + Data(count: iptc.count % 2)
    }
}

// MARK: - Numbers

extension Data {
    /// Returns a number of two bytes; the caller has checked the bounds, and indices begin at 0.
    fileprivate func bigEndian16(at offset: Int) -> Int { Int(self[offset]) << 8 | Int(self[offset + 1]) }

    func bigEndian32(at offset: Int) -> Int { bigEndian16(at: offset) << 16 | bigEndian16(at: offset + 2) }

    func littleEndian32(at offset: Int) -> Int {
        (0..<4).reduce(0) { $0 | Int(self[offset + $1]) << (8 * $1) }
    }

    func fourCharacters(at offset: Int) -> String { String(decoding: self[offset..<offset + 4], as: UTF8.self) }

    /// Appends the low `size` bytes of a number, the most significant first.
    package mutating func append(bigEndian number: Int, _ size: Int) {
        for shift in (0..<size).reversed() { append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }

    /// Appends the low four bytes of a number, the least significant first.
    mutating func append(littleEndian number: Int) {
        for shift in 0..<4 { append(UInt8(truncatingIfNeeded: number >> (8 * shift))) }
    }
}
