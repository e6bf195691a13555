package import Foundation

/// Writes metadata into an encoded image: GIF, JPEG, PNG, WebP or TIFF. Encoders of other formats write ``embedded``
/// themselves.
///
/// Metadata that does not fit into the format, such as an XMP packet of more than 64 KB in a JPEG, is omitted.
struct MetadataWriter {
    private let metadata: ImageMetadata
    /// The colour profile; `nil` to write none.
    private let profile: Data?
    /// The colour space of the pixels.
    private let colorSpace: EncodeOptions.ColorSpace
    private let size: PixelSize

    /// - Parameters:
    ///   - metadata: The metadata of the source; `nil` if there is none.
    ///   - kinds: The kinds to write.
    ///   - colorSpace: The colour space of the pixels. A profile other than sRGB is written even if `kinds` does not
    ///     contain ``MetadataKind/icc``.
    ///   - size: The size of the written image in pixels.
    ///   - format: The format that is written. IPTC records become XMP in one that has no place for them.
    ///   - keepsCopyright: Whether the authors and the copyright of the other kinds are written.
    /// - Returns: `nil` if there is nothing to write.
    init?(
        _ metadata: ImageMetadata?, _ kinds: Set<MetadataKind>, _ colorSpace: EncodeOptions.ColorSpace,
        _ size: PixelSize, _ format: ImageFormat, keepsCopyright: Bool = false
    ) {
        var metadata =
            metadata?.filtered(to: kinds, keepsCopyright: keepsCopyright, size: size) ?? ImageMetadata()
        guard !kinds.isEmpty || colorSpace != .sRGB || !metadata.isEmpty else { return nil }
        if let records = metadata.iptc, ![.jpeg, .png, .tiff].contains(format) {
            metadata.xmp = IPTCRecords(records).merged(into: metadata.xmp)
        }
        self.metadata = metadata
        switch colorSpace {
        case .sRGB: profile = kinds.contains(.icc) ? StandardProfile.data : nil
        case .displayP3: profile = StandardProfile.displayP3
        }
        self.colorSpace = colorSpace
        self.size = size
    }

    /// The metadata for an encoder whose library writes it.
    var embedded: EncodedMetadata {
        EncodedMetadata(exif: metadata.exif?.bytes, xmp: metadata.xmp, profile: profile, colorSpace: colorSpace)
    }

    /// Returns the encoded image with the metadata. Formats other than GIF, JPEG, PNG, WebP and TIFF are returned
    /// unchanged.
    ///
    /// - Parameter data: An image that one of Tintype's encoders has written.
    func inserted(into data: Data, _ format: ImageFormat) -> Data {
        let data = data.startIndex == 0 ? data : Data(data)
        return switch format {
        case .jpeg: insertedIntoJPEG(data)
        case .png: insertedIntoPNG(data)
        case .webp: insertedIntoWebP(data)
        case .gif: GIFBlocks.inserting(comment: metadata.comment, xmp: metadata.xmp, into: data)
        case .tiff: TIFFMetadataFile(data)?.inserting(metadata, profile) ?? data
        default: data
        }
    }

    // MARK: JPEG

    /// Adds segments after the JFIF segment, which must be the first (JFIF 1.02).
    private func insertedIntoJPEG(_ data: Data) -> Data {
        var (head, rest) = (data.prefix(2), data.dropFirst(2))
        if let jfif = Self.segment(0xE0, at: 2, of: data) { (head, rest) = (data[..<jfif], data[jfif...]) }
        var exif = metadata.exif
        // The thumbnail that the encoder embedded.
        if let kept = exif, let end = Self.segment(0xE1, at: rest.startIndex, of: data) {
            let embedded = ExifData(data.subdata(in: rest.startIndex + 4..<end))?.thumbnail
            exif =
                embedded.flatMap { kept.appending(thumbnail: $0) }
                .flatMap { $0.bytes.count + 6 <= Self.longestSegment ? $0 : nil } ?? kept
            rest = data[end...]
        }
        var segments = Data()
        if let exif { Self.append(0xE1, Data(ExifData.segmentStart) + exif.bytes, to: &segments) }
        if let xmp = metadata.xmp { Self.append(0xE1, Data(MetadataReader.JPEGSegment.xmp) + xmp, to: &segments) }
        // The number of the chunk, and the number of chunks (ICC.1:2022, B.4).
        if let profile { Self.append(0xE2, Data("ICC_PROFILE\0\u{1}\u{1}".utf8) + profile, to: &segments) }
        if let iptc = metadata.iptc { Self.append(0xED, PhotoshopResources.body(iptc: iptc), to: &segments) }
        if let comment = metadata.comment { Self.append(0xFE, Data(comment.utf8), to: &segments) }
        return head + segments + rest
    }

