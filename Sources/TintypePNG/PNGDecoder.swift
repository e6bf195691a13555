import CTintypePNG
package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of PNG, still and animated.
    public static let png = ImageCoderRegistry(decoders: [PNGDecoder()], encoders: [PNGEncoder()])
}

/// Decodes PNG (W3C Portable Network Graphics, third edition), including animations.
///
/// The pixels of most files are inflated at once by libdeflate, into at most 64 MB; libpng reads all others row by row:
/// larger and damaged ones, and those that are interlaced or have samples of other than 8 bits. A smaller size is
/// resampled as rows are unfiltered, without holding the full image as RGBA. Only an interlaced image is decoded whole
/// first. Decoders hold no state; any thread may use one.
package struct PNGDecoder: ProgressiveAnimationDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a PNG decoder.
    package init() {}

    /// The formats that this decoder reads: PNG.
    package var formats: Set<ImageFormat> { [.png] }

    /// Reads the chunks before the pixels, and the delays of all frames of an animation.
    ///
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged, `TintypeError.Code.limitExceeded` for too
    ///   much metadata.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        let reader = try PNGReader(DecodeContext())
        return try bytes.withTypedBytes { bytes throws(TintypeError) in
            guard let header = try reader.open(bytes, isComplete: isComplete) else { return nil }
            var info = ImageInfo(header, PNGMetadata(bytes, isComplete: isComplete))
            guard header.frame_count > 1 else { return info }
            guard let durations = try Self.durations(bytes, header, isComplete: isComplete) else { return nil }
            info.durations = durations
            return info
        }
    }

    /// Decodes the image, or the part and size that the options ask for.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded` if the image is too large, before it is allocated,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let reader = try PNGReader(context)
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try reader.open(raw, isComplete: true) else { throw TintypeError(.truncated, "") }
            let metadata = PNGMetadata(raw, isComplete: true)
            var info = ImageInfo(header, metadata)
            try context.limits.check(info, byteCount: raw.count)
            guard context.options.damageTolerance == .minor || !header.has_wrong_frame_count else {
                throw TintypeError(.corrupt, "the number of frames is stated wrongly")
            }
            info.durations = try Self.durations(raw, header, isComplete: true) ?? []
            // The default image need not be a frame. It can stand for the first frame only if it is that frame.
            if header.isAnimated {
                let isFirstFrame = try PNGAnimation(bytes, header).isDefaultImageFirst
                guard isFirstFrame && context.options.frames == .first else {
                    return try animatedImage(bytes, info: info, context: context, exif: metadata.exif)
                }
            }
            let target = try DecodeTarget(info, options: context.options)
            let stored = try Self.decodeImage(reader, header, metadata, target, context)
            try reader.finish()
            try context.checkCancelled()
            let upright = try stored.oriented(info.orientation)
            return Image(
                pixels: upright.pixels, info: info, scale: context.options.scale ?? 1, highRange: upright.highRange,
                exif: context.options.keepsExif ? metadata.exif : nil)
        }
    }

    /// Creates a decoder of single frames; a still image has one frame.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded`.
    package func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        let reader = try PNGReader(context)
        let header = try bytes.withTypedBytes { bytes throws(TintypeError) in
            try reader.open(bytes, isComplete: true)
        }
        guard let header else { throw TintypeError(.truncated, "") }
        try context.limits.check(ImageInfo(header), byteCount: bytes.count)
        let animation = try PNGAnimation(bytes, header)
        try context.limits.check(animation.frames.map(\.frame), canvas: animation.canvasSize)
        return PNGFrameDecoder(bytes, animation, try Self.converter(bytes, header, context.limits))
    }

    /// Returns the frames that are complete in a prefix of a file, or `nil` if there are none or the file is not
    /// animated.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged, `TintypeError.Code.limitExceeded`.
    package func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let reader = try PNGReader(context)
        let header = try bytes.withTypedBytes { bytes throws(TintypeError) in
            try reader.open(bytes, isComplete: false)
        }
        guard let header, header.isAnimated else { return nil }
        var info = bytes.withUnsafeBytes { ImageInfo(header, PNGMetadata($0)) }
        try context.limits.check(info)
        let animation = try PNGAnimation(arrived: bytes, header)
        guard !animation.frames.isEmpty else { return nil }
        try context.limits.check(animation.frames.map(\.frame), canvas: animation.canvasSize)
        info.frameCount = animation.frames.count
        info.durations = animation.frames.map(\.frame.duration)
        let converter = try Self.converter(bytes, header, context.limits)
        return ArrivedFrames(info: info, decoder: PNGFrameDecoder(bytes, animation, converter))
    }

    /// Returns the converter of the file's colours to sRGB, or `nil` if none is needed.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large.
    static func converter(
        _ bytes: Data, _ header: tintype_png_header, _ limits: DecodeLimits
    ) throws(TintypeError) -> ColorConverter? {
        let colors = try bytes.withTypedBytes { raw throws(TintypeError) in try PNGMetadata(raw).colors(limits) }
        return ColorConverter(colors, header.channels)
    }

    /// Decodes all pixels; with 16 bits per channel if the colours are high range, or if the request asks for
    /// ``DecodeOptions/DynamicRange/high``.
    private static func decodeImage(
        _ reader: borrowing PNGReader, _ header: tintype_png_header, _ metadata: PNGMetadata, _ target: DecodeTarget,
        _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let (size, colors) = (ImageInfo(header).storedSize, try metadata.colors(context.limits))
        let isWide = colors.isHighRange || (header.bit_depth == 16 && context.options.range == .high)
        try context.limits.checkMemory(bytesPerPixel: header.bytesPerPixel(isWide: isWide, context), of: size)
        guard isWide else {
            try reader.start()
            let converter = ColorConverter(colors, header.channels)
            return WideImage(pixels: try decodePixels(reader, header, size, target, converter), highRange: nil)
        }
        let converter = WideConverter(colors, header.channels, peak: metadata.peak)
        try reader.start(isWide: true)
        return try reader.readWideImage(header, WideRows(size, target, converter, context))
    }

    /// Creates a decoder that shows previews while bytes arrive.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalImage { (head) throws(TintypeError) in try Self.incrementalKind(of: head, context) }
    }

    private static func decodePixels(
        _ reader: borrowing PNGReader, _ header: tintype_png_header, _ size: PixelSize, _ target: DecodeTarget,
        _ converter: ColorConverter?
    ) throws(TintypeError) -> PixelBuffer {
        if header.is_interlaced || target.isAll(of: size) {
            return try reader.readPixels(header, converter).resampled(
                crop: target.part, to: target.size, filter: .lanczos3)
        }
        return try RowResampler.resampled(size, crop: target.part, to: target.size) {
            (count, strip) throws(TintypeError) in
            let stride = strip.bytesPerRow
            let count = try strip.withRows { rows throws(TintypeError) in
                try reader.readRows(count, into: rows, stride: stride)
            }
            strip.convert(rows: count, by: converter)
            if header.has_alpha { strip.premultiply(rows: count) }
            return count
        }
    }

    /// Returns the delays of all frames in seconds, or `nil` if `bytes` is a prefix that ends before the last one.
    private static func durations(
        _ bytes: UnsafeRawBufferPointer, _ header: tintype_png_header, isComplete: Bool
    ) throws(TintypeError) -> [Double]? {
        guard header.frame_count > 1, let base = bytes.bindMemory(to: UInt8.self).baseAddress else { return [] }
        // Allocated for the frames present, not for the number that the header states.
        var count = 0
        var status = tintype_png_frame_delays(base, bytes.count, isComplete, nil, 0, &count)
        if status == .needsMore && count < Int(header.frame_count) { return nil }
        if status == .corrupt { throw TintypeError(status, "its frame chunks do not match its frame count") }
        var delays = [tintype_png_delay](repeating: tintype_png_delay(), count: count)
        status = tintype_png_frame_delays(base, bytes.count, isComplete, &delays, count, &count)
        return delays.prefix(Int(header.frame_count)).map { Double($0.numerator) / Double($0.denominator) }
    }
}

