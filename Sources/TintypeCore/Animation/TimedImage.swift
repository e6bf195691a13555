/// An image and its duration, for building animations.
public struct TimedImage: Sendable {
    /// The pixels of the frame.
    package var pixels: PixelBuffer
    /// The duration in seconds. See ``FrameDuration/played(_:)`` for how long it is shown.
    package var duration: Double

    /// Creates a frame that is shown for `duration` seconds.
    public init(_ pixels: PixelBuffer, duration: Double) {
        self.pixels = pixels
        self.duration = duration
    }
}

extension AnimatedImage {
    /// Creates an animation from images.
    ///
    /// It has the size of the first image. Other images are placed at the top left corner and cropped to that size.
    ///
    /// - Parameters:
    ///   - images: The frames, in order.
    ///   - loopCount: The total number of plays; 0 means forever.
    /// - Throws: ``TintypeError/Code/noSuchFrame`` if there is no image.
    public convenience init(_ images: [TimedImage], loopCount: Int = 0) throws(TintypeError) {
        guard let first = images.first else {
            throw TintypeError(.noSuchFrame, stage: .decode, "an animation needs at least one image")
        }
        let (size, info) = (first.pixels.size, ImageInfo(format: .gif, size: first.pixels.size))
        let source = try ComposedFrames(byteCount: images.distinctByteCount) {
            ImageFrames(canvasSize: size, loopCount: loopCount, images: images)
        }
        try self.init(source, info: info, context: DecodeContext())
    }
}

extension [TimedImage] {
    /// The memory of all pixels in bytes. A buffer that several frames share counts once.
    fileprivate var distinctByteCount: Int {
        var counted: Set<ObjectIdentifier> = []
        return reduce(0) {
            counted.insert(ObjectIdentifier($1.pixels.storage)).inserted ? $0 + $1.pixels.byteCount : $0
        }
    }
}

/// Decoded images as the frames of an animation.
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
    /// Returns an animation of selected frames of this one, in any order. Frames may be repeated and keep their
    /// durations.
    ///
    /// Only the first selected frame is decoded at once; the others are decoded on demand.
    ///
    /// - Parameter indices: The frames, from 0.
    /// - Throws: ``TintypeError/Code/noSuchFrame`` if an index is out of range or the list is empty, and the errors of
    ///   ``frame(at:isCancelled:)``.
    package func picking(_ indices: [Int]) throws(TintypeError) -> AnimatedImage {
        guard !indices.isEmpty else {
            throw TintypeError(.noSuchFrame, stage: .decode, "an animation needs at least one frame")
        }
        if let invalid = indices.first(where: { !durations.indices.contains($0) }) {
            throw TintypeError(
                .noSuchFrame, stage: .decode,
                "there is no frame \(invalid): the frames are numbered from 0 to \(frameCount - 1)")
        }
        let source = try ComposedFrames(byteCount: memoryCost) { PickedFrames(self, indices) }
        return try AnimatedImage(source, info: ImageInfo(format: .gif, size: size), context: DecodeContext())
    }
}

/// Composed frames of another animation.
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
