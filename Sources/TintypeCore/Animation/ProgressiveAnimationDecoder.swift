public import Foundation

/// Decodes animations while their bytes arrive.
public protocol ProgressiveAnimationDecoder: AnimatedImageDecoder {
    /// The frames that are whole in the first bytes of a picture, none of them decoded yet.
    ///
    /// - Returns: `nil` when there is none yet.
    /// - Throws: as ``AnimatedImageDecoder/makeFrameDecoder(_:context:)``.
    func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames?
}

extension ProgressiveAnimationDecoder {
    /// Shows the first frame as soon as it is there, and then plays what there is.
    public func makeIncrementalDecoder(context: DecodeContext) -> (any IncrementalImageDecoder)? {
        IncrementalAnimation(decoder: self, context)
    }
}

/// The frames of a picture that is still arriving.
public struct ArrivedFrames: Sendable {
    /// What the header tells, and of frames those that are there.
    public var info: ImageInfo
    /// Gives the frames that have arrived.
    public var decoder: any FrameDecoder

    public init(info: ImageInfo, decoder: any FrameDecoder) {
        self.info = info
        self.decoder = decoder
    }
}

/// Shows the frames of an animation while its bytes arrive: one animation that grows, whose frames are decoded once.
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

    package convenience init(decoder: any ProgressiveAnimationDecoder, _ context: DecodeContext) {
        self.init(
            decoder: decoder, context, services: FrameServices(time: DecodeTime(limit: context.limits.time)))
    }

    init(decoder: any ProgressiveAnimationDecoder, _ context: DecodeContext, services: FrameServices) {
        self.decoder = decoder
        self.context = context
        self.services = services
    }

    package func append(_ bytes: Data) throws(TintypeError) -> Image? {
        let (allBytes, source, animation) = state.withLock { state in
            state.bytes += bytes
            return (state.bytes, state.source, state.animation)
        }
        guard let arrived = try decoder.arrivedFrames(allBytes, context: context) else { return nil }
        guard arrived.decoder.frames.count > animation?.frameCount ?? 0 else { return nil }
        let newAnimation: AnimatedImage
        if let source, let animation {
            source.update(arrived.decoder, byteCount: allBytes.count) { [decoder, context] () throws(TintypeError) in
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

    /// A single frame is a still picture so far.
    private func image(of animation: AnimatedImage, info: ImageInfo) -> Image {
        Image(
            pixels: animation.poster, info: info, scale: context.options.scale ?? 1,
            animation: animation.frameCount > 1 && context.options.frames != .first ? animation : nil)
    }
}

extension ProgressiveAnimationDecoder {
    /// Another decoder for bytes that had frames.
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
    /// Bytes that had frames have none any more.
    static let framesDisappeared = TintypeError(.undecodable, stage: .decode, "the frames of an animation are gone")
}

extension AnimatedImageDecoder {
    /// The frames of a damaged animation that are whole, as one that has no more.
    ///
    /// - Parameter arrived: finds them; called again by threads that need a decoder of their own.
    /// - Returns: `nil` when there is none.
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
    /// The frames that are whole in the first bytes, as an animation that has no more.
    package func salvageAnimation(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image? {
        try salvageAnimation(bytes, context: context) { bytes, context throws(TintypeError) in
            try arrivedFrames(bytes, context: context)
        }
    }
}
