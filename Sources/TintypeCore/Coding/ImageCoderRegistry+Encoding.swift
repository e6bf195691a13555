public import Foundation

extension ImageCoderRegistry {
    /// The bytes of a picture in a format: every frame of an animation where the format has animations, else the picture
    /// that is shown first.
    ///
    /// Blocks, as the others here do: ``ImagePipeline/encode(_:as:options:priority:)`` does not.
    public func encode(
        _ image: Image, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        guard let animation = image.animation, animationEncoder(for: format) != nil else {
            return try encode(image.pixels, as: format, options: options)
        }
        return try encode(animation, as: format, options: options)
    }

    /// The bytes of a picture in a format, no larger and no more than the options allow: resized first, then encoded at the
    /// highest quality that keeps to the number of bytes.
    ///
    /// A limit of bytes costs up to nine encodings.
    ///
    /// - Throws: ``TintypeError/Code/noCoder``; ``TintypeError/Code/encodeFailed`` where no quality is small enough, and
    ///   what the encoder throws.
    public func encode(
        _ pixels: PixelBuffer, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        let encoder = try encoder(for: format)
        let size = options.maximumSize.map { pixels.size.fitted(into: $0) } ?? pixels.size
        let sized = try pixels.resampled(to: size, filter: .lanczos3)
        return try Self.encode(as: format, options: options) { options throws(TintypeError) in
            try encoder.encode(sized, as: format, options: options)
        }
    }

    /// The bytes of an animation in a format that has animations, within the same limits, which are those of the whole
    /// file and of the canvas. One of a single frame is a still picture.
    ///
    /// - Throws: ``TintypeError/Code/noCoder`` where nothing encodes animations of the format;
    ///   ``TintypeError/Code/noSuchFrame`` where the options name one that there is not; otherwise as for a still picture.
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, options: EncodeOptions = EncodeOptions()
    ) throws(TintypeError) -> Data {
        if let frames = options.frames {
            var all = options
            all.frames = nil
            return try encode(animation.picking(frames), as: format, options: all)
        }
        guard animation.frameCount > 1 else { return try encode(animation.poster, as: format, options: options) }
        guard let encoder = animationEncoder(for: format) else {
            throw TintypeError(.noCoder, stage: .encode, "no encoder for animated \(format) pictures here")
        }
        let size = options.maximumSize.map { animation.size.fitted(into: $0) } ?? animation.size
        let sized =
            size == animation.size
            ? animation : try animation.transformed(by: ResizeTransformer(to: size, mode: .stretch))
        return try Self.encode(as: format, options: options) { options throws(TintypeError) in
            try encoder.encode(sized, as: format, options: options)
        }
    }

    private static func encode(
        as format: ImageFormat, options: EncodeOptions, _ encode: (EncodeOptions) throws(TintypeError) -> Data
    ) throws(TintypeError) -> Data {
        guard let limit = options.maximumByteCount else { return try encode(options) }
        let quality = options.quality > 0 ? min(options.quality, 1) : 0
        var search = QualitySearch(from: Int((quality * 100).rounded()), limit: limit)
        var found: Data?
        while let percent = search.next {
            try TransformContext.current.checkCancelled()
            var tried = options
            tried.quality = Double(percent) / 100
            let data = try encode(tried)
            if search.record(byteCount: data.count) { found = data }
        }
        guard let found else {
            throw TintypeError(
                .encodeFailed, stage: .encode, "no quality makes this picture a \(format) of at most \(limit) bytes")
        }
        return found
    }
}