    private static let longestSegment = Int(UInt16.max) - 2

    /// Returns the end of a segment of a kind that begins at an offset.
    private static func segment(_ marker: UInt8, at offset: Int, of data: Data) -> Int? {
        guard offset + 4 <= data.count, data[offset] == 0xFF, data[offset + 1] == marker else { return nil }
        let end = offset + 2 + Int(data[offset + 2]) << 8 + Int(data[offset + 3])
        return end >= offset + 4 && end <= data.count ? end : nil
    }

    private static func append(_ marker: UInt8, _ body: Data, to segments: inout Data) {
        guard body.count <= longestSegment else { return }
        segments += Data([0xFF, marker])
        segments.append(bigEndian: body.count + 2, 2)
        segments += body
    }

    // MARK: PNG

    /// The number of bytes of the signature and the header chunk.
    private static let pngHeadLength = 33

    private func insertedIntoPNG(_ data: Data) -> Data {
        var chunks = Data()
        let statesColors = colorSpace == .sRGB && data.prefix(200).range(of: Data("sRGB".utf8)) != nil
        if let profile, !statesColors {
            // Programs only display the name of a profile.
            let name = colorSpace == .sRGB ? "sRGB\0\0" : "Display P3\0\0"
            chunks.append(chunk: "iCCP", Data(name.utf8) + ZlibStored.compressed(profile))
        }
        if let exif = metadata.exif { chunks.append(chunk: "eXIf", exif.bytes) }
        if let xmp = metadata.xmp { chunks.append(chunk: "iTXt", Data(MetadataReader.xmpKeyword) + xmp) }
        if let iptc = metadata.iptc {
            let resources = PhotoshopResources.body(iptc: iptc).dropFirst(MetadataReader.JPEGSegment.photoshop.count)
            chunks.append(chunk: "tEXt", PNGText.chunk("iptc", resources))
        }
        if let comment = metadata.comment {
            // No compression, no language, no other keyword: UTF-8.
            chunks.append(chunk: "iTXt", Data("Comment\0\0\0\0\0".utf8) + Data(comment.utf8))
        }
        return data.prefix(Self.pngHeadLength) + chunks + data.dropFirst(Self.pngHeadLength)
    }

    // MARK: WebP

    /// Adds chunks in the order that the container requires (WebP container specification, "Extended file format").
    private func insertedIntoWebP(_ data: Data) -> Data {
        guard data.count >= 30 else { return data }
        let isExtended = data.fourCharacters(at: 12) == "VP8X"
        var header = isExtended ? data.subdata(in: 20..<30) : simpleHeader(data)
        header[0] |= (profile == nil ? 0 : 0x20) | (metadata.exif == nil ? 0 : 0x08) | (metadata.xmp == nil ? 0 : 0x04)
        var chunks = Data()
        chunks.append(riff: "VP8X", header)
        if let profile { chunks.append(riff: "ICCP", profile) }
        chunks += data.dropFirst(isExtended ? 30 : 12)
        if let exif = metadata.exif { chunks.append(riff: "EXIF", exif.bytes) }
        if let xmp = metadata.xmp { chunks.append(riff: "XMP ", xmp) }
        var file = Data("RIFF".utf8)
        file.append(littleEndian: chunks.count + 4)
        return file + Data("WEBP".utf8) + chunks
    }

