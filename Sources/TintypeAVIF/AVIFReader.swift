import CLibAVIF
import Foundation
import TintypeColor
import TintypeCore

/// Reads one file with libavif.
///
/// Not thread-safe: use it from one thread at a time.
struct AVIFReader: ~Copyable {
    let decoder: UnsafeMutablePointer<avifDecoder>
    /// The visible part of each frame, in pixels of the coded frame.
    private let cleanAperture: avifCropRect
    let bytes: UnsafeRawBufferPointer
    private let track: AVIFTrack?
    /// What libavif reads instead of the file, if it needs a copy. It must outlive the decoder.
    private let adaptedCopy: AVIFAdaptedCopy?

    /// Reads everything but pixels.
    ///
    /// - Parameters:
    ///   - bytes: The file or its first bytes. They must outlive the reader.
    ///   - isComplete: Whether `bytes` are the whole file. If not, the data of the last frames may be missing.
    ///   - readsXMP: Whether to read the XMP packet.
    /// - Throws: `TintypeError.Code.limitExceeded` if the image, its profile or its Exif data is too large, or if
    ///   there are too many frames; `TintypeError.Code.undecodable`; `TintypeError.Code.outOfMemory`.
    init(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool = true, readsXMP: Bool = false, limits: DecodeLimits
    ) throws(TintypeError) {
        try AVIFLibrary.load()
        let adaptedCopy = try AVIFAdaptedCopy.ifNeeded(bytes)
        let bytes = adaptedCopy?.bytes ?? bytes
        let track = try AVIFTrack(bytes)
        guard let decoder = avifDecoderCreate() else {
            throw TintypeError(.outOfMemory, stage: .decode, "not enough memory for an AVIF decoder")
        }
        do throws(TintypeError) {
            Self.configure(decoder, limits)
            decoder.pointee.ignoreXMP = readsXMP ? 0 : 1
            try Self.check(
                avifDecoderSetIOMemory(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count), decoder)
            // libavif rejects data beyond the size hint, and a prefix does not know the size.
            if !isComplete { decoder.pointee.io.pointee.sizeHint = 0 }
            try Self.check(avifDecoderParse(decoder), decoder)
            try limits.check(Self.storedInfo(decoder))
            Self.applySizeLimits(decoder, limits)
            try limits.check(profileBytes: decoder.pointee.image?.pointee.icc.size ?? 0)
            try limits.check(exifBytes: decoder.pointee.image?.pointee.exif.size ?? 0)
            cleanAperture = try Self.cleanAperture(decoder)
        } catch {
            avifDecoderDestroy(decoder)
            throw error
        }
        (self.decoder, self.bytes, self.track, self.adaptedCopy) = (decoder, bytes, track, adaptedCopy)
    }

    deinit {
        avifDecoderDestroy(decoder)
    }

    /// Sets the number of threads, with the calling one, before the first frame is decoded.
    func setThreads(_ count: Int) { decoder.pointee.maxThreads = Int32(clamping: count) }

    private static func configure(_ decoder: UnsafeMutablePointer<avifDecoder>, _ limits: DecodeLimits) {
        decoder.pointee.maxThreads = 1
        // The parser only notes sizes; they are checked afterwards, where the error names the limit.
        (decoder.pointee.imageSizeLimit, decoder.pointee.imageDimensionLimit) = (maxPixels, 0)
        decoder.pointee.imageCountLimit = UInt32(clamping: max(limits.frames, 1))
        // Some writers omit the `pixi` property, and every browser shows their files.
        // Others omit the size of the alpha image.
        decoder.pointee.strictFlags &= ~(AVIF_STRICT_PIXI_REQUIRED.rawValue | AVIF_STRICT_ALPHA_ISPE_REQUIRED.rawValue)
    }

    /// The highest limit that libavif accepts.
    private static let maxPixels: UInt32 = 16384 * 16384

