package import Foundation

// The entry points of the pipeline. They add the options, limits and fallbacks that the decoder itself does not
// support.

extension ImageDecoder {
    /// Decodes an image within the time limit of the context. The limit applies to each step separately.
    ///
    /// - Throws: The errors of ``decode(_:context:)``; ``TintypeError/Code/notAnimated`` for a still image if the
    ///   options accept only animated ones; ``TintypeError/Code/limitExceeded`` if the time limit is reached.
    package func decodeChecked(
        _ bytes: Data, context: DecodeContext, time: TimeSource = .system
    ) throws(TintypeError) -> Image {
        if context.options.keepsMetadata { return try decodeWithMetadata(bytes, context: context, time: time) }
        let context = try resolved(context, for: bytes, time)
        let limit = DecodeTime(limit: context.limits.time, source: time)
        let image: Image
        do throws(TintypeError) {
            let cropsItself = context.options.crop == nil || self is any PartialImageDecoder
            let decoded = try limit.run(isCancelled: context.isCancelled) { isCancelled throws(TintypeError) in
                let timed = context.cancelled(by: isCancelled)
                if timed.options.size == .noPixels, let image = try verifyWithoutDecoding(bytes, timed) { return image }
                return try cropsItself ? decode(bytes, context: timed) : decodeAndCrop(bytes, context: timed)
            }
            if context.verifiesAllFrames { try verifyRest(of: decoded, bytes, context, within: limit) }
            image = decoded
        } catch {
            guard error.code == .undecodable, context.options.allowsPartial else { throw error }
            image = try limit.run(isCancelled: context.isCancelled) { isCancelled throws(TintypeError) in
                try salvagePart(of: bytes, context: context.cancelled(by: isCancelled), after: error)
            }
        }
        guard context.options.frames != .animatedOnly || image.info.frameCount > 1 else {
            throw TintypeError(
                .notAnimated, stage: .decode, "the image is not animated, but only animated images were requested")
        }
        return context.options.size == .noPixels ? try image.withoutPixels() : image
    }

    /// Verifies an image without decoding it, if the options request no metadata and the decoder supports it.
    ///
    /// - Returns: `nil` if the image must be decoded.
    private func verifyWithoutDecoding(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        let options = context.options
        // Only a decode checks whether the requested part lies within the image.
        guard options.crop == nil, !options.keepsExif,
            let decoder = self as? any VerifyingImageDecoder,
            let info = try decoder.verifiedInfo(of: bytes, context: context)
        else { return nil }
        return Image(pixels: try .onePixel(), info: info, scale: options.scale ?? 1)
    }

    /// Decodes what ``decode(_:context:)`` does not: the other images of a file, and all frames of an animation after
    /// the first. The time limit applies to each frame, and ten times the limit to all frames together, because a small
    /// file may have thousands of frames.
    private func verifyRest(
        of image: Image, _ bytes: Data, _ context: DecodeContext, within limit: DecodeTime
    ) throws(TintypeError) {
        if let decoder = self as? any ImageCollectionDecoder {
            try limit.run(isCancelled: context.isCancelled) { isCancelled throws(TintypeError) in
                try decoder.verifyImages(in: bytes, context: context.cancelled(by: isCancelled))
            }
        }
        guard let animation = image.animation else { return }
        // The largest limit would overflow.
        let whole = DecodeTime(limit: min(limit.limit, .seconds(1 << 32)) * 10, source: limit.source)
        try whole.run(isCancelled: context.isCancelled) { isCancelled throws(TintypeError) in
            for index in 1..<max(1, animation.frameCount) {
                _ = try limit.run(isCancelled: isCancelled) { isCancelled throws(TintypeError) in
                    try animation.frame(at: index, isCancelled: isCancelled)
                }
            }
        }
    }

    /// Decodes an image with all of its metadata. The decoders themselves read only the Exif data.
    private func decodeWithMetadata(
        _ bytes: Data, context: DecodeContext, time: TimeSource
    ) throws(TintypeError) -> Image {
        var plain = context
        (plain.options.keepsMetadata, plain.options.keepsExif) = (false, true)
        let image = try decodeChecked(bytes, context: plain, time: time)
        var metadata = MetadataReader.metadata(of: bytes, image.info.format, context.limits)
        if metadata.exif == nil, image.info.format != .tiff { metadata.exif = image.exif }
        metadata.xmp = try xmp(of: bytes, context.limits) ?? metadata.xmp
        return image.with(metadata: metadata.isEmpty ? nil : metadata)
    }

