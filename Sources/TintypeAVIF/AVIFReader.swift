import CLibAVIF
import Foundation
import TintypeColor
import TintypeCore

/// libavif reading one file. It decodes with one thread.
struct AVIFReader: ~Copyable {
    let decoder: UnsafeMutablePointer<avifDecoder>
    /// The part of each frame that is the picture, its clean aperture.
    let picture: avifCropRect
    private let bytes: UnsafeRawBufferPointer

    /// Reads everything but pixels.
    ///
    /// - Parameters:
    ///   - bytes: must outlive the reader.
    ///   - isComplete: whether they are all; if not, some of the pixels that the file tells of are not there.
    init(
        _ bytes: UnsafeRawBufferPointer, isComplete: Bool = true, _ limits: DecodeLimits
    ) throws(TintypeError) {
        guard let decoder = avifDecoderCreate() else {
            throw TintypeError(.outOfMemory, stage: .decode, "no memory for an AVIF decoder")
        }
        do throws(TintypeError) {
            Self.configure(decoder, limits)
            try Self.check(
                avifDecoderSetIOMemory(decoder, bytes.bindMemory(to: UInt8.self).baseAddress, bytes.count), decoder)
            // What lies beyond the end is refused, unless it is not known where that is.
            if !isComplete { decoder.pointee.io.pointee.sizeHint = 0 }
            try Self.check(avifDecoderParse(decoder), decoder)
            try limits.check(Self.stored(decoder))
            Self.bound(decoder, limits)
            try limits.check(profileBytes: decoder.pointee.image?.pointee.icc.size ?? 0)
            try limits.check(exifBytes: decoder.pointee.image?.pointee.exif.size ?? 0)
            picture = try Self.picture(decoder)
        } catch {
            avifDecoderDestroy(decoder)
            throw error
        }
        self.decoder = decoder
        self.bytes = bytes
    }

    deinit {
        avifDecoderDestroy(decoder)
    }

    private static func configure(_ decoder: UnsafeMutablePointer<avifDecoder>, _ limits: DecodeLimits) {
        decoder.pointee.maxThreads = 1
        decoder.pointee.ignoreXMP = 1
        // Sizes are only noted while it parses, and then checked here, where each limit has its name.
        (decoder.pointee.imageSizeLimit, decoder.pointee.imageDimensionLimit) = (mostPixels, 0)
        decoder.pointee.imageCountLimit = UInt32(clamping: max(limits.frames, 1))
        // Files that some writers make without a property of their pixels are shown by every browser.
        decoder.pointee.strictFlags &= ~AVIF_STRICT_PIXI_REQUIRED.rawValue
    }

    /// libavif's own; it refuses more.
    private static let mostPixels: UInt32 = 16384 * 16384

    /// Has libavif decode nothing that is larger than the file has said.
    private static func bound(_ decoder: UnsafeMutablePointer<avifDecoder>, _ limits: DecodeLimits) {
        decoder.pointee.imageSizeLimit = min(UInt32(clamping: max(limits.pixels, 1)), mostPixels)
        decoder.pointee.imageDimensionLimit = UInt32(clamping: max(limits.side, 1))
    }

    private static func stored(_ decoder: UnsafeMutablePointer<avifDecoder>) -> ImageInfo {
        let image = decoder.pointee.image?.pointee
        return ImageInfo(format: .avif, size: PixelSize(width: Int(image?.width ?? 0), height: Int(image?.height ?? 0)))
    }

    private static func picture(_ decoder: UnsafeMutablePointer<avifDecoder>) throws(TintypeError) -> avifCropRect {
        guard let image = decoder.pointee.image?.pointee else { throw TintypeError(AVIF_RESULT_NO_CONTENT, "") }
        var rect = avifCropRect(x: 0, y: 0, width: image.width, height: image.height)
        guard image.transformFlags & AVIF_TRANSFORM_CLAP.rawValue != 0 else { return rect }
        var clap = image.clap
        guard
            avifCropRectConvertCleanApertureBox(
                &rect, &clap, image.width, image.height, image.yuvFormat, &decoder.pointee.diag) != 0
        else { throw TintypeError(AVIF_RESULT_BMFF_PARSE_FAILED, "its clean aperture makes no sense") }
        return rect
    }

    // MARK: What it says

    var storedSize: PixelSize { PixelSize(width: Int(picture.width), height: Int(picture.height)) }
    var hasAlpha: Bool { decoder.pointee.alphaPresent != 0 }
    var frameCount: Int { Int(max(decoder.pointee.imageCount, 1)) }

    var orientation: Orientation {
        guard let image = decoder.pointee.image?.pointee else { return .up }
        let isTurned = image.transformFlags & AVIF_TRANSFORM_IROT.rawValue != 0
        let isMirrored = image.transformFlags & AVIF_TRANSFORM_IMIR.rawValue != 0
        return Orientation(
            quarterTurns: isTurned ? Int(image.irot.angle) : 0, mirror: isMirrored ? Int(image.imir.mode) : nil)
    }

    /// The total number of plays; 0 is forever, and where nothing can be told. libavif 0.11 does not read it.
    var playCount: Int {
        let file = ISOFile(bytes: bytes)
        guard frameCount > 1, let track = try? file.pictureTrack()?.track else { return 0 }
        return (try? file.playCount(ofTrack: track)) ?? 0
    }