    /// Makes libavif reject frames above the limits: the coded size may differ from the declared one.
    private static func applySizeLimits(_ decoder: UnsafeMutablePointer<avifDecoder>, _ limits: DecodeLimits) {
        let allowed = min(limits.pixels, codedPixels(of: storedInfo(decoder).size))
        decoder.pointee.imageSizeLimit = min(UInt32(clamping: max(allowed, 1)), maxPixels)
        decoder.pointee.imageDimensionLimit = UInt32(clamping: max(limits.side, 1))
    }

    /// Returns the largest number of coded pixels for a declared size: sides are padded to whole blocks.
    static func codedPixels(of declared: PixelSize) -> Int {
        let (product, overflow) = (declared.width + largestBlock).multipliedReportingOverflow(
            by: declared.height + largestBlock)
        return overflow ? .max : product
    }

    /// The side of AV1's largest block in pixels.
    private static let largestBlock = 128

    private static func storedInfo(_ decoder: UnsafeMutablePointer<avifDecoder>) -> ImageInfo {
        let image = decoder.pointee.image?.pointee
        return ImageInfo(format: .avif, size: PixelSize(width: Int(image?.width ?? 0), height: Int(image?.height ?? 0)))
    }

    private static func cleanAperture(
        _ decoder: UnsafeMutablePointer<avifDecoder>
    ) throws(TintypeError) -> avifCropRect {
        guard let image = decoder.pointee.image?.pointee else { throw TintypeError(AVIF_RESULT_NO_CONTENT, "") }
        var rect = avifCropRect(x: 0, y: 0, width: image.width, height: image.height)
        guard image.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0 else { return rect }
        var clap = image.clap
        guard
            avifCropRectConvertCleanApertureBox(
                &rect, &clap, image.width, image.height, image.yuvFormat, &decoder.pointee.diag) != 0
        else { throw TintypeError(AVIF_RESULT_BMFF_PARSE_FAILED, "invalid clean aperture") }
        return rect
    }

    // MARK: Properties

    /// The visible size in pixels, before rotation.
    var storedSize: PixelSize { PixelSize(width: Int(cleanAperture.width), height: Int(cleanAperture.height)) }
    var hasAlpha: Bool { decoder.pointee.alphaPresent != 0 }
    var frameCount: Int { Int(max(decoder.pointee.imageCount, 1)) }

    var orientation: Orientation {
        guard let image = decoder.pointee.image?.pointee else { return .up }
        let isTurned = image.transformFlags & AVIF_TRANSFORM_IROT.rawValue != 0
        let isMirrored = image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0
        return Orientation(
            quarterTurns: isTurned ? Int(image.irot.angle) : 0, mirror: isMirrored ? Int(image.imir.mode) : nil)
    }

    /// The total number of plays; 0 is forever, also if the file does not say. libavif 0.11 does not read it.
    var playCount: Int {
        let file = ISOFile(bytes: bytes)
        guard frameCount > 1, let track = try? file.imageTrack()?.track else { return 0 }
        return (try? file.playCount(ofTrack: track)) ?? 0
    }

    /// Returns the duration of each frame in seconds.
    func durations() throws(TintypeError) -> [Double] {
        // A still image is shown for a second, as in libavif.
        try track?.durations(bytes, count: frameCount) ?? [Double](repeating: 1, count: frameCount)
    }

    /// Whether a channel has more than 8 bits.
    var isWide: Bool { depth > 8 }
    /// Bits per channel.
    var depth: Int { Int(decoder.pointee.image?.pointee.depth ?? 8) }