    /// Returns the XMP packet that the format's library finds; `nil` for another format, and for a packet that is
    /// damaged or too long, because the image can be shown without it.
    private func xmp(of bytes: Data, _ limits: DecodeLimits) throws(TintypeError) -> Data? {
        do throws(TintypeError) {
            return try (self as? any XMPDecoder)?.xmp(of: bytes, limits)
        } catch {
            guard error.code == .undecodable || error.code == .limitExceeded else { throw error }
            return nil
        }
    }

    /// Resolves options that depend on the size of the image. Reads the header only if there are any.
    private func resolved(
        _ context: DecodeContext, for bytes: Data, _ time: TimeSource
    ) throws(TintypeError) -> DecodeContext {
        var context = context
        // A thumbnail proves nothing about its image.
        if context.options.size == .noPixels { context.options.embeddedThumbnail = .never }
        guard context.options.sizeScope != nil || context.options.oversized == .scaledDown,
            let info = try limitedInfo(of: bytes, context, time)
        else { return context }
        var resolved = context
        resolved.options = try context.options.resolved(for: info)
        return context.options.oversized == .scaledDown ? resolved.scalingDown(info) : resolved
    }

    private func limitedInfo(
        of bytes: Data, _ context: DecodeContext, _ time: TimeSource
    ) throws(TintypeError) -> ImageInfo? {
        guard let decoder = self as? any LimitedInfoDecoder else { return try info(of: bytes, isComplete: true) }
        let limit = DecodeTime(limit: context.limits.time, source: time)
        return try limit.run(isCancelled: context.isCancelled) { isCancelled throws(TintypeError) in
            try decoder.info(of: bytes, context: context.cancelled(by: isCancelled))
        }
    }

    /// Decodes a part of a damaged image.
    ///
    /// - Throws: The error of the decode if no part can be shown.
    private func salvagePart(
        of bytes: Data, context: DecodeContext, after error: TintypeError
    ) throws(TintypeError) -> Image {
        guard let image = try (self as? any SalvagingImageDecoder)?.salvageIfReadable(bytes, context: context)
        else { throw error.withoutPart }
        return image.markedPartial
    }

    /// Decodes the whole image, and crops it to the requested part at the requested size.
    ///
    /// - Throws: The errors of decoding, and ``TintypeError/Code/transformFailed`` if the part is empty.
    package func decodeAndCrop(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        guard let crop = context.options.crop else { return try decode(bytes, context: context) }
        var whole = context
        (whole.options.crop, whole.options.size) = (nil, .full)
        let image = try decode(bytes, context: whole)
        let part = try image.transformed(by: CropTransformer(to: crop))
        let size = context.options.size.target(for: part.size)
        return size == part.size ? part : try part.transformed(by: ResizeTransformer(to: size, mode: .stretch))
    }
}

extension SalvagingImageDecoder {
    /// Like ``salvage(_:context:)``, but returns `nil` if the image is too damaged to be read.
    fileprivate func salvageIfReadable(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        do throws(TintypeError) {
            return try salvage(bytes, context: context)
        } catch {
            guard error.code == .undecodable else { throw error }
            return nil
        }
    }
}

extension TintypeError {
    /// The same error for a request that accepts a part of the image. The message adds that no part can be shown.
    fileprivate var withoutPart: TintypeError {
        TintypeError(
            code, stage: stage, "\(message); no part of it can be shown", subject: subject, underlying: underlying)
    }
}

// MARK: - Time limit

/// The time limit of one decode.
package struct DecodeTime: Sendable {
    /// See ``DecodeLimits/time``.
    var limit: Duration
    var source: TimeSource

    package init(limit: Duration = DecodeLimits().time, source: TimeSource = .system) {
        (self.limit, self.source) = (limit, source)
    }

    /// Runs `body`, which must poll a cancellation check. The check returns `true` once the time limit is exceeded.
    ///
    /// - Parameters:
    ///   - isCancelled: Whether the caller has given up for another reason.
    ///   - body: Receives the check that it must poll.
    /// - Throws: The errors of `body`; ``TintypeError/Code/limitExceeded`` if it was cancelled only by the time limit.
    package func run<Value>(
        isCancelled: @escaping @Sendable () -> Bool,
        _ body: (_ isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> Value
    ) throws(TintypeError) -> Value {
        // Elapsed times are compared, because a start plus the largest limit would overflow.
        let (start, source, limit) = (source.uptime(), source, limit)
        do throws(TintypeError) {
            return try body { isCancelled() || source.uptime() - start > limit }
        } catch {
            // The caller may have withdrawn its cancellation, so an expired limit is checked by the clock alone.
            guard error.code == .cancelled, source.uptime() - start > limit, !isCancelled() else { throw error }
            throw .exceeded(.time, "decoding took longer than \(limit)")
        }
    }
}
