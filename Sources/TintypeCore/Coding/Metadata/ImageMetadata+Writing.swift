extension ImageMetadata {
    /// The formats that are written with metadata.
    ///
    /// See ``writableKinds(for:)`` for what each of them can have.
    package static let writableFormats: Set<ImageFormat> = [.jpeg, .png, .webp, .avif, .heic, .jxl, .tiff, .gif]

    /// Returns the kinds of metadata that are written in a format; none for a format without metadata.
    package static func writableKinds(for format: ImageFormat) -> Set<MetadataKind> {
        switch format {
        case .jpeg, .png: Set(MetadataKind.allCases)
        case .gif: [.xmp, .iptc, .comment, .location]
        case _ where writableFormats.contains(format): Set(MetadataKind.allCases).subtracting([.comment])
        default: []
        }
    }

    /// Returns the metadata to write with the pixels of an upright image.
    ///
    /// Decoders have applied the orientation, so the written orientation is 1. The written size is that of the pixels.
    ///
    /// - Parameters:
    ///   - kinds: The kinds to keep.
    ///   - keepsCopyright: Whether the authors and the copyright of the other kinds are kept.
    ///   - size: The size of the written image in pixels.
    func filtered(to kinds: Set<MetadataKind>, keepsCopyright: Bool = false, size: PixelSize) -> ImageMetadata {
        var kept = keepsCopyright ? copyright : ImageMetadata()
        let keepsLocation = kinds.contains(.location)
        if kinds.contains(.exif) { kept.exif = exif?.rewritten(size: size, keepsLocation: keepsLocation) }
        if kinds.contains(.xmp) { kept.xmp = xmp.flatMap { XMPPacket($0)?.rewritten(keepsLocation: keepsLocation) } }
        if kinds.contains(.iptc) { kept.iptc = iptc }
        if kinds.contains(.comment) { kept.comment = comment }
        return kept
    }

    /// The authors and the copyright alone.
    private var copyright: ImageMetadata {
        ImageMetadata(
            exif: exif?.copyright, xmp: xmp.flatMap { XMPPacket($0)?.copyright },
            iptc: iptc.flatMap { IPTCRecords.copyright(in: $0) })
    }
}
