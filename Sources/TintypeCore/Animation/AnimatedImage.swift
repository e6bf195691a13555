public import Foundation

/// An animated image whose frames are decoded on demand.
///
/// It holds the encoded bytes, the poster and one canvas, on which the next frame is composed. Other frames are held
/// only while the animation is played or preloaded, once for all players. Frames may be requested in any order, from
/// any thread.
public final class AnimatedImage: Sendable {
    /// The first frame, to be shown until the animation plays.
    public let poster: PixelBuffer
    /// The duration of each frame in seconds, as played: a very short one is longer than in the file, as in
    /// browsers.
    public let durations: [Double]
    /// The total number of plays; 0 means forever.
    public let loopCount: Int
    /// Whether all frames have arrived. While it is `false`, more bytes are expected.
    package let isComplete: Bool
    /// The decoded frames, shared by all players of the animation.
    package let pool: FramePool
    private let maker: FrameMaker
    private let encoded: Data?

    /// Creates an animation from encoded bytes and decodes its first frame.
    ///
    /// - Parameters:
    ///   - bytes: The complete encoded image.
    ///   - decoder: The decoder for its format.
    ///   - info: The contents of its header. Frames are oriented and cropped accordingly.
    ///   - context: The limits, and the requested part and size. Each frame is composed in full, then resampled.
    /// - Throws: The errors of ``AnimatedImageDecoder/makeFrameDecoder(_:context:)`` and
    ///   ``FrameDecoder/pixels(of:isCancelled:)``, which decodes the poster.
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

    /// Creates an animation over frames that may still arrive, and decodes its first frame.
    ///
    /// - Parameter poster: The first frame, if it is decoded already.
    convenience init(
        _ source: ComposedFrames, info: ImageInfo, isComplete: Bool = true, encoded: Data? = nil,
        poster: PixelBuffer? = nil, context: DecodeContext
    ) throws(TintypeError) {
        try context.checkCancelled()
        let target = try DecodeTarget(info, options: context.options)
        var transforms: [any ImageTransformer] = []
        if !target.isAll(of: source.canvasSize) { transforms.append(DecodeTargetTransformer(target)) }
        if info.orientation != .up { transforms.append(OrientationTransformer(info.orientation)) }
        let maker = FrameMaker(source: source, transforms: transforms)
        let first = if let poster { poster } else { try maker.makeFrame(at: 0, isCancelled: context.isCancelled) }
        self.init(maker: maker, poster: first, isComplete: isComplete, encoded: encoded)
    }

    /// Creates an animation whose frames and poster another process has begun to decode.
    ///
    /// - Parameters:
    ///   - decoder: The decoder of its frames.
    ///   - poster: The first frame, as this animation shows it.
    ///   - byteCount: The number of bytes of the encoded image.
    ///   - encoded: The encoded image, if it is complete.
    ///   - makeDecoder: Creates another decoder, for a thread that needs its own.
    package convenience init(
        _ decoder: any FrameDecoder, poster: PixelBuffer, byteCount: Int, encoded: Data?, info: ImageInfo,
        context: DecodeContext, makeDecoder: @escaping @Sendable () throws(TintypeError) -> any FrameDecoder
    ) throws(TintypeError) {
        let services = FrameServices(time: DecodeTime(limit: context.limits.time))
        let source = try ComposedFrames(decoder, byteCount: byteCount, services: services, makeDecoder: makeDecoder)
        try self.init(source, info: info, encoded: encoded, poster: poster, context: context)
    }

    /// Returns a decoder of the frames as they are stored, which nothing else uses.
    ///
    /// - Throws: The errors of ``AnimatedImageDecoder/makeFrameDecoder(_:context:)``.
    package func takeFrameDecoder() throws(TintypeError) -> any FrameDecoder { try maker.source.takeDecoder() }

    private init(maker: FrameMaker, poster: PixelBuffer, isComplete: Bool, encoded: Data? = nil) {
        self.maker = maker.with(frameSize: poster.size)
        self.encoded = encoded
        self.poster = poster
        self.isComplete = isComplete
        // A custom decoder may return any value.
        loopCount = max(0, maker.source.loopCount)
        durations = maker.source.frames.map { FrameDuration.played($0.duration) }
        pool = maker.source.pool(transforms: maker.transforms, poster: poster)
    }