extension tintype_png_header {
    /// Whether frames are shown instead of the default image: several, or one that is not the default image.
    fileprivate var isAnimated: Bool { frame_count > 1 || (frame_count == 1 && !has_frame_in_default_image) }

    /// The bytes of memory per pixel that decoding takes, including the result at full size.
    ///
    /// - Parameter isWide: Whether the rows have 16 bits per channel, all of which an interlaced image holds.
    fileprivate func bytesPerPixel(isWide: Bool, _ context: DecodeContext) -> Int {
        PixelBuffer.bytesPerPixel + context.highRangeBytesPerPixel(isWide: isWide)
            + (isWide && is_interlaced ? HighRangePixels.bytesPerPixel : 0)
    }

    /// The channels as the colour conversion names them.
    fileprivate var channels: SourceChannels { color == .grey || color == .greyAlpha ? .grey : .rgb }
}

extension ImageInfo {
    /// Adds what the metadata states: the density, and the orientation of the XMP packet if the Exif data has none
    /// (Metadata Working Group, guidelines 2.0, 5.4).
    init(_ header: tintype_png_header, _ metadata: PNGMetadata) {
        self.init(header)
        (density, isHighRange) = (metadata.density, metadata.isHighRange)
        if header.has_wrong_frame_count { warnings.append(.frameCount) }
        if metadata.isExifLate { warnings.append(.lateExif) }
        let late = metadata.isExifLate ? metadata.exif?.orientation : nil
        guard header.exif_orientation == 0, let upright = late ?? metadata.xmp?.orientation else { return }
        (size, orientation) = (upright.displayed(size), upright)
    }

