import CTintypeWebP
package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of WebP.
    public static let webp = ImageCoderRegistry(decoders: [WebPDecoder()], encoders: [WebPEncoder()])
}

/// Decodes WebP (RFC 9649) with libwebp: lossy, lossless, and animations.
///
/// A smaller size is resampled from the full image. Decoders hold no state; any thread may use one.
package struct WebPDecoder: ProgressiveAnimationDecoder, SandboxableImageDecoder {
    /// Creates a WebP decoder.
    package init() {}

    /// The formats that this decoder reads: WebP.
    package var formats: Set<ImageFormat> { [.webp] }

    /// Reads the header of a still image, and all chunks of an animation or of a file with Exif data or XMP.
    ///
    /// - Returns: `nil` if `bytes` is a prefix that ends too early.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try tintype_webp_header(raw) else {
                if isComplete { throw .truncatedWebP }
                return nil
            }
            guard header.needsWholeFile else { return ImageInfo(header) }
            guard isComplete || raw.isWholeRIFF else { return nil }
            return try ImageInfo(header, raw, WebPFile(raw, Self.permissiveLimits))
        }
    }

    /// Decodes a still image at the size that the options ask for, or opens an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded` if the image is too large, before it is allocated,
    ///   `TintypeError.Code.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try tintype_webp_header(raw) else { throw .truncatedWebP }
            try context.limits.check(ImageInfo(header), byteCount: raw.count)
            // A lossless image, or the alpha of a lossy one, is decoded as a whole in addition to the result.
            try context.limits.checkMemory(bytesPerPixel: 9, of: ImageInfo(header).size)
            let file = try WebPFile(raw, context.limits)
            let info = try ImageInfo(header, raw, file)
            if header.is_animated { return try animatedImage(bytes, info: info, context: context, exif: file.exif) }
            return try decodeStill(file, info, context)
        }
    }

    /// Creates a decoder of single frames; a still image has one frame.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged or truncated,
    ///   `TintypeError.Code.limitExceeded`.
    package func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try WebPFrameDecoder(bytes, context)
    }

    /// Returns the frames that are complete in a prefix of a file, or `nil` if there are none or the file is not
    /// animated.
    ///
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged, `TintypeError.Code.limitExceeded`.
    package func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header, header.is_animated,
            let decoder = try WebPFrameDecoder(arrived: bytes, header.size, context)
        else { return nil }
        var info = ImageInfo(header)
        (info.frameCount, info.loopCount) = (decoder.frames.count, decoder.loopCount)
        info.durations = decoder.frames.map(\.duration)
        return ArrivedFrames(info: info, decoder: decoder)
    }

    /// Creates a decoder that shows previews while bytes arrive.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalImage { (head) throws(TintypeError) in try Self.incrementalKind(of: head, context) }
    }

    private func decodeStill(
        _ file: borrowing WebPFile, _ info: ImageInfo, _ context: DecodeContext
    ) throws(TintypeError) -> Image {
        let frame = try file.frame(0)
        let target = info.orientation.displayed(context.options.size.target(for: info.size))
        let converter = ColorConverter(try file.colors(context.limits), .rgb)
        let pixels = try PixelBuffer(
            webP: UnsafeBufferPointer(start: frame.bytes, count: frame.count), size: info.storedSize,
            hasAlpha: info.hasAlpha, converter, isCancelled: context.isCancelled)
        // libwebp's scaler averages pixels, and includes the colour of transparent ones. A cache key must mean the same
        // filter whether a decoder or a transformer resizes.
        let stored = try pixels.resampled(to: target, filter: .lanczos3)
        return Image(
            pixels: try stored.oriented(info.orientation), info: info, scale: context.options.scale ?? 1,
            exif: context.options.keepsExif ? file.exif : nil)
    }

    /// The limits where the caller passes none.
    private static let permissiveLimits = DecodeLimits(frames: 100_000)
}

extension ImageInfo {
    init(_ header: tintype_webp_header) {
        self.init(format: .webp, size: header.size, hasAlpha: header.has_alpha)
    }

