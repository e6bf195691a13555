import Tintype

/// The frames that `convert` writes, and their encoding.
struct ConvertSettings: Sendable {
    /// The only frame to write.
    var frame: Int?
    /// The encoding, and the frames to write.
    var options = EncodeOptions(quality: 0.9)
    /// Whether the user chose 8 bits per channel, which then is no loss to warn of.
    var asksForDepth = false

    private var isHighRange: Bool { options.range == .high }

    /// Checks that an image can be written in the dynamic range that the user wants.
    ///
    /// - Throws: `TintypeError.Code.noCoder`.
    func checkRange(of image: Image) throws(TintypeError) {
        guard isHighRange, image.isAnimated else { return }
        throw TintypeError(
            .noCoder, stage: .encode,
            "--hdr: animations and their frames are written with 8 bits per channel; convert them without --hdr")
    }

    /// Whether a format is written with as many bits per channel as the image has.
    func keepsDepth(as format: ImageFormat) -> Bool {
        options.depth == .sixteen && EncodeOptions.Depth.formats.contains(format) && !hasPalette(format)
    }

    private func hasPalette(_ format: ImageFormat) -> Bool {
        guard case .palette = options.colorMode else { return false }
        return EncodeOptions.ColorMode.paletteFormats.contains(format)
    }

    // MARK: Warnings

    /// Returns what a format does not keep of an image, each as a phrase for a warning.
    func losses(of image: Image, as format: ImageFormat) -> [String] {
        [lostRange(of: image, as: format), lostMetadata(image.metadata, as: format)].compactMap(\.self)
    }

    /// Returns the warning about the high range or the bits of an image, unless the user chose to lose them.
    private func lostRange(of image: Image, as format: ImageFormat) -> String? {
        let hasHighRange = image.highRange != nil
        guard !(isHighRange && hasHighRange) else { return nil }
        guard !image.info.isHighRange else {
            return "the high dynamic range is lost; avif, heic, jpeg and jxl images keep it with --hdr"
        }
        let written = keepsDepth(as: format) && hasHighRange ? (format == .avif ? 10 : 16) : 8
        guard image.info.bitDepth > written, !asksForDepth, !hasPalette(format) else { return nil }
        let loss = "\(written) of \(image.info.bitDepth) bits per channel are written"
        guard written < 16 else { return loss }
        guard written == 8, EncodeOptions.Depth.formats.contains(format) else {
            return "\(loss); jxl, png and tiff images keep up to 16"
        }
        return keepsDepth(as: format)
            ? "\(loss); animations, CMYK images and transforms other than --resize, --crop, --flip and --rotate have 8"
            : "\(loss); --depth 16 keeps them"
    }

    /// Returns the warning about metadata of an image that the user keeps, but that the format cannot have.
    private func lostMetadata(_ metadata: ImageMetadata?, as format: ImageFormat) -> String? {
        let lost = options.metadata.subtracting(ImageMetadata.writableKinds(for: format)).filter { kind in
            switch kind {
            case .exif: metadata?.exif != nil
            case .xmp: metadata?.xmp != nil
            case .iptc: metadata?.iptc != nil
            case .comment: metadata?.comment != nil
            // The profile describes the written colours. The location is in the Exif data and the XMP packet.
            case .icc, .location: false
            }
        }
        guard !lost.isEmpty else { return nil }
        return "\(format) images are written without \(MetadataList.list(lost.map(\.rawValue)))"
    }
}