    init(_ header: tintype_png_header) {
        let orientation = Orientation(rawValue: Int(header.exif_orientation)) ?? .up
        let stored = PixelSize(width: Int(header.width), height: Int(header.height))
        self.init(
            format: .png, size: orientation.displayed(stored), orientation: orientation, hasAlpha: header.has_alpha,
            frameCount: max(1, Int(header.frame_count)), loopCount: Int(header.play_count))
        bitDepth = max(bitDepth, Int(header.bit_depth))
    }
}

extension PNGDecoder {
    /// Chooses how previews are made: row by row or pass by pass for a still image, frame by frame for an animation.
    private static func incrementalKind(
        of head: Data, _ context: DecodeContext
    ) throws(TintypeError) -> IncrementalImage.Kind {
        let reader = try PNGReader(context)
        let header = try head.withTypedBytes { raw throws(TintypeError) in try reader.open(raw, isComplete: false) }
        guard let header else { return .unknown }
        let info = head.withUnsafeBytes { ImageInfo(header, PNGMetadata($0)) }
        try context.limits.check(info)
        guard !header.isAnimated else {
            return .animation(IncrementalAnimation(decoder: PNGDecoder(), context: context))
        }
        // The complete image may need less.
        guard context.limits.allowsMemory(bytesPerPixel: PNGPreviewReader.bytesPerPixel, of: info.size) else {
            return .hidden
        }
        let converter = try converter(head, header, context.limits)
        return .still(try PNGPreviewReader(header, info, converter, context))
    }
}

extension PNGDecoder: SalvagingImageDecoder {
    /// Decodes the rows or passes before the damage, or the complete frames of an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let opened = try PNGReader(context)
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try opened.open(raw, isComplete: false) }
        guard let header else { return nil }
        let info = bytes.withUnsafeBytes { ImageInfo(header, PNGMetadata($0)) }
        try context.limits.check(info)
        if header.isAnimated { return try salvageAnimation(bytes, context: context) }
        try context.limits.checkMemory(bytesPerPixel: PNGPreviewReader.bytesPerPixel, of: info.size)
        let reader = try PNGPreviewReader(
            header, info, try Self.converter(bytes, header, context.limits), context)
        return try reader.salvage(bytes)
    }
}