    fileprivate init(
        _ header: tintype_webp_header, _ bytes: UnsafeRawBufferPointer, _ file: borrowing WebPFile
    ) throws(TintypeError) {
        self.init(header)
        orientation = file.orientation
        density = file.exif?.density
        size = orientation.displayed(header.size)
        guard header.is_animated else { return }
        frameCount = file.frameCount
        if !hasAlpha {
            // Writers set the flag for transparent frames, but not always for what the frames leave of the canvas.
            let first = try file.frame(0)
            hasAlpha = first.width < header.width || first.height < header.height
        }
        guard frameCount > 1 else { return }
        loopCount = file.playCount
        // libwebpdemux searches for each frame from the first one on, which takes quadratic time.
        var milliseconds = [UInt32](repeating: 0, count: frameCount)
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { throw .damagedWebP }
        let writtenCount = tintype_webp_durations(
            base, bytes.count, &milliseconds, frameCount)
        guard writtenCount == frameCount else { throw .damagedWebP }
        durations = milliseconds.map { Double($0) / 1000 }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether all bytes are present that the RIFF header announces.
    fileprivate var isWholeRIFF: Bool {
        guard count >= 8 else { return false }
        return count - 8 >= Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    }
}

extension WebPDecoder {
    /// Chooses how previews are made: row by row for a still image, frame by frame for an animation.
    private static func incrementalKind(
        of head: Data, _ context: DecodeContext
    ) throws(TintypeError) -> IncrementalImage.Kind {
        let header = try head.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return .unknown }
        if header.is_animated { return .animation(IncrementalAnimation(decoder: WebPDecoder(), context: context)) }
        // The orientation follows the pixels, and a preview on its side would be worse than none. Many files have XMP,
        // but few state an orientation only there, so files with XMP alone have previews.
        guard !header.has_exif else { return .hidden }
        let info = ImageInfo(header)
        try context.limits.check(info)
        // The complete image may need less.
        guard context.limits.allowsMemory(bytesPerPixel: WebPPreviewReader.bytesPerPixel, of: info.size) else {
            return .hidden
        }
        guard let colors = try colorsBeforePixels(head, context.limits) else {
            // A profile that never arrives looks like one that is late, up to the largest profile allowed.
            return head.count <= context.limits.profileBytes ? .unknown : .hidden
        }
        return .still(try WebPPreviewReader(info, ColorConverter(colors, .rgb), context))
    }
}

extension WebPDecoder: SalvagingImageDecoder {
    /// Decodes the rows before the damage, or the complete frames of an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return nil }
        if header.is_animated { return try salvageAnimation(bytes, context: context) }
        let info = ImageInfo(header)
        try context.limits.check(info)
        try context.limits.checkMemory(bytesPerPixel: WebPPreviewReader.bytesPerPixel, of: info.size)
        let colors = try Self.colorsBeforePixels(bytes, context.limits) ?? .standard
        let reader = try WebPPreviewReader(info, ColorConverter(colors, .rgb), context)
        return try reader.salvage(bytes)
    }

    /// Returns the colours that the bytes before the pixels state, or `nil` if an announced profile has not arrived.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` if the profile is too large.
    static func colorsBeforePixels(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> SourceColors? {
        // The flags of an extended file (RFC 9649, 2.7).
        let isExtended = bytes.count > 20 && bytes.dropFirst(12).starts(with: "VP8X".utf8)
        let hasProfile = isExtended && bytes[bytes.startIndex + 20] & 0x20 != 0
        guard hasProfile else { return .standard }
        let colors = try bytes.withTypedBytes { raw throws(TintypeError) in
            try WebPFile(raw, isComplete: false, limits).colors(limits)
        }
        return colors == .standard ? nil : colors
    }
}

extension PixelBuffer {
    /// Decodes a still WebP, or the bytes of a frame, to premultiplied sRGB.
    ///
    /// - Parameters:
    ///   - size: The size that the file states, in pixels; libwebp scales a frame of another size.
    ///   - converter: Converts the colours to sRGB, or `nil`.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.cancelled`, `TintypeError.Code.outOfMemory`.
    init(
        webP bytes: UnsafeBufferPointer<UInt8>, size: PixelSize, hasAlpha: Bool, _ converter: ColorConverter?,
        isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) {
        var writer = try PixelWriter(size: size)
        let stride = writer.bytesPerRow
        let hook = CancelHook(isCancelled)
        let status = writer.withRows { rows in
            guard let from = bytes.baseAddress, let to = rows.bindMemory(to: UInt8.self).baseAddress else {
                return tintype_webp_status.corrupt
            }
            return tintype_webp_decode(
                from, bytes.count, to, stride, UInt32(size.width), UInt32(size.height), CancelHook.callback,
                hook.pointer)
        }
        withExtendedLifetime(hook) {}
        if let error = TintypeError(status) { throw error }
        writer.convert(rows: size.height, by: converter)
        if hasAlpha { writer.premultiply(rows: size.height) }
        self = writer.finish()
    }
}
