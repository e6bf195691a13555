import CLibAVIF
package import Foundation
import TintypeColor
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of AVIF.
    public static let avif = ImageCoderRegistry(decoders: [AVIFDecoder()], encoders: [AVIFEncoder()])
}

/// Decodes still AVIF images and image sequences (AV1 Image File Format 1.1) with libavif.
///
/// Only the decoded planes of a frame are held in full: conversion to RGB and resampling go strip by strip.
///
/// A value may be used from any thread.
package struct AVIFDecoder: AnimatedImageDecoder, PartialImageDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// A worker by default.
    package static var workerNeeds: Set<WorkerNeed> { [.isolation] }

    /// Loads libavif.
    package static func prepareWorker() {
        try? AVIFLibrary.load()
    }

    /// The AVIF format.
    package var formats: Set<ImageFormat> { [.avif] }

    /// Returns the properties of the image or of the sequence, without decoding pixels.
    ///
    /// - Parameter isComplete: Whether `bytes` are the whole file.
    /// - Returns: `nil` if `bytes` are a prefix that does not suffice.
    /// - Throws: `TintypeError.Code.undecodable` if a whole file is damaged; `TintypeError.Code.limitExceeded` if
    ///   it exceeds the limits of libavif, or has more than 10,000 frames.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                try ImageInfo(AVIFReader(raw, limits: Self.libraryLimits))
            }
        } catch {
            // libavif does not report truncation as such everywhere, so every error of a prefix may be one.
            guard isComplete else { return nil }
            throw error
        }
    }

    /// Decodes a still image at the requested size, or a sequence as an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled` if the context is cancelled between two steps.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        let (info, exif, still) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let reader = try AVIFReader(raw, limits: context.limits)
            reader.setThreads(context.threads)
            let info = try ImageInfo(reader)
            try context.limits.check(info, byteCount: raw.count)
            // libavif needs more, which only a worker process limits.
            let bytesPerPixel = PixelBuffer.bytesPerPixel + context.highRangeBytesPerPixel(isWide: reader.isWide)
            try context.limits.checkMemory(bytesPerPixel: bytesPerPixel, of: info.size)
            guard info.frameCount == 1 || context.options.frames == .first else {
                return (info, reader.exif, WideImage?.none)
            }
            return (info, reader.exif, try Self.decodeStill(reader, info, raw, context))
        }
        guard let still else { return try animatedImage(bytes, info: info, context: context, exif: exif) }
        return Image(
            pixels: still.pixels, info: info, scale: context.options.scale ?? 1, highRange: still.highRange,
            exif: context.options.keepsExif ? exif : nil)
    }

    /// Creates a decoder for the frames of a sequence.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`.
    package func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        try AVIFFrameDecoder(bytes, context.limits)
    }

    private static func decodeStill(
        _ reader: borrowing AVIFReader, _ info: ImageInfo, _ raw: UnsafeRawBufferPointer, _ context: DecodeContext
    ) throws(TintypeError) -> WideImage {
        let target = try DecodeTarget(info, options: context.options)
        try context.checkCancelled()
        try reader.decode(frame: 0)
        try context.checkCancelled()
        let colors = try AVIFColors(reader, context)
        let image = try reader.convertFrame(target, colors, context).oriented(info.orientation)
        guard context.options.range == .high, let map = AVIFGainMap(raw, context),
            let bright = try map.applied(to: image, of: reader, info)
        else { return image }
        return WideImage(pixels: image.pixels, highRange: bright)
    }

    /// The limits for callers that set none: those of libavif, but fewer frames.
    private static let libraryLimits = DecodeLimits(pixels: 16384 * 16384, side: 32_768, frames: 10_000)
}

extension AVIFDecoder: XMPDecoder {
    package func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        let packet = try bytes.withTypedBytes { raw throws(TintypeError) in
            try AVIFReader(raw, readsXMP: true, limits: limits).xmp
        }
        return packet.flatMap { $0.count <= limits.exifBytes ? $0 : nil }
    }
}

/// Shows the frames of a sequence as they arrive, if its metadata precedes its data, as in files that libavif writes. A
/// still image is not shown before it is complete.
extension AVIFDecoder: ProgressiveAnimationDecoder {
    /// Returns the frames that are complete in the first bytes of a file.
    ///
    /// - Returns: `nil` if no frame is complete, and for a still image.
    /// - Throws: `TintypeError.Code.limitExceeded` or `TintypeError.Code.outOfMemory`.
    package func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        guard let info = try arrivedInfo(bytes, context.limits) else { return nil }
        let decoder = try AVIFFrameDecoder(bytes, arrivedFrameCount: info.frameCount, context.limits)
        return ArrivedFrames(info: info, decoder: decoder)
    }

    private func arrivedInfo(_ bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> ImageInfo? {
        do throws(TintypeError) {
            return try bytes.withTypedBytes { raw throws(TintypeError) in
                let reader = try AVIFReader(raw, isComplete: false, limits: limits)
                var info = try ImageInfo(reader)
                guard info.frameCount > 1 else { return nil }
                info.frameCount = reader.arrivedFrameCount(byteCount: raw.count)
                info.durations = Array(info.durations.prefix(info.frameCount))
                return info.frameCount > 0 ? info : nil
            }
        } catch {
            // libavif does not report truncation as such everywhere, so every error of a prefix may be one.
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension AVIFReader {
    /// Returns how many of the first frames lie in the first `byteCount` bytes, in a file that stores frames in order.
    fileprivate func arrivedFrameCount(byteCount: Int) -> Int {
        // libavif walks from the last key frame to find the end of a frame, so a binary search asks for few.
        var (count, end) = (0, frameCount)
        while count < end {
            let middle = (count + end) / 2
            if hasArrived(frame: middle, byteCount) { count = middle + 1 } else { end = middle }
        }
        return count
    }

    private func hasArrived(frame index: Int, _ byteCount: Int) -> Bool {
        var extent = avifExtent()
        guard avifDecoderNthImageMaxExtent(decoder, UInt32(index), &extent) == AVIF_RESULT_OK else { return false }
        let (end, overflows) = extent.offset.addingReportingOverflow(UInt64(extent.size))
        return !overflows && end <= UInt64(byteCount)
    }
}

extension AVIFDecoder: SalvagingImageDecoder {
    /// Returns the frames of a truncated sequence up to the first incomplete one; `nil` if there are none, and for a
    /// still image, which libavif decodes completely or not at all.
    ///
    /// - Throws: `TintypeError.Code.undecodable` or `TintypeError.Code.limitExceeded`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvageAnimation(bytes, context: context)
    }
}

/// libavif, loaded at the first AVIF.
package enum AVIFLibrary: OnDemandLibrary {
    package static let files = [TINTYPE_AVIF_FILE]

    #if os(Linux)
    package static let loaded = connected(
        tintype_avif_names(), tintype_avif_connect,
        .init("libavif, which decodes and encodes AVIF", packages: "libavif15 on Debian 12, libavif on Fedora"))
    #endif
}
