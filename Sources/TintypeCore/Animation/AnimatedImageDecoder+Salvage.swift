package import Foundation

extension AnimatedImageDecoder {
    /// The frames of a damaged animation that are whole, as one that has no more.
    ///
    /// - Parameter arrived: finds them; called again by threads that need a decoder of their own.
    /// - Returns: `nil` when there is none.
    package func salvagedAnimation(
        _ bytes: Data, _ context: DecodeContext,
        _ arrived: @escaping @Sendable (Data, DecodeContext) throws(TintypeError) -> ArrivedFrames?
    ) throws(TintypeError) -> Image? {
        guard let frames = try arrived(bytes, context) else { return nil }
        let lasting = context.lasting
        let services = FrameServices(time: DecodeTime(limit: context.limits.time))
        let source = try ComposedFrames(frames.decoder, byteCount: bytes.count, services: services) {
            () throws(TintypeError) in
            guard let again = try arrived(bytes, lasting) else { throw .goneFrames }
            return again.decoder
        }
        let animation = try AnimatedImage(source, frames.info, context)
        return Image(
            pixels: animation.poster, info: frames.info, scale: context.options.scale ?? 1,
            animation: animation.frameCount > 1 && context.options.frames != .first ? animation : nil)
    }
}

extension ProgressiveAnimationDecoder {
    /// The frames that are whole in the first bytes, as an animation that has no more.
    package func salvagedAnimation(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) -> Image? {
        try salvagedAnimation(bytes, context) { bytes, context throws(TintypeError) in
            try arrivedFrames(bytes, context)
        }
    }
}
