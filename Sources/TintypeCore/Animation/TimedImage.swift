/// A picture and how long it is shown: what an animation is made of.
public struct TimedImage: Sendable {
    /// What is shown.
    public var pixels: PixelBuffer
    /// Seconds; ``FrameDuration/played(_:)`` says how long it is shown.
    public var duration: Double

    public init(_ pixels: PixelBuffer, duration: Double) {
        self.pixels = pixels
        self.duration = duration
    }
}

extension AnimatedImage {
    /// An animation of images that a program has.
    ///
    /// It has the size of the first one; the others are shown from the top left corner, without what lies beyond it.
    ///
    /// - Parameter loopCount: the total number of plays; 0 is forever.
    /// - Throws: ``TintypeError/Code/noSuchFrame`` when there is no picture.
    public convenience init(_ images: [TimedImage], loopCount: Int = 0) throws(TintypeError) {
        guard let first = images.first else {
            throw TintypeError(.noSuchFrame, stage: .decode, "an animation needs at least one image")
        }
        let (size, info) = (first.pixels.size, ImageInfo(format: .gif, size: first.pixels.size))
        let source = try ComposedFrames(byteCount: images.reduce(0) { $0 + $1.pixels.byteCount }) {
            ImageFrames(canvasSize: size, loopCount: loopCount, images: images)
        }
        try self.init(source, info: info, context: DecodeContext())
    }
}

/// Pictures as the frames of an animation: there is nothing to decode.
private final class ImageFrames: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let images: [TimedImage]

    init(canvasSize: PixelSize, loopCount: Int, images: [TimedImage]) {
        self.canvasSize = canvasSize
        self.loopCount = max(0, loopCount)
        self.images = images
        frames = images.map {
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: $0.pixels.size), duration: $0.duration, blend: .source,
                disposal: .background)
        }
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        images[index].pixels
    }
}

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
            throw TintypeError(.noSuchFrame, stage: .decode, "an animation needs at least one frame")
        }
        if let invalid = indices.first(where: { !durations.indices.contains($0) }) {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(invalid), the animation has \(frameCount)")
        }
        let source = try ComposedFrames(byteCount: memoryCost) { PickedFrames(self, indices) }
        return try AnimatedImage(source, info: ImageInfo(format: .gif, size: size), context: DecodeContext())
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
