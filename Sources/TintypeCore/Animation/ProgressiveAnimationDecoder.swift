package import Foundation

/// A decoder that can play an animation while its bytes arrive.
///
/// The pipeline asks it again whenever bytes have arrived, and shows the frames that are complete.
package protocol ProgressiveAnimationDecoder: AnimatedImageDecoder {
    /// Returns the frames that are complete in the first bytes of an image, without decoding them.
    ///
    /// - Parameters:
    ///   - bytes: The bytes that have arrived.
    ///   - context: The limits and options.
    /// - Returns: `nil` if no frame is complete yet.
    /// - Throws: The errors of ``AnimatedImageDecoder/makeFrameDecoder(_:context:)``.
    func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames?
}

extension ProgressiveAnimationDecoder {
    /// Returns a decoder that shows the first frame as soon as it is complete, then the animation so far.
    package func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalAnimation(decoder: self, context: context)
    }
}

/// The frames of an image that is still arriving.
package struct ArrivedFrames: Sendable {
    /// The contents of the header; frame counts and durations cover the frames that have arrived.
    package var info: ImageInfo
    /// The decoder of the frames that have arrived.
    package var decoder: any FrameDecoder

    /// Creates the result of ``ProgressiveAnimationDecoder/arrivedFrames(_:context:)``.
    ///
    /// - Parameters:
    ///   - info: The contents of the header; frame counts and durations cover the frames that have arrived.
    ///   - decoder: The decoder of the frames that have arrived.
    package init(info: ImageInfo, decoder: any FrameDecoder) {
        self.info = info
        self.decoder = decoder
    }
}

/// Shows the frames of an animation while its bytes arrive. The animation grows, and each frame is decoded once.
package final class IncrementalAnimation: IncrementalImageDecoder {
    private let decoder: any ProgressiveAnimationDecoder
    private let context: DecodeContext
    private let services: FrameServices
    private let state = Locked(State())

    private struct State: Sendable {
        var bytes = Data()
        var source: ComposedFrames?
        var animation: AnimatedImage?
    }

    /// Creates a decoder with the time limit of `context` for each frame.
    package convenience init(decoder: any ProgressiveAnimationDecoder, context: DecodeContext) {
        self.init(
            decoder: decoder, context: context, services: FrameServices(time: DecodeTime(limit: context.limits.time)))
    }

    init(decoder: any ProgressiveAnimationDecoder, context: DecodeContext, services: FrameServices) {
        self.decoder = decoder
        self.context = context
        self.services = services
    }

    /// Adds bytes and returns the image if a new frame is complete.
    package func append(_ bytes: Data) throws(TintypeError) -> Image? {
        let (allBytes, source, animation) = state.withLock { state in
            state.bytes += bytes
            return (state.bytes, state.source, state.animation)
        }
        guard let arrived = try decoder.arrivedFrames(allBytes, context: context) else { return nil }
        guard arrived.decoder.frames.count > animation?.frameCount ?? 0 else { return nil }
        let newAnimation: AnimatedImage
        if let source, let animation {
            try source.update(arrived.decoder, byteCount: allBytes.count) {
                [decoder, context] () throws(TintypeError) in
                try decoder.makeArrivedFrameDecoder(allBytes, context: context.withoutCancellation)
            }
            animation.pool.grow(to: arrived.decoder.frames.count)
            newAnimation = animation.withArrivedFrames(isComplete: false)
        } else {
            newAnimation = try start(with: arrived, bytes: allBytes)
        }
        state.withLock { $0.animation = newAnimation }
        return image(of: newAnimation, info: arrived.info)
    }

    private func start(with arrived: ArrivedFrames, bytes: Data) throws(TintypeError) -> AnimatedImage {
        let source = try ComposedFrames(arrived.decoder, byteCount: bytes.count, services: services) {
            [decoder, context] () throws(TintypeError) in
            try decoder.makeArrivedFrameDecoder(bytes, context: context.withoutCancellation)
        }
        state.withLock { $0.source = source }
        return try AnimatedImage(source, info: arrived.info, isComplete: false, context: context)
    }

    /// Returns the image of the animation so far. With a single frame, the image is not animated yet.
    private func image(of animation: AnimatedImage, info: ImageInfo) -> Image {
        Image(
            pixels: animation.poster, info: info, scale: context.options.scale ?? 1,
            animation: animation.frameCount > 1 && context.options.frames != .first ? animation : nil)
    }
}

extension ProgressiveAnimationDecoder {
    /// Returns another decoder for bytes that contained complete frames before.
    fileprivate func makeArrivedFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError)
        -> any FrameDecoder
    {
        guard let arrived = try arrivedFrames(bytes, context: context) else {
            throw .framesDisappeared
        }
        return arrived.decoder
    }
}

extension TintypeError {
    /// A decoder found no complete frame in bytes in which another decoder had found some.
    static let framesDisappeared = TintypeError(
        .undecodable, stage: .decode, "a second decoder found no complete frame in the same bytes")
    /// A decoder found other frames than another one before it.
    static let framesChanged = TintypeError(
        .undecodable, stage: .decode, "a second decoder found other frames in the same bytes")
}

extension AnimatedImageDecoder {
    /// Returns the complete frames of a damaged animation, as an animation without further frames.
    ///
    /// - Parameters:
    ///   - bytes: The damaged image.
    ///   - context: The limits and options.
    ///   - findFrames: Finds the complete frames. Called again by threads that need a decoder of their own.
    /// - Returns: `nil` if no frame is complete.
    /// - Throws: The errors of `findFrames`, and of decoding the first frame.
    package func salvageAnimation(
        _ bytes: Data, context: DecodeContext,
        findFrames: @escaping @Sendable (Data, DecodeContext) throws(TintypeError) -> ArrivedFrames?
    ) throws(TintypeError) -> Image? {
        guard let frames = try findFrames(bytes, context) else { return nil }
        let lastingContext = context.withoutCancellation
        let services = FrameServices(time: DecodeTime(limit: context.limits.time))
        let source = try ComposedFrames(frames.decoder, byteCount: bytes.count, services: services) {
            () throws(TintypeError) in
            guard let frames = try findFrames(bytes, lastingContext) else { throw .framesDisappeared }
            return frames.decoder
        }
        let animation = try AnimatedImage(source, info: frames.info, context: context)
        return Image(
            pixels: animation.poster, info: frames.info, scale: context.options.scale ?? 1,
            animation: animation.frameCount > 1 && context.options.frames != .first ? animation : nil)
    }
}

extension ProgressiveAnimationDecoder {
    /// Returns the complete frames at the beginning of a damaged animation, or `nil` if there is none.
    ///
    /// - Throws: The errors of ``arrivedFrames(_:context:)``, and of decoding the first frame.
    package func salvageAnimation(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvageAnimation(bytes, context: context) { bytes, context throws(TintypeError) in
            try arrivedFrames(bytes, context: context)
        }
    }
}