    /// Returns the meaning of the samples: the code points of a high-range transfer, which no profile can express,
    /// otherwise the profile, otherwise the code points.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` for a profile that is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let image = decoder.pointee.image?.pointee else { return .standard }
        try limits.check(profileBytes: image.icc.size)
        let coded = codedColors
        guard !coded.isHighRange, let profile = image.icc.data, image.icc.size > 0 else { return coded }
        return .profile(Data(bytes: profile, count: image.icc.size))
    }

    /// The code points of the colours.
    var codedColors: SourceColors {
        guard let image = decoder.pointee.image?.pointee else { return .standard }
        return .codePoints(primaries: Int(image.colorPrimaries), transfer: Int(image.transferCharacteristics))
    }

    var exif: ExifData? {
        guard let image = decoder.pointee.image?.pointee, let bytes = image.exif.data, image.exif.size > 0 else {
            return nil
        }
        return ExifData(Data(bytes: bytes, count: image.exif.size))
    }

    /// The XMP packet, if the reader was created to read it.
    var xmp: Data? {
        guard let image = decoder.pointee.image?.pointee, let bytes = image.xmp.data, image.xmp.size > 0 else {
            return nil
        }
        return Data(bytes: bytes, count: image.xmp.size)
    }

    /// Whether a brighter rendition can be made of the image.
    fileprivate var hasGainMap: Bool { AVIFGainMap(bytes, DecodeContext()) != nil }

    /// Grey if the file stores luma alone.
    var channels: SourceChannels {
        decoder.pointee.image?.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? .grey : .rgb
    }

    // MARK: Pixels

    /// Decodes the planes of a frame, after the frames that it depends on. They stay valid until the next frame is
    /// decoded.
    ///
    /// The frames are requested one by one, because libavif cannot be cancelled between them. It also adds up the
    /// durations of all earlier frames for each one.
    func decode(frame index: Int, isCancelled: () -> Bool = { false }) throws(TintypeError) {
        for frame in firstFrame(for: index)...index {
            guard !isCancelled() else { throw .cancelled }
            try check(avifDecoderNthImage(decoder, UInt32(frame)))
        }
    }

    /// The first frame to decode before a frame is available: the one after the current frame, unless there is a key
    /// frame in between.
    private func firstFrame(for index: Int) -> Int {
        let current = Int(decoder.pointee.imageIndex)
        let key = min(index, Int(avifDecoderNearestKeyframe(decoder, UInt32(index))))
        guard current != index else { return index }
        return current < index ? max(current + 1, key) : key
    }

    /// Whether colours are not yet multiplied by alpha.
    var isStraight: Bool { hasAlpha && decoder.pointee.image?.pointee.alphaPremultiplied == 0 }

    /// Converts rows of the decoded frame to RGBA, premultiplied only if they are stored so.
    ///
    /// - Parameters:
    ///   - rows: Rows of the visible part of the frame.
    ///   - overlap: The number of rows above and below that are converted too, as far as they exist: the chroma of a
    ///     row is interpolated from its neighbours.
    ///   - depth: Bits per channel, 8 or 16.
    ///   - target: Receives the rows, beginning with those of the overlap.
    ///   - stride: Bytes from one row of `target` to the next.
    /// - Returns: The number of overlap rows above the first requested row.
    /// - Throws: `TintypeError.Code.undecodable` if the frame is smaller than declared;
    ///   `TintypeError.Code.outOfMemory`.
    func convert(
        _ rows: Range<Int>, overlap: Int, depth: Int = 8, into target: UnsafeMutableRawBufferPointer, stride: Int
    ) throws(TintypeError) -> Int {
        guard let image = decoder.pointee.image, let pixels = target.bindMemory(to: UInt8.self).baseAddress,
            let view = avifImageCreateEmpty()
        else { throw TintypeError(AVIF_RESULT_NO_CONTENT, "") }
        defer { avifImageDestroy(view) }
        // The coded size may differ from the declared one.
        guard image.pointee.width >= cleanAperture.x + cleanAperture.width,
            image.pointee.height >= cleanAperture.y + cleanAperture.height
        else { throw TintypeError(AVIF_RESULT_ISPE_SIZE_MISMATCH, "a frame is smaller than declared") }
        let top = Int(cleanAperture.y) + rows.lowerBound
        // In 4:2:0 a chroma row covers two rows, so the view must begin at an even one.
        let isHalved = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV420
        let first = isHalved ? max(0, (top - overlap) & ~1) : max(0, top - overlap)
        let end = min(Int(image.pointee.height), Int(cleanAperture.y) + rows.upperBound + overlap)
        guard (end - first) * stride <= target.count else {
            throw TintypeError(AVIF_RESULT_INVALID_ARGUMENT, "the row buffer is too small")
        }
        var rect = avifCropRect(
            x: cleanAperture.x, y: UInt32(first), width: cleanAperture.width, height: UInt32(end - first))
        try check(setView(view, of: image, &rect))
        view.pointee.alphaPremultiplied = image.pointee.alphaPremultiplied
        var rgb = avifRGBImage()
        avifRGBImageSetDefaults(&rgb, view)
        rgb.depth = UInt32(depth)
        rgb.format = AVIF_RGB_FORMAT_RGBA
        // libavif would take the nearest chroma of samples for which libyuv has nothing better, such as those of 12
        // bits.
        rgb.chromaUpsampling = AVIF_CHROMA_UPSAMPLING_BILINEAR
        // As stored: our kernels premultiply more exactly than libavif.
        rgb.alphaPremultiplied = image.pointee.alphaPremultiplied
        (rgb.pixels, rgb.rowBytes) = (pixels, UInt32(stride))
        try check(avifImageYUVToRGB(view, &rgb))
        return top - first
    }

    /// Makes `view` show a part of an image. libavif wants even offsets in 4:0:0 as well, where there is no chroma that
    /// is halved; 4:4:4 has any.
    private func setView(
        _ view: UnsafeMutablePointer<avifImage>, of image: UnsafeMutablePointer<avifImage>, _ part: inout avifCropRect
    ) -> avifResult {
        let format = image.pointee.yuvFormat
        guard format == AVIF_PIXEL_FORMAT_YUV400 else { return avifImageSetViewRect(view, image, &part) }
        var source = image.pointee
        source.yuvFormat = AVIF_PIXEL_FORMAT_YUV444
        let result = avifImageSetViewRect(view, &source, &part)
        view.pointee.yuvFormat = format
        return result
    }

    private func check(_ result: avifResult) throws(TintypeError) {
        try Self.check(result, decoder)
    }

    private static func check(
        _ result: avifResult, _ decoder: UnsafeMutablePointer<avifDecoder>
    ) throws(TintypeError) {
        guard result != AVIF_RESULT_OK else { return }
        let reason = withUnsafeBytes(of: &decoder.pointee.diag.error) { bytes in
            String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw TintypeError(result, reason)
    }
}

