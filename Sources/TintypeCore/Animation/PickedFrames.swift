extension AnimatedImage {
    /// An animation of some frames of this one, each as it is shown here and as long, in any order and as often as named.
    ///
    /// Nothing is decoded but the first of them, until a frame is asked for.
    ///
    /// - Parameter indices: of frames, from 0.
    /// - Throws: ``TintypeError/Code/noSuchFrame`` for one that there is not, and for none at all; otherwise as
    ///   ``frame(at:isCancelled:)``.
    public func picking(_ indices: [Int]) throws(TintypeError) -> AnimatedImage {
        guard !indices.isEmpty else {
            throw TintypeError(.noSuchFrame, stage: .decode, "an animation has at least one frame")
        }
        if let wrong = indices.first(where: { !durations.indices.contains($0) }) {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(wrong), the picture has \(frameCount)")
        }
        let source = try ComposedFrames(byteCount: memoryCost) { PickedFrames(self, indices) }
        return try AnimatedImage(source, ImageInfo(format: .gif, size: size), DecodeContext())
    }
}

/// Frames of another animation, each whole.
private final class PickedFrames: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let animation: AnimatedImage
    private let indices: [Int]

    init(_ animation: AnimatedImage, _ indices: [Int]) {
        (self.animation, self.indices) = (animation, indices)
        (canvasSize, loopCount) = (animation.size, animation.loopCount)
        let rect = PixelRect(x: 0, y: 0, size: animation.size)
        frames = indices.map { AnimationFrame(rect: rect, duration: animation.durations[$0], blend: .source) }
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        try animation.frame(at: indices[index], isCancelled: isCancelled)
    }
}