    /// The size of each frame in pixels.
    package var size: PixelSize { poster.size }

    /// The number of frames that have arrived; at least 1.
    public var frameCount: Int { durations.count }

    /// The encoded image, if it was complete from the beginning and no transformer was applied.
    package var originalBytes: Data? { maker.transforms.isEmpty ? encoded : nil }

    /// The memory used in addition to the poster, in bytes: the encoded image, one canvas, and the distinct frames held
    /// by ``preloadFrames(isCancelled:)``.
    ///
    /// Frames that the ``pool`` holds for players are not included; ``FrameMemory`` limits them.
    package var memoryCost: Int { maker.source.memoryCost + pool.pinnedByteCount }

    /// Returns the complete image that is shown during frame `index`.
    ///
    /// Blocks while it decodes the frame, and any earlier frames that it builds on and that the previous call has not
    /// painted. In sequential order each frame is decoded once.
    ///
    /// - Parameters:
    ///   - index: The frame, from 0.
    ///   - isCancelled: Checked periodically; by default the state of ``TransformContext/current``.
    /// - Throws: ``TintypeError/Code/noSuchFrame``; ``TintypeError/Code/undecodable`` if a frame is damaged;
    ///   ``TintypeError/Code/limitExceeded`` if decoding takes longer than ``DecodeLimits/time``;
    ///   ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/transformFailed``, ``TintypeError/Code/cancelled``.
    public func frame(
        at index: Int, isCancelled: @escaping @Sendable () -> Bool = TransformContext.current.isCancelled
    ) throws(TintypeError) -> PixelBuffer {
        // Frame 0 is always available: it is the poster.
        if let buffered = pool.heldFrame(at: index) { return buffered }
        return try maker.makeFrame(at: index, isCancelled: isCancelled)
    }

    /// Returns the same animation with a transformer applied to each frame on demand.
    ///
    /// A transformer that depends on the content, such as a trim, is resolved once, on the poster, so that all frames
    /// keep the same size and position. Animations derived from this one by transformers with equal identifiers share
    /// their frames.
    ///
    /// - Throws: The errors of the transformer, which is applied to the poster at once.
    public func transformed(by transformer: any ImageTransformer) throws(TintypeError) -> AnimatedImage {
        let resolved = try (transformer as? any ContentTransformer)?.resolved(for: poster) ?? transformer
        let transformed = FrameMaker(source: maker.source, transforms: maker.transforms + [resolved].flattened)
        return AnimatedImage(maker: transformed, poster: try resolved.transform(poster), isComplete: isComplete)
    }

    /// Decodes all frames and holds them until ``unloadFrames()`` is called or the animation is released, so that no
    /// frame is ever late. Blocks while it decodes.
    ///
    /// - Throws: ``TintypeError/Code/limitExceeded`` if the frames would exceed ``FrameMemory/limit``, and the errors
    ///   of ``frame(at:isCancelled:)``. After an error no frame is held.
    public func preloadFrames(isCancelled: @escaping @Sendable () -> Bool = { false }) throws(TintypeError) {
        try pool.pin(isCancelled: isCancelled)
    }

    /// Releases the frames that ``preloadFrames(isCancelled:)`` holds.
    public func unloadFrames() {
        pool.unpin()
    }

    /// Releases all frames but the poster. Frames that players need are decoded again.
    public func clearFrames() {
        pool.clear()
    }

    /// Whether this animation continues `other`: they share a pool, or `other` was still arriving and its frames are
    /// the first frames of this one.
    package func isContinuation(of other: AnimatedImage) -> Bool {
        pool === other.pool
            || !other.isComplete && size == other.size && durations.starts(with: other.durations)
    }

    /// Returns the same image with the frames that have arrived since. It shares this one's pool.
    func withArrivedFrames(isComplete: Bool) -> AnimatedImage {
        AnimatedImage(maker: maker, poster: poster, isComplete: isComplete)
    }
}

extension DecodeContext {
    /// The context without its cancellation check, for decoders that outlive the load that created them.
    var withoutCancellation: DecodeContext {
        var context = self
        context.isCancelled = { false }
        return context
    }
}
