import CTintypeWebP
public import Foundation
import TintypeColor
public import TintypeCore

/// Decodes WebP (RFC 9649), lossy and lossless, with libwebp, animations too.
///
/// A smaller size of a still picture is made by libwebp row by row as it decodes.
public struct WebPDecoder: ProgressiveAnimationDecoder {
    public init() {}

    public var formats: Set<ImageFormat> { [.webp] }

    public func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try tintype_webp_header(raw) else {
                if isComplete { throw .truncatedWebP }
                return nil
            }
            guard header.needsWholeFile else { return ImageInfo(header) }
            guard isComplete || raw.isWholeRIFF else { return nil }
            return try ImageInfo(header, raw, WebPFile(raw, Self.anyLimits))
        }
    }

    public func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try tintype_webp_header(raw) else { throw .truncatedWebP }
            try context.limits.check(ImageInfo(header), byteCount: raw.count)
            let file = try WebPFile(raw, context.limits)
            let info = try ImageInfo(header, raw, file)
            if header.is_animated { return try animatedImage(bytes, info: info, context: context, exif: file.exif) }
            return try still(file, info, context)
        }
    }

    public func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try WebPFrameDecoder(bytes, context)
    }

    public func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header, header.is_animated,
            let decoder = try WebPFrameDecoder(arrived: bytes, header.size, context)
        else { return nil }
        var info = ImageInfo(header)
        (info.frameCount, info.loopCount) = (decoder.frames.count, decoder.loopCount)
        info.durations = decoder.frames.map(\.duration)
        return ArrivedFrames(info: info, decoder: decoder)
    }

    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalImage { (head) throws(TintypeError) in try Self.kind(of: head, context) }
    }

    private func still(
        _ file: borrowing WebPFile, _ info: ImageInfo, _ context: DecodeContext
    ) throws(TintypeError) -> Image {
        let frame = try file.frame(0)
        let target = info.orientation.displayed(context.options.size.target(for: info.size))
        let converter = ColorConverter(try file.colors(context.limits), .rgb)
        let whole = try PixelBuffer(
            webP: UnsafeBufferPointer(start: frame.bytes, count: frame.count), size: info.storedSize,
            hasAlpha: info.hasAlpha, converter, isCancelled: context.isCancelled)
        // Not by libwebp, which averages, and counts the colour of transparent pixels: the same key must mean the same
        // filter, whether a decoder or a transformer resizes.
        let stored = try whole.resampled(to: target, filter: .lanczos3)
        return Image(
            pixels: try stored.oriented(info.orientation), info: info, scale: context.options.scale ?? 1,
            exif: context.options.keepsExif ? file.exif : nil)
    }

    /// Where no limits are given.
    private static let anyLimits = DecodeLimits(frames: 100_000)
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
        guard frameCount > 1 else { return }
        loopCount = file.playCount
        // Not from libwebpdemux, which looks for each frame from the first one on.
        var milliseconds = [UInt32](repeating: 0, count: frameCount)
        guard let base = bytes.bindMemory(to: UInt8.self).baseAddress else { throw .damagedWebP }
        let found = tintype_webp_durations(
            base, bytes.count, &milliseconds, frameCount)
        guard found == frameCount else { throw .damagedWebP }
        durations = milliseconds.map { Double($0) / 1000 }
    }
}

extension UnsafeRawBufferPointer {
    /// Whether as many bytes are there as the file says that it has.
    fileprivate var isWholeRIFF: Bool {
        guard count >= 8 else { return false }
        return count - 8 >= Int(UInt32(littleEndian: loadUnaligned(fromByteOffset: 4, as: UInt32.self)))
    }
}

extension WebPDecoder {
    /// A still one is shown row by row, an animation frame by frame.
    static func kind(of head: Data, _ context: DecodeContext) throws(TintypeError) -> IncrementalImage.Kind {
        let header = try head.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return .unknown }
        if header.is_animated { return .animation(IncrementalAnimation(decoder: WebPDecoder(), context: context)) }
        // Which way is up is told after the pixels: better nothing than a picture that lies on its side.
        guard !header.has_exif else { return .hidden }
        let info = ImageInfo(header)
        try context.limits.check(info)
        guard let colors = try arrivedColors(head, context.limits) else {
            // One that never comes is waited for as long as one that may come.
            return head.count <= context.limits.profileBytes ? .unknown : .hidden
        }
        return .still(try WebPPreviewReader(info, ColorConverter(colors, .rgb), context))
    }
}

extension WebPDecoder: SalvagingImageDecoder {
    /// The rows before the damage; of an animation, the frames.
    public func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in try tintype_webp_header(raw) }
        guard let header else { return nil }
        if header.is_animated { return try salvageAnimation(bytes, context: context) }
        let info = ImageInfo(header)
        try context.limits.check(info)
        let colors = try Self.arrivedColors(bytes, context.limits) ?? .standard
        let reader = try WebPPreviewReader(info, ColorConverter(colors, .rgb), context)
        return try reader.salvage(bytes)
    }

    /// What the first bytes say of colours, before the pixels; `nil` when a profile that they announce has not arrived.
    static func arrivedColors(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> SourceColors? {
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
    /// Decodes a still WebP, or the bytes of a frame.
    ///
    /// - Parameter size: what the file says that it is; libwebp resamples a frame that is not.
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