    /// Seconds of each frame.
    func durations() throws(TintypeError) -> [Double] {
        var durations: [Double] = []
        for index in 0..<frameCount {
            var timing = avifImageTiming()
            try check(avifDecoderNthImageTiming(decoder, UInt32(index), &timing))
            durations.append(timing.duration.isFinite ? max(timing.duration, 0) : 0)
        }
        return durations
    }

    /// More than 8 bits a channel.
    var isWide: Bool { (decoder.pointee.image?.pointee.depth ?? 8) > 8 }

    /// A profile says more than code points, but for those of bright displays, which no profile of 8 bits can tell.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` for a profile that is too large.
    func colors(_ limits: DecodeLimits) throws(TintypeError) -> SourceColors {
        guard let image = decoder.pointee.image?.pointee else { return .standard }
        try limits.check(profileBytes: image.icc.size)
        let coded = SourceColors.codePoints(
            primaries: Int(image.colorPrimaries), transfer: Int(image.transferCharacteristics))
        guard !coded.isHighRange, let profile = image.icc.data, image.icc.size > 0 else { return coded }
        return .profile(Data(bytes: profile, count: image.icc.size))
    }

    var exif: ExifData? {
        guard let image = decoder.pointee.image?.pointee, let bytes = image.exif.data, image.exif.size > 0 else {
            return nil
        }
        return ExifData(Data(bytes: bytes, count: image.exif.size))
    }

    /// Luma alone.
    var channels: SourceChannels {
        decoder.pointee.image?.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV400 ? .grey : .rgb
    }

    // MARK: Pixels

    /// Decodes the planes of a frame, which stay until the next one's.
    func decode(frame index: Int) throws(TintypeError) {
        try check(avifDecoderNthImage(decoder, UInt32(index)))
    }

    /// Whether colours are to be multiplied by alpha.
    var isStraight: Bool { hasAlpha && decoder.pointee.image?.pointee.alphaPremultiplied == 0 }

    /// Makes colours of rows of the frame that was decoded; straight, unless the file says that they are premultiplied.
    ///
    /// - Parameter overlap: rows above and below that are made as well and begin the target where they are there: chroma
    ///   of a row is mixed from that of its neighbours.
    ///   - depth: bits a channel, 8 or 16.
    /// - Returns: how many rows stand above the first that was asked for.
    func convert(
        _ rows: Range<Int>, overlap: Int, depth: Int = 8, into target: UnsafeMutableRawBufferPointer, stride: Int
    ) throws(TintypeError) -> Int {
        guard let image = decoder.pointee.image, let pixels = target.bindMemory(to: UInt8.self).baseAddress,
            let view = avifImageCreateEmpty()
        else { throw TintypeError(AVIF_RESULT_NO_CONTENT, "") }
        defer { avifImageDestroy(view) }
        // The payload may have another size than the file has said.
        guard image.pointee.width >= picture.x + picture.width, image.pointee.height >= picture.y + picture.height
        else { throw TintypeError(AVIF_RESULT_ISPE_SIZE_MISMATCH, "a frame is too small") }
        let top = Int(picture.y) + rows.lowerBound
        // Where a row of chroma begins: at any, or where it stands for two, at an even one.
        let isHalved = image.pointee.yuvFormat == AVIF_PIXEL_FORMAT_YUV420
        let first = isHalved ? max(0, (top - overlap) & ~1) : max(0, top - overlap)
        let end = min(Int(image.pointee.height), Int(picture.y) + rows.upperBound + overlap)
        guard (end - first) * stride <= target.count else {
            throw TintypeError(AVIF_RESULT_INVALID_ARGUMENT, "no room for its rows")
        }
        var rect = avifCropRect(
            x: picture.x, y: UInt32(first), width: picture.width, height: UInt32(end - first))
        try check(avifImageSetViewRect(view, image, &rect))
        view.pointee.alphaPremultiplied = image.pointee.alphaPremultiplied
        var rgb = avifRGBImage()
        avifRGBImageSetDefaults(&rgb, view)
        rgb.depth = UInt32(depth)
        rgb.format = AVIF_RGB_FORMAT_RGBA
        // As stored: libavif multiplies with less care than the kernels do.
        rgb.alphaPremultiplied = image.pointee.alphaPremultiplied
        (rgb.pixels, rgb.rowBytes) = (pixels, UInt32(stride))
        try check(avifImageYUVToRGB(view, &rgb))
        return top - first
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
    init(_ reader: borrowing AVIFReader) throws(TintypeError) {
        let count = reader.frameCount
        self.init(
            format: .avif, size: reader.orientation.displayed(reader.storedSize), orientation: reader.orientation,
            hasAlpha: reader.hasAlpha, frameCount: count, loopCount: reader.playCount,
            durations: count > 1 ? try reader.durations() : [],
            density: reader.exif?.density)
    }
}

extension TintypeError {
    /// - Parameters:
    ///   - result: not `AVIF_RESULT_OK`.
    ///   - reason: libavif's own words. They alone tell limits from damage.
    init(_ result: avifResult, _ reason: String) {
        switch result {
        case AVIF_RESULT_OUT_OF_MEMORY: self.init(.outOfMemory, stage: .decode, "no memory to decode an AVIF")
        case _ where reason.contains("imageCountLimit"): self = .exceeded(.frames, "an AVIF of too many frames")
        case _ where reason.contains("Limit") || reason.contains("too large ["):
            self = .exceeded(.library, "an AVIF beyond the limits: \(reason)")
        default:
            let name = String(cString: avifResultToString(result))
            let detail = reason.isEmpty ? name : reason
            self.init(.undecodable, stage: .decode, "the AVIF is damaged or cut short: \(detail)")
        }
    }
}