extension ImageInfo {
    /// Reads the properties of a file; throws as ``AVIFReader/durations()``.
    init(_ reader: borrowing AVIFReader) throws(TintypeError) {
        let count = reader.frameCount
        self.init(
            format: .avif, size: reader.orientation.displayed(reader.storedSize), orientation: reader.orientation,
            hasAlpha: reader.hasAlpha, frameCount: count, loopCount: reader.playCount,
            durations: count > 1 ? try reader.durations() : [],
            density: reader.exif?.density)
        bitDepth = max(bitDepth, reader.depth)
        isHighRange = reader.codedColors.isHighRange || (count == 1 && reader.hasGainMap)
    }
}

extension TintypeError {
    /// Creates the error for a failure of libavif.
    ///
    /// - Parameters:
    ///   - result: Any value but `AVIF_RESULT_OK`.
    ///   - reason: The diagnostic message of libavif. Only its text distinguishes exceeded limits from damage.
    init(_ result: avifResult, _ reason: String) {
        switch result {
        case AVIF_RESULT_OUT_OF_MEMORY: self.init(.outOfMemory, stage: .decode, "not enough memory to decode an AVIF")
        case _ where reason.contains("imageCountLimit"): self = .exceeded(.frames, "the AVIF has too many frames")
        case _ where reason.contains("Limit") || reason.contains("too large ["):
            self = .exceeded(.library, "the AVIF exceeds a limit of libavif: \(reason)")
        default:
            let name = String(cString: avifResultToString(result))
            let detail = reason.isEmpty ? name : reason
            self.init(.undecodable, stage: .decode, "the AVIF is damaged or truncated: \(detail)")
        }
    }
}
