/// A picture and how long it is shown: what an animation is made of.
public struct TimedPicture: Sendable {
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
    /// An animation of pictures that a program has.
    ///
    /// It has the size of the first one; the others are shown from the top left corner, without what lies beyond it.
    ///
    /// - Parameter loopCount: the total number of plays; 0 is forever.
    /// - Throws: ``TintypeError/Code/noSuchFrame`` when there is no picture.
    public convenience init(_ pictures: [TimedPicture], loopCount: Int = 0) throws(TintypeError) {
        guard let first = pictures.first else {
            throw TintypeError(.noSuchFrame, stage: .decode, "an animation has at least one picture")
        }
        let (size, info) = (first.pixels.size, ImageInfo(format: .gif, size: first.pixels.size))
        let source = try ComposedFrames(byteCount: pictures.reduce(0) { $0 + $1.pixels.byteCount }) {
            PictureFrames(canvasSize: size, loopCount: loopCount, pictures: pictures)
        }
        try self.init(source, info, DecodeContext())
    }
}

/// Pictures as the frames of an animation: there is nothing to decode.
private final class PictureFrames: FrameDecoder {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let pictures: [TimedPicture]

    init(canvasSize: PixelSize, loopCount: Int, pictures: [TimedPicture]) {
        self.canvasSize = canvasSize
        self.loopCount = max(0, loopCount)
        self.pictures = pictures
        frames = pictures.map {
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: $0.pixels.size), duration: $0.duration, blend: .source,
                disposal: .background)
        }
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        pictures[index].pixels
    }
}
