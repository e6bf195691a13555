package import Foundation

extension ImageDecoder {
    /// Decodes within the time that the limits allow.
    ///
    /// - Throws: also ``TintypeError/Code/notAnimated``, where only an animated picture is wanted.
    package func decodeChecked(
        _ bytes: Data, context: DecodeContext, time: TimeSource = .system
    ) throws(TintypeError) -> Image {
        let limit = DecodeTime(limit: context.limits.time, source: time)
        let image = try limit.run(isCancelled: context.isCancelled) { isCancelled throws(TintypeError) in
            var timed = context
            timed.isCancelled = isCancelled
            return try decodeAllowed(bytes, context: resolved(timed, for: bytes))
        }
        guard context.options.frames != .animatedOnly || image.info.frameCount > 1 else {
            throw TintypeError(.notAnimated, stage: .decode, "a still picture, where only an animated one was wanted")
        }
        return image
    }

    /// Asks the header only where what is wanted depends on it.
    private func resolved(_ context: DecodeContext, for bytes: Data) throws(TintypeError) -> DecodeContext {
        guard context.options.sizeScope != nil, let info = try info(of: bytes, isComplete: true) else { return context }
        var resolved = context
        resolved.options = try context.options.resolved(for: info)
        return resolved
    }
}
