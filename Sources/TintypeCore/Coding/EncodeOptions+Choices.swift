extension EncodeOptions {
    /// Whether an image is encoded so that every pixel decodes to the same value.
    public enum Compression: Hashable, Sendable {
        /// Lossless at a ``EncodeOptions/quality`` of 1, otherwise lossy.
        case automatic
        /// Lossless at any quality.
        case lossless
        /// Lossy at any quality.
        case lossy

        /// The formats for which a program can choose. PNG, TIFF and BMP are always lossless, unless
        /// ``ColorMode/palette(maxColors:)`` reduces their colours; JPEG and HEIC never are; GIF is for up to 256
        /// colours.
        package static let formats: Set<ImageFormat> = [.avif, .jxl, .webp]
    }

    /// The resolution of the colour differences in a lossy format that stores them apart from the brightness.
    ///
    /// A format that does not have a sampling uses the next one that it has; see `isSupported(by:)`.
    public enum Chroma: Hashable, Sendable {
        /// In JPEG and AVIF 4:4:4 from a quality of 0.9 on, otherwise 4:2:0; in WebP and HEIC 4:2:0.
        case automatic
        /// 4:2:0: half the resolution in both directions.
        case yuv420
        /// 4:2:2: half the horizontal resolution.
        case yuv422
        /// 4:4:4: the full resolution.
        case yuv444
        /// 4:2:0 with values that are chosen so that edges between colours stay sharp (libwebp's sharp YUV). It takes
        /// several times as long. Other formats than WebP use 4:2:0.
        case sharp420

        /// Returns whether a format has this sampling. WebP has no 4:2:2 and no 4:4:4, and uses ``sharp420`` instead.
        /// JPEG XL and lossless images are never subsampled.
        package func isSupported(by format: ImageFormat) -> Bool {
            switch self {
            case .automatic: true
            case .yuv420: [.avif, .heic, .jpeg, .webp].contains(format)
            case .yuv422, .yuv444: [.avif, .heic, .jpeg].contains(format)
            case .sharp420: format == .webp
            }
        }
    }

    /// The channels in which an image is stored.
    public enum ColorMode: Hashable, Sendable {
        /// The smallest that keeps every pixel, as the pixels themselves decide:
        ///
        /// - grey without alpha is written as grey (PNG, JPEG, TIFF, AVIF, JPEG XL), in PNG with 1, 2, 4 or 8 bits;
        /// - at most 256 colours, each with its alpha, are written as a palette (PNG, GIF);
        /// - other grey with alpha is written as grey and alpha (PNG, TIFF, AVIF, JPEG XL);
        /// - opaque pixels are written without alpha.
        ///
        /// A grey image is written in colours if the file has a colour profile, which is one for RGB.
        case automatic
        /// RGB, or RGBA if a pixel is not opaque. For programs that expect these.
        case trueColor
        /// A palette of at most this many colours, from 2 to 256: PNG and GIF. If the image has more colours, the
        /// nearest ones are chosen, and their errors diffused. Other formats are written as by ``automatic``.
        case palette(maxColors: Int)

        /// The formats with a palette.
        package static let paletteFormats: Set<ImageFormat> = [.gif, .png]
    }

    /// The largest number of bits per channel.
    public enum Depth: Int, Hashable, Sendable, CaseIterable {
        /// 8 bits.
        case eight = 8
        /// 16 bits, or 10 in AVIF, for still images with ``Image/highRange`` in `formats`.
        ///
        /// ``Image/highRange`` contains 16-bit floats, so that a sample differs from that of a 16-bit source in sRGB by
        /// up to 11 of 65,535. An image that is brighter than reference white anywhere is written with the 8 bits of
        /// ``Image/pixels``, whose tones are mapped.
        case sixteen = 16

        /// The formats that can have more than 8 bits per channel.
        package static let formats: Set<ImageFormat> = [.avif, .jxl, .png, .tiff]
    }
}

extension EncodeOptions {
    /// The quality from 0 to 1.
    // NaN compares as false and becomes 0.
    package var usedQuality: Double { quality > 0 ? min(quality, 1) : 0 }

    /// Whether an encoder that has a choice encodes without loss.
    package var isLossless: Bool {
        switch compression {
        case .automatic: usedQuality == 1
        case .lossless: true
        case .lossy: false
        }
    }

    /// The effort from 0 to 1; `nil` leaves it to the encoder.
    package var usedEffort: Double? { effort.map { $0 > 0 ? min($0, 1) : 0 } }

    /// Returns the effort on the scale of a library; `nil` leaves it to the encoder.
    ///
    /// - Parameters:
    ///   - least: The step for an effort of 0.
    ///   - most: The step for an effort of 1, which may be the smaller number.
    package func effort(from least: Int, to most: Int) -> Int? {
        usedEffort.map { least + Int((Double(most - least) * $0).rounded()) }
    }

    /// The number of colours of ``ColorMode/palette(maxColors:)``, from 2 to 256; `nil` for other modes.
    package var paletteLimit: Int? {
        guard case .palette(let count) = colorMode else { return nil }
        return min(max(count, 2), 256)
    }

    /// Whether a grey image may be written in a single channel. A file with a profile for RGB may not.
    package var allowsGrey: Bool { colorMode != .trueColor && written.profile == nil }

    /// Whether a format is written with more than 8 bits per channel if the image has them.
    func keepsDepth(as format: ImageFormat) -> Bool {
        let hasPalette = paletteLimit != nil && ColorMode.paletteFormats.contains(format)
        return depth == .sixteen && Depth.formats.contains(format) && !hasPalette
    }
}