    /// Returns the extended header of a file of one image: flags, and the size less one in three bytes each.
    private func simpleHeader(_ data: Data) -> Data {
        // A lossless image states whether it has alpha; a lossy one with alpha has an extended header.
        let hasAlpha = data.fourCharacters(at: 12) == "VP8L" && data[24] & 0x10 != 0
        var header = Data([hasAlpha ? 0x10 : 0, 0, 0, 0])
        for side in [size.width - 1, size.height - 1] {
            for shift in [0, 8, 16] { header.append(UInt8(truncatingIfNeeded: side >> shift)) }
        }
        return header
    }
}

extension Data {
    /// Appends a PNG chunk (PNG third edition, 5.3).
    package mutating func append(chunk kind: String, _ body: Data) {
        append(bigEndian: body.count, 4)
        let content = Data(kind.utf8) + body
        self += content
        append(bigEndian: Int(ZlibStored.crc32(content)), 4)
    }

    /// Appends a chunk of a RIFF file, padded to an even number of bytes.
    fileprivate mutating func append(riff kind: String, _ body: Data) {
        self += Data(kind.utf8)
        append(littleEndian: body.count)
        self += body + Data(count: body.count % 2)
    }
}

/// The parts of zlib that metadata of a few hundred bytes need: checksums, and a stream that is not compressed.
package enum ZlibStored {
    /// Returns a zlib stream of one stored block (RFC 1950; RFC 1951, 3.2.4).
    ///
    /// - Parameter data: At most 65,535 bytes.
    static func compressed(_ data: Data) -> Data {
        let count = UInt16(clamping: data.count)
        var stream = Data([0x78, 0x01, 0x01])
        for number in [count, ~count] { stream += Data([UInt8(number & 255), UInt8(number >> 8)]) }
        stream += data.prefix(Int(count))
        stream.append(bigEndian: Int(adler32(data.prefix(Int(count)))), 4)
        return stream
    }

    private static func adler32(_ data: Data) -> UInt32 {
        var (a, b): (UInt32, UInt32) = (1, 0)
        for byte in data {
            a = (a + UInt32(byte)) % 65521
            b = (b + a) % 65521
        }
        return b << 16 | a
    }

    /// Returns the checksum of PNG chunks (PNG third edition, annex D).
    package static func crc32(_ data: Data) -> UInt32 {
        ~data.reduce(UInt32.max) { sum, byte in table[Int((sum ^ UInt32(byte)) & 255)] ^ (sum >> 8) }
    }

    private static let table: [UInt32] = (0..<256).map { index in
        var sum = UInt32(index)
        for _ in 0..<8 { sum = sum & 1 == 1 ? polynomial ^ (sum >> 1) : sum >> 1 }
        return sum
    }

    private static let polynomial: UInt32 = 0xEDB8_8320
}

/// The metadata for encoders whose library writes it together with the pixels.
///
/// ``ImageCoderRegistry`` sets this value. The registry adds metadata to files of other formats afterwards
/// (``MetadataWriter``).
package struct EncodedMetadata: Hashable, Sendable {
    /// The Exif data, from its byte order mark on.
    package var exif: Data?
    /// The XMP packet.
    package var xmp: Data?
    /// The colour profile of the pixels.
    package var profile: Data?
    /// The colour space that the pixels have.
    package var colorSpace = EncodeOptions.ColorSpace.sRGB

    package init(
        exif: Data? = nil, xmp: Data? = nil, profile: Data? = nil, colorSpace: EncodeOptions.ColorSpace = .sRGB
    ) {
        (self.exif, self.xmp, self.profile, self.colorSpace) = (exif, xmp, profile, colorSpace)
    }
}

/// A decoder of a format whose library knows where the XMP packet is.
package protocol XMPDecoder: ImageDecoder {
    /// Returns the XMP packet of an image, which has been decoded; `nil` if there is none, or if it is longer than
    /// ``DecodeLimits/exifBytes``.
    ///
    /// - Throws: ``TintypeError/Code/undecodable``, ``TintypeError/Code/limitExceeded``,
    ///   ``TintypeError/Code/outOfMemory``.
    func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data?
}
