public import Foundation

/// An animated picture, whose frames are made when they are asked for.
///
/// It keeps the encoded bytes, its poster, and one canvas to go on from; no other frame. Frames may be asked for in any
/// order and from several threads.
public final class AnimatedImage: Sendable {
    /// The first frame, to be shown until the animation plays.
    public let poster: PixelBuffer
    /// How long each frame is shown, in seconds: as stored, but see ``FrameDuration/played(_:)``.
    public let durations: [Double]
    private let source: ComposedFrames
    /// What is made of each composed frame, in order.
    private let transforms: [any ImageTransformer]

    /// - Parameters:
    ///   - bytes: the whole encoded picture.
    ///   - decoder: the decoder for its format.
    ///   - info: what its header tells: frames are given as it says that they are displayed.
    ///   - context: the limits, and the part and size that are asked for. Each frame is composed whole, then resampled.
    /// - Throws: as ``AnimatedImageDecoder/makeFrameDecoder(_:_:)`` and ``FrameDecoder/pixels(of:isCancelled:)``, of
    ///   which the poster is made.
    public convenience init(
        _ bytes: Data, decoder: any AnimatedImageDecoder, info: ImageInfo, _ context: DecodeContext
    ) throws(TintypeError) {
        // Another decoder may be made long after this one, when no one of today's waits any more.
        var lasting = context
        lasting.isCancelled = { false }
        let kept = lasting
        let source = try ComposedFrames(bytes) { () throws(TintypeError) in try decoder.makeFrameDecoder(bytes, kept) }
        try context.checkCancelled()
        let target = try DecodeTarget(info, context.options)
        var transforms: [any ImageTransformer] = []
        if !target.isAll(of: source.canvasSize) { transforms.append(DecodeTargetTransformer(target)) }
        if info.orientation != .up { transforms.append(OrientationTransformer(info.orientation)) }
        let first = try source.composed(0, isCancelled: context.isCancelled)
        self.init(source, transforms, poster: try transforms.applied(to: first))
    }

    private init(_ source: ComposedFrames, _ transforms: [any ImageTransformer], poster: PixelBuffer) {
        self.source = source
        self.transforms = transforms
        self.poster = poster
        durations = source.frames.map { FrameDuration.played($0.duration) }
    }

    /// The size of each frame in pixels.
    public var size: PixelSize { poster.size }

    public var frameCount: Int { durations.count }

    /// The total number of plays; 0 is forever.
    public var loopCount: Int { source.loopCount }

    /// Bytes that are kept beside the poster: the encoded picture and one canvas.
    public var memoryCost: Int { source.memoryCost }

    /// The whole picture as it is shown while the turn of frame `index` lasts.
    ///
    /// Blocks while it decodes: the frame, and those before it that it is painted over, but for what the last call has
    /// painted already. In order, each frame is decoded once.
    ///
    /// - Parameters:
    ///   - index: from 0.
    ///   - isCancelled: asked now and then.
    /// - Throws: ``TintypeError/Code/noSuchFrame``; ``TintypeError/Code/undecodable`` for a frame that is damaged;
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/transformFailed``, ``TintypeError/Code/cancelled``.
    public func frame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) throws(TintypeError) -> PixelBuffer {
        // The first is always there, as it was when the picture was made.
        if index == 0 { return poster }
        let composed = try source.composed(index, isCancelled: isCancelled)
        let frame = try transforms.applied(to: composed)
        // A closure of the program may give what it likes.
        guard frame.size == size else {
            throw .transformFailed("frame \(index) became \(frame.size) pixels, where the first is \(size)")
        }
        return frame
    }

    /// The same animation with a transformer applied to each frame, when it is asked for. What depends on what is shown,
    /// such as the border to trim, is decided once, on the poster, so that all frames keep one size and place.
    ///
    /// - Throws: as the transformer, of which the poster is made.
    public func transformed(by transformer: any ImageTransformer) throws(TintypeError) -> AnimatedImage {
        let settled = try (transformer as? any ContentTransformer)?.settled(on: poster) ?? transformer
        return AnimatedImage(source, transforms + [settled], poster: try settled.transform(poster))
    }
}

extension [any ImageTransformer] {
    fileprivate func applied(to pixels: PixelBuffer) throws(TintypeError) -> PixelBuffer {
        var pixels = pixels
        for transformer in self { pixels = try transformer.transform(pixels) }
        return pixels
    }
}
