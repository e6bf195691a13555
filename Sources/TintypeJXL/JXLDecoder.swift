import CLibJXL
package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of JPEG XL.
    public static let jxl = ImageCoderRegistry(decoders: [JXLDecoder()], encoders: [JXLEncoder()])
}

/// Decodes JPEG XL (ISO/IEC 18181), bare or in a container, still or animated, with libjxl.
///
/// A value may be used from any thread.
package struct JXLDecoder: AnimatedImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads libjxl.
    package static func prepareWorker() {
        try? JXLLibrary.load()
    }

    /// The JPEG XL format.
    package var formats: Set<ImageFormat> { [.jxl] }

    /// Returns the properties of the image without decoding pixels. The density is known only for a whole file.
    ///
    /// - Parameter isComplete: Whether `bytes` are the whole file.
    /// - Returns: `nil` if `bytes` are a prefix that does not suffice; an animation needs the headers of all frames.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged; `TintypeError.Code.limitExceeded` if it
    ///   has more than 100,000 frames.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            var info = try JXLHeader(raw, isComplete: isComplete, Self.infoLimits)?.info
            if isComplete { info?.density = try JXLReader.exif(of: raw, Self.infoLimits)?.density }
            return info
        }
    }

    /// Decodes a still image at the requested size, or an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let (info, exif, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let header = try JXLHeader(raw, isComplete: true, context.limits, isCancelled: context.isCancelled)
            guard let header else { throw .truncatedJXL }
            var info = header.info
            try context.limits.check(info, byteCount: raw.count)
            let exif = try JXLReader.exif(of: raw, context.limits)
            info.density = exif?.density
            guard info.frameCount == 1 || context.options.frames == .first else {
                return (info, exif, WideImage?.none)
            }
            return (info, exif, try Self.decodeStill(raw, header, context))
        }
        guard let still else { return try animatedImage(bytes, info: info, context: context, exif: exif) }
        return Image(
            pixels: still.pixels, info: info, scale: context.options.scale ?? 1, highRange: still.highRange,
            exif: context.options.keepsExif ? exif : nil)
    }

    private static func decodeStill(
        _ raw: UnsafeRawBufferPointer, _ header: JXLHeader, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        try header.checkMemory(context)
        let target = try DecodeTarget(header.info, options: context.options)
        var reader = try JXLFrameReader(raw, header, context)
        let stored = try reader.decodeFrame(0, target, isCancelled: context.isCancelled)
        return try stored.oriented(header.info.orientation)
    }

    /// Creates a decoder for the frames of an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`.
    package func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try JXLFrameDecoder(bytes, context)
    }

    /// The limits for callers that set none.
    private static let infoLimits = DecodeLimits(pixels: .max, side: .max, frames: 100_000)
}

extension JXLDecoder: XMPDecoder {
    package func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in try JXLReader.box("xml ", of: raw, limits) }
        } catch {
            guard error.limit == .exifBytes else { throw error }
            return nil
        }
    }
}

/// When an image that is still arriving is shown:
/// - a frame of an animation once the next one has begun, so the last frame comes with the whole file;
/// - a still image once libjxl has all of it at an eighth of its size, and again as details arrive.
extension JXLDecoder: ProgressiveAnimationDecoder {
    /// Creates a decoder for a file that is still arriving.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalImage { (head) throws(TintypeError) in try Self.incrementalKind(of: head, context) }
    }

    private static func incrementalKind(
        of head: Data, _ context: DecodeContext
    ) throws(TintypeError) -> IncrementalImage.Kind {
        let header = try head.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return .unknown }
        guard !header.isAnimated else {
            return .animation(IncrementalAnimation(decoder: JXLDecoder(), context: context))
        }
        try header.checkMemory(context)
        return .still(try JXLPreviewReader(header, context))
    }

    /// Returns the frames that are complete in the first bytes of a file.
    ///
    /// - Returns: `nil` if no frame is complete, and for a still image.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`.
    package func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(
                raw, isComplete: false, counting: .arrived, context.limits, isCancelled: context.isCancelled)
        }
        guard let header, header.isAnimated else { return nil }
        return ArrivedFrames(info: header.info, decoder: try JXLFrameDecoder(bytes, header, context))
    }
}

extension JXLDecoder: SalvagingImageDecoder {
    /// Returns the pixels that libjxl decodes before the damage: the complete frames of an animation; or else the
    /// available part of its first frame, or of a still image.
    ///
    /// - Returns: `nil` if nothing can be shown.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        let header = try bytes.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: false, counting: .nothing, context.limits)
        }
        guard let header else { return nil }
        if header.isAnimated, let animation = try? salvageAnimation(bytes, context: context) { return animation }
        try header.checkMemory(context)
        try context.checkCancelled()
        let reader = try JXLPreviewReader(header, context)
        guard let count = try Self.undamagedByteCount(bytes, reader) else { return try reader.preview() }
        // A reader that has met damage cannot be used again.
        let second = try JXLPreviewReader(header, context)
        _ = try second.append(bytes.prefix(count))
        return try second.preview()
    }

    /// Returns how many of the first bytes `reader` decodes without an error, to within 1 KiB or 1/64 of the file;
    /// `nil` if it decodes all.
    private static func undamagedByteCount(_ bytes: Data, _ reader: JXLPreviewReader) throws(TintypeError) -> Int? {
        let step = max(1024, bytes.count / 64)
        for start in stride(from: 0, to: bytes.count, by: step) {
            do throws(TintypeError) {
                let piece = bytes.dropFirst(start).prefix(step)
                _ = try reader.append(piece)
            } catch {
                guard error.code == .undecodable else { throw error }
                return start
            }
        }
        return nil
    }
}

/// libjxl, loaded at the first JPEG XL.
package enum JXLLibrary: OnDemandLibrary {
    package static let files = ["libjxl.so.\(JPEGXL_MAJOR_VERSION).\(JPEGXL_MINOR_VERSION)"]

    #if os(Linux)
    package static let loaded = connected(
        tintype_jxl_names(), tintype_jxl_connect,
        .init("libjxl, which decodes and encodes JPEG XL", packages: "libjxl0.7 on Debian 12, libjxl on Fedora"))
    #endif
}
