public import Foundation

extension ImageCoderRegistry {
    /// Encodes an image.
    ///
    /// An animation is encoded with all frames if an encoder for animations of the format is registered; otherwise its
    /// first frame is encoded. Like the other methods here, it blocks; ``ImagePipeline/encode(_:as:options:priority:)``
    /// does not.
    ///
    /// - Throws: The errors of the overloads for pixels and for animations.
    public func encode(
        _ image: Image, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        guard let animation = image.animation, animationEncoder(for: format) != nil else {
            return try encode(image.pixels, image.highRange, as: format, options, image.metadata)
        }
        return try encode(animation, as: format, options, image.metadata)
    }

    /// Encodes a still image within the limits of the options.
    ///
    /// The image is resized first, then encoded at the highest quality that meets ``EncodeOptions/maximumByteCount``.
    /// With such a limit, the image is encoded up to nine times.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``; ``TintypeError/Code/encodeFailed`` if the file is too large even at the
    ///   lowest quality; ``TintypeError/Code/cancelled``; the errors of the encoder.
    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        try encode(pixels, nil, as: format, options, nil)
    }

    private func encode(
        _ pixels: PixelBuffer, _ highRange: HighRangePixels?, as format: ImageFormat, _ options: EncodeOptions,
        _ metadata: ImageMetadata?
    ) throws(TintypeError) -> Data {
        let encoder = try encoder(for: format)
        let size = options.maximumSize.map { pixels.size.fitted(into: $0) } ?? pixels.size
        let form = options.usedForm(for: encoder)
        let deepEncoder = options.keepsDepth(as: format) ? encoder as? any DeepImageEncoder : nil
        let space = options.usedColorSpace(for: format)
        let isWide = form != nil || deepEncoder != nil || space != .sRGB
        let light = isWide ? try highRange?.resized(to: size) : nil
        switch (light, form) {
        case (let light?, .direct(let encoder)):
            let encode = try encoder.encoding(of: light, as: format)
            return try Self.encode(as: format, options.withoutProfile, metadata, size, encode)
        case (let light?, .gainMap(let encoder)):
            let base = try pixels.resampled(to: size, filter: .lanczos3)
            if let map = try GainMapImage(base: base, light: light) {
                return try Self.encode(base, map, as: format, options.withoutProfile, metadata, encoder)
            }
        default: break
        }
        if let light, let deepEncoder, let samples = try DeepSamples(light, space) {
            return try Self.encode(as: format, options, metadata, size) { options throws(TintypeError) in
                try deepEncoder.encode(samples, as: format, options: options)
            }
        }
        var sized = try pixels.resampled(to: size, filter: .lanczos3)
        if space == .displayP3 {
            let converter = DisplayP3Transformer()
            let wide = try light.flatMap { light throws(TintypeError) in try converter.transform(light) }
            if let wide { sized = wide } else { sized = try converter.transform(sized) }
        }
        return try Self.encode(as: format, options, metadata, size) { options throws(TintypeError) in
            try encoder.encode(sized, as: format, options: options)
        }
    }

    /// Encodes an 8-bit image and a gain map into one file.
    private static func encode(
        _ base: PixelBuffer, _ map: GainMapImage, as format: ImageFormat, _ options: EncodeOptions,
        _ metadata: ImageMetadata?, _ encoder: any GainMapImageEncoder
    ) throws(TintypeError) -> Data {
        // Both images have the quality that is tried. A map without its own metadata, thumbnail or palette.
        func mapData(_ options: EncodeOptions) throws(TintypeError) -> Data {
            var plain = EncodeOptions(quality: options.quality)
            (plain.compression, plain.effort) = (options.compression, options.effort)
            return try encoder.encode(map.pixels, as: format, options: plain)
        }
        return try Self.encode(as: format, options, metadata, base.size) { options throws(TintypeError) in
            try encoder.encode(base, as: format, options: options)
        } finish: { file, options throws(TintypeError) in
            try encoder.adding(mapData(options), map.parameters, to: file, of: base.size)
        }
    }

    /// Encodes an animation within the limits of the options, which apply to the canvas and to the whole file.
    ///
    /// An animation of a single frame becomes a still image.
    ///
    /// - Throws: ``TintypeError/Code/noCoder`` if there is no encoder for animations of the format;
    ///   ``TintypeError/Code/noSuchFrame`` if the options name a frame that does not exist; otherwise as for a still
    ///   image.
    package func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        try encode(animation, as: format, options, nil)
    }

    private func encode(
        _ animation: AnimatedImage, as format: ImageFormat, _ options: EncodeOptions, _ metadata: ImageMetadata?
    ) throws(TintypeError) -> Data {
        if let frames = options.frames {
            var all = options
            all.frames = nil
            return try encode(animation.picking(frames), as: format, all, metadata)
        }
        guard animation.frameCount > 1 else { return try encode(animation.poster, nil, as: format, options, metadata) }
        guard let encoder = animationEncoder(for: format) else {
            throw TintypeError(.noCoder, stage: .encode, "no encoder for animated \(format) images is registered")
        }
        let size = options.maximumSize.map { animation.size.fitted(into: $0) } ?? animation.size
        var sized =
            size == animation.size
            ? animation : try animation.transformed(by: ResizeTransformer(to: size, mode: .stretch))
        if options.usedColorSpace(for: format) == .displayP3 {
            sized = try sized.transformed(by: DisplayP3Transformer())
        }
        return try Self.encode(as: format, options, metadata, size) { options throws(TintypeError) in
            try encoder.encode(sized, as: format, options: options)
        }
    }

    /// Calls `encode`, and adds the metadata that it does not write itself.
    ///
    /// - Parameter finish: Completes a file that has its metadata.
    private static func encode(
        as format: ImageFormat, _ options: EncodeOptions, _ metadata: ImageMetadata?, _ size: PixelSize,
        _ encode: (EncodeOptions) throws(TintypeError) -> Data,
        finish: (Data, EncodeOptions) throws(TintypeError) -> Data = { file, _ throws(TintypeError) in file }
    ) throws(TintypeError) -> Data {
        let writer = MetadataWriter(
            metadata, options.metadata, options.usedColorSpace(for: format), size, format,
            keepsCopyright: options.keepsCopyright)
        var options = options
        if let writer { options.written = writer.embedded }
        return try Self.encode(as: format, options: options) { options throws(TintypeError) in
            let data = try encode(options)
            return try finish(writer?.inserted(into: data, format) ?? data, options)
        }
    }

    /// Calls `encode` with decreasing qualities until the result keeps to the maximum number of bytes.
    private static func encode(
        as format: ImageFormat, options: EncodeOptions, _ encode: (EncodeOptions) throws(TintypeError) -> Data
    ) throws(TintypeError) -> Data {
        guard let limit = options.maximumByteCount else { return try encode(options) }
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        var search = QualitySearch(from: Int((quality * 100).rounded()), limit: limit)
        var best: Data?
        while let percent = search.next {
            try TransformContext.current.checkCancelled()
            var tried = options
            tried.quality = Double(percent) / 100
            let data = try encode(tried)
            if search.record(byteCount: data.count) { best = data }
        }
        guard let best else {
            throw TintypeError(
                .encodeFailed, stage: .encode,
                "the \(format) image exceeds the limit of \(limit) bytes even at the lowest quality")
        }
        return best
    }
}

