package import Foundation

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
        let (all, source, animation) = state.withLock { state in
            state.bytes += bytes
            return (state.bytes, state.source, state.animation)
        }
        guard let arrived = try decoder.arrivedFrames(all, context) else { return nil }
        guard arrived.decoder.frames.count > animation?.frameCount ?? 0 else { return nil }
        let next: AnimatedImage
        if let source, let animation {
            source.grow(arrived.decoder, byteCount: all.count) { [decoder, context] () throws(TintypeError) in
                try decoder.frames(of: all, context.lasting)
            }
            animation.pool.grow(to: arrived.decoder.frames.count)
            next = animation.grown(isComplete: false)
        } else {
            next = try begin(arrived, all)
        }
        state.withLock { $0.animation = next }
        return image(next, arrived.info)
    }

    private func begin(_ arrived: ArrivedFrames, _ bytes: Data) throws(TintypeError) -> AnimatedImage {
        let source = try ComposedFrames(arrived.decoder, byteCount: bytes.count, services: services) {
            [decoder, context] () throws(TintypeError) in try decoder.frames(of: bytes, context.lasting)
        }
        state.withLock { $0.source = source }
        return try AnimatedImage(source, arrived.info, isComplete: false, context)
    }

    /// A single frame is a still picture so far.
    private func image(_ animation: AnimatedImage, _ info: ImageInfo) -> Image {
        Image(
            pixels: animation.poster, info: info, scale: context.options.scale ?? 1,
            animation: animation.frameCount > 1 && context.options.frames != .first ? animation : nil)
    }
}

extension ProgressiveAnimationDecoder {
    /// Another decoder for bytes that had frames.
    fileprivate func frames(of bytes: Data, _ context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        guard let arrived = try arrivedFrames(bytes, context) else {
            throw .goneFrames
        }
        return arrived.decoder
    }
}

extension TintypeError {
    /// Bytes that had frames have none any more.
    static let goneFrames = TintypeError(.undecodable, stage: .decode, "the frames of an animation are gone")
}
