public import Foundation

/// An animated picture, whose frames are made when they are asked for.
///
/// It keeps the encoded bytes, its poster, and one canvas to go on from; no other frame, but for those that its ``pool``
/// holds while it is played. Frames may be asked for in any order and from several threads.
public final class AnimatedImage: Sendable {
    /// The first frame, to be shown until the animation plays.
    public let poster: PixelBuffer
    /// How long each frame is shown, in seconds: as stored, but see ``FrameDuration/played(_:)``.
    public let durations: [Double]
    /// The total number of plays; 0 is forever.
    public let loopCount: Int
    /// Whether all frames are there. Of one that is not, the bytes are still arriving.
    public let isComplete: Bool
    /// The frames that are decoded ahead for those who play it, shared by all of them.
    public let pool: FramePool
    private let maker: FrameMaker
    private let encoded: Data?

    /// - Parameters:
    ///   - bytes: the whole encoded picture.
    ///   - decoder: the decoder for its format.
    ///   - info: what its header tells: frames are given as it says that they are displayed.
    ///   - context: the limits, and the part and size that are asked for. Each frame is composed whole, then resampled.
    /// - Throws: as ``AnimatedImageDecoder/makeFrameDecoder(_:context:)`` and ``FrameDecoder/pixels(of:isCancelled:)``, of
    ///   which the poster is made.
    public convenience init(
        _ bytes: Data, decoder: any AnimatedImageDecoder, info: ImageInfo, context: DecodeContext
    ) throws(TintypeError) {
        let lastingContext = context.withoutCancellation
        let services = FrameServices(time: DecodeTime(limit: context.limits.time))
        let source = try ComposedFrames(byteCount: bytes.count, services: services) { () throws(TintypeError) in
            try decoder.makeFrameDecoder(bytes, context: lastingContext)
        }
        try self.init(source, info: info, encoded: bytes, context: context)
    }

    /// - Parameter info: what the header tells of the picture.
    convenience init(
        _ source: ComposedFrames, info: ImageInfo, isComplete: Bool = true, encoded: Data? = nil,
        context: DecodeContext
    ) throws(TintypeError) {
        try context.checkCancelled()
        let target = try DecodeTarget(info, context.options)
        var transforms: [any ImageTransformer] = []
        if !target.isAll(of: source.canvasSize) { transforms.append(DecodeTargetTransformer(target)) }
        if info.orientation != .up { transforms.append(OrientationTransformer(info.orientation)) }
        let maker = FrameMaker(source: source, transforms: transforms)
        self.init(
            maker: maker, poster: try maker.makeFrame(at: 0, isCancelled: context.isCancelled), isComplete: isComplete,
            encoded: encoded)
    }

    private init(maker: FrameMaker, poster: PixelBuffer, isComplete: Bool, encoded: Data? = nil) {
        self.maker = maker.with(frameSize: poster.size)
        self.encoded = encoded
        self.poster = poster
        self.isComplete = isComplete
        // A program's own decoder may say anything.
        loopCount = max(0, maker.source.loopCount)
        durations = maker.source.frames.map { FrameDuration.played($0.duration) }
        pool = maker.source.pool(transforms: maker.transforms, poster: poster)
    }

    /// The size of each frame in pixels.
    public var size: PixelSize { poster.size }

    /// At least 1.
    public var frameCount: Int { durations.count }

    /// The encoded picture, if it was whole from the beginning and nothing was changed about its frames.
    package var originalBytes: Data? { maker.transforms.isEmpty ? encoded : nil }

    /// Bytes that are kept beside the poster: the encoded picture, one canvas, and the frames that
    /// ``preloadFrames(isCancelled:)`` holds, equal ones once. Those that the ``pool`` holds while it is played are within
    /// the budget of ``FrameMemory``.
    public var memoryCost: Int { maker.source.memoryCost + pool.pinnedByteCount }

    /// The whole picture as it is shown while the turn of frame `index` lasts.
    ///
    /// Blocks while it decodes: the frame, and those before it that it is painted over, but for what the last call has
    /// painted already. In order, each frame is decoded once.
    ///
    /// - Parameters:
    ///   - index: from 0.
    ///   - isCancelled: asked now and then; by default the work that it is called in.
    /// - Throws: ``TintypeError/Code/noSuchFrame``; ``TintypeError/Code/undecodable`` for a frame that is damaged;
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/transformFailed``, ``TintypeError/Code/cancelled``.
    public func frame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool = TransformContext.current.isCancelled
    ) throws(TintypeError) -> PixelBuffer {
        // The first is always there, as it was when the picture was made.
        if let buffered = pool.heldFrame(at: index) { return buffered }
        return try maker.makeFrame(at: index, isCancelled: isCancelled)
    }

    /// The same animation with a transformer applied to each frame, when it is asked for. What depends on what is shown,
    /// such as the border to trim, is decided once, on the poster, so that all frames keep one size and place.
    ///
    /// Animations that are made of this one by transformers of equal identifiers share their frames.
    ///
    /// - Throws: as the transformer, of which the poster is made.
    public func transformed(by transformer: any ImageTransformer) throws(TintypeError) -> AnimatedImage {
        let resolved = try (transformer as? any ContentTransformer)?.resolved(for: poster) ?? transformer
        let transformed = FrameMaker(source: maker.source, transforms: maker.transforms + [resolved].flattened)
        return AnimatedImage(maker: transformed, poster: try resolved.transform(poster), isComplete: isComplete)
    }

    /// Decodes all frames and holds them in the ``pool`` until ``unloadFrames()``, or until the animation is gone, so that
    /// none is ever late. Blocks while it decodes.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` when that would take more than ``FrameMemory/limit``; otherwise as
    ///   ``frame(at:isCancelled:)``. Nothing is held then.
    public func preloadFrames(isCancelled: @escaping @Sendable () -> Bool = { false }) throws(TintypeError) {
        try pool.pin(isCancelled: isCancelled)
    }

    /// Lets go what ``preloadFrames(isCancelled:)`` holds.
    public func unloadFrames() {
        pool.unpin()
    }

    /// Whether it is the same picture as one whose bytes were still arriving, with as many frames or more.
    func isContinuation(of other: AnimatedImage) -> Bool {
        pool === other.pool
            || !other.isComplete && size == other.size && durations.starts(with: other.durations)
    }

    /// The same picture when more of its bytes have arrived. Its pool is this one's.
    func withArrivedFrames(isComplete: Bool) -> AnimatedImage {
        AnimatedImage(maker: maker, poster: poster, isComplete: isComplete)
    }
}

extension DecodeContext {
    /// For a decoder that is made long after this one, when no one of today's waits any more.
    var withoutCancellation: DecodeContext {
        var context = self
        context.isCancelled = { false }
        return context
    }
}