// MARK: - Limit of bytes

/// Searches for the highest quality, in hundredths, at which an encoded image has at most a number of bytes.
///
/// It tries the requested quality, then 0, then bisects: at most nine encodings, and two for a format that ignores the
/// quality.
struct QualitySearch {
    /// The quality to try next, in hundredths; `nil` if the search is over.
    private(set) var next: Int?
    /// The highest quality that was small enough so far.
    private(set) var best: Int?
    private let limit: Int
    /// The lowest quality that was too large so far.
    private var tooHigh: Int?
    private var firstByteCount: Int?

    init(from quality: Int, limit: Int) {
        next = quality
        self.limit = limit
    }

    /// Records the number of bytes at the quality ``next``, and advances the search.
    ///
    /// - Returns: Whether this quality is small enough, which makes it the best so far.
    mutating func record(byteCount: Int) -> Bool {
        guard let tried = next else { return false }
        let isSmallEnough = byteCount <= limit
        if isSmallEnough { best = tried } else { tooHigh = tried }
        next = qualityAfter(tried, isSmallEnough, changedNothing: firstByteCount == byteCount)
        if firstByteCount == nil { firstByteCount = byteCount }
        return isSmallEnough
    }

    private func qualityAfter(_ tried: Int, _ isSmallEnough: Bool, changedNothing: Bool) -> Int? {
        guard let tooHigh else { return nil }
        guard let best else { return tried == 0 || changedNothing ? nil : 0 }
        return tooHigh - best > 1 ? (best + tooHigh) / 2 : nil
    }
}
