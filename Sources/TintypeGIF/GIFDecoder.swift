import CTintypeGIF
package import Foundation
public import TintypeCore

extension ImageCoderRegistry {
    /// The decoder and the encoder of GIF, still and animated.
    public static let gif = ImageCoderRegistry(decoders: [GIFDecoder()], encoders: [GIFEncoder()])
}

/// Decodes still and animated GIF (Graphics Interchange Format, 87a and 89a) on the calling thread.
///
/// The background colour of a file is ignored and its background is transparent, as in every browser.
///
/// A value may be used from any thread.
package struct GIFDecoder: ProgressiveAnimationDecoder, SandboxableImageDecoder {
    /// Creates a decoder.
    package init() {}

    /// The GIF format.
    package var formats: Set<ImageFormat> { [.gif] }

    /// Returns the properties of the file without decoding pixels. O(file size): frames are counted block by block.
    ///
    /// - Parameter isComplete: Whether `bytes` are the whole file.
    /// - Returns: `nil` if `bytes` are a prefix that ends before the last image.
    /// - Throws: `TintypeError.Code.undecodable` if the file is damaged; `TintypeError.Code.limitExceeded` above
    ///   100,000 frames.
    package func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            try GIFSummary.info(raw, isComplete: isComplete, maxImages: Self.maxImages)
        }
    }

    /// Decodes a still image at the requested size, or an animation.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try animatedImage(bytes, info: Self.info(of: readLayout(bytes, context)), context: context)
    }

    /// Creates a decoder for the frames of a whole file.
    ///
    /// - Throws: `TintypeError.Code.undecodable` or `TintypeError.Code.limitExceeded`.
    package func makeFrameDecoder(
        _ bytes: Data, context: DecodeContext
    ) throws(TintypeError) -> any FrameDecoder {
        GIFFrameDecoder(bytes, try readLayout(bytes, context))
    }

    /// Returns the frames that are complete in the first bytes of a file; `nil` if none is.
    ///
    /// - Throws: `TintypeError.Code.undecodable` or `TintypeError.Code.limitExceeded`.
    package func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        let layout = try readLayout(bytes, context) { raw throws(TintypeError) in
            try GIFLayout(arrived: raw, maxImages: context.limits.frames)
        }
        return layout.map { ArrivedFrames(info: Self.info(of: $0), decoder: GIFFrameDecoder(bytes, $0)) }
    }

    /// Creates a decoder for a file that is still arriving.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalGIFDecoder(context)
    }

    // MARK: Layout

    /// Reads the layout of a whole file and checks it against the limits.
    private func readLayout(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> GIFLayout {
        let layout = try readLayout(bytes, context) { raw throws(TintypeError) in
            try GIFLayout(
                raw, isComplete: true, maxImages: context.limits.frames, tolerance: context.options.damageTolerance)
        }
        guard let layout else { throw .truncatedGIF }
        // An image may be larger than the canvas.
        let largest = layout.images.map(\.frame.rect.size).max { $0.area < $1.area } ?? layout.canvasSize
        for size in [layout.canvasSize, largest] {
            try context.limits.check(ImageInfo(format: .gif, size: size), byteCount: bytes.count)
        }
        return layout
    }

    /// Reads a layout with `read` and checks it against the limits; `nil` if the bytes end too early.
    func readLayout(
        _ bytes: Data, _ context: DecodeContext,
        _ read: (UnsafeRawBufferPointer) throws(TintypeError) -> GIFLayout?
    ) throws(TintypeError) -> GIFLayout? {
        try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let canvas = try? GIFBlockReader(raw).canvasSize else { return nil }
            // The canvas is checked before the images are read. An empty one grows to the first image.
            let stated = canvas.enlarged(toShow: PixelRect(x: 0, y: 0, size: PixelSize(width: 1, height: 1)))
            try context.limits.check(ImageInfo(format: .gif, size: stated))
            guard let layout = try read(raw) else { return nil }
            try context.limits.check(ImageInfo(format: .gif, size: layout.canvasSize))
            try context.limits.check(layout.images.map(\.frame), canvas: layout.canvasSize)
            return layout
        }
    }

    private static func info(of layout: GIFLayout) -> ImageInfo {
        GIFSummary(layout).info(playCount: layout.playCount, layout.warnings)
    }

    /// The number of images that ``info(of:isComplete:)`` counts at most.
    private static let maxImages = 100_000
}

extension GIFDecoder: SalvagingImageDecoder {
    /// Returns the images before the damage and the decodable rows of the damaged one; `nil` if nothing can be shown.
    ///
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`; `TintypeError.cancelled`.
    package func salvage(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvageAnimation(bytes, context: context) { bytes, context throws(TintypeError) in
            let layout = try readLayout(bytes, context) { raw throws(TintypeError) in
                try GIFLayout(arrived: raw, maxImages: context.limits.frames, acceptsTruncatedImage: true)
            }
            return layout.map { layout in
                ArrivedFrames(
                    info: Self.info(of: layout), decoder: GIFFrameDecoder(bytes, layout, toleratesDamage: true))
            }
        }
    }
}

extension TintypeError {
    static let truncatedGIF = TintypeError(.undecodable, stage: .decode, "the GIF is truncated")

    static func damagedGIF(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the GIF is damaged: \(reason)")
    }

    static func tooManyImages(_ limit: Int) -> TintypeError {
        exceeded(.frames, "the GIF has more than \(limit) frames")
    }

    /// Creates the error for a status of the decoder; `nil` for success.
    init?(_ status: tintype_gif_status) {
        switch status {
        case .ok: return nil
        case .cancelled: self = .cancelled
        case .memory: self.init(.outOfMemory, stage: .decode, "not enough memory to decode a GIF")
        case .corrupt: self = .damagedGIF("invalid image data")
        }
    }
}
