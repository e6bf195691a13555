import Foundation
import TintypeTesting

@testable import TintypeCore

/// An animation decoder whose frames are given, and which records every decoded frame.
struct DrawnAnimation: AnimatedImageDecoder {
    let canvas: PixelSize
    var frames: [AnimationFrame]
    let images: [PixelBuffer]
    /// The indices of the decoded frames, in order.
    let decoded = Shared<[Int]>([])
    var loopCount = 0
    /// The index of a frame that cannot be decoded.
    var damaged: Int?
    /// The frames whose decoding blocks, each until one signal of ``gate``.
    var held: Set<Int> = []
    let gate = DispatchSemaphore(value: 0)
    /// The held frames whose decoding has begun.
    let reached = Shared<[Int]>([])

    var formats: Set<ImageFormat> { [.gif, .png] }

    var info: ImageInfo {
        ImageInfo(
            format: .gif, size: canvas, hasAlpha: true, frameCount: frames.count, durations: frames.map(\.duration))
    }

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { info }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try animatedImage(bytes, info: info, context: context)
    }

    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        DrawnFrames(animation: self)
    }
}

private final class DrawnFrames: FrameDecoder {
    let animation: DrawnAnimation

    init(animation: DrawnAnimation) {
        self.animation = animation
    }

    var canvasSize: PixelSize { animation.canvas }
    var loopCount: Int { animation.loopCount }
    var frames: [AnimationFrame] { animation.frames }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        if isCancelled() { throw .cancelled }
        if animation.held.contains(index) {
            animation.reached.withLock { $0.append(index) }
            animation.gate.wait()
        }
        if index == animation.damaged { throw TintypeError(.undecodable, stage: .decode, "frame \(index)") }
        animation.decoded.withLock { $0.append(index) }
        return animation.images[index]
    }
}

/// A drawn animation that arrives at one byte per frame.
struct GrowingAnimation: ProgressiveAnimationDecoder {
    var whole: DrawnAnimation

    var formats: Set<ImageFormat> { whole.formats }

    func info(of bytes: Data, isComplete: Bool) throws(TintypeError) -> ImageInfo? { whole.info }

    func decode(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> Image {
        try whole.decode(bytes, context: context)
    }

    func makeFrameDecoder(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> any FrameDecoder {
        try whole.makeFrameDecoder(bytes, context: context)
    }

    func arrivedFrames(_ bytes: Data, context: DecodeContext) throws(TintypeError) -> ArrivedFrames? {
        guard !bytes.isEmpty else { return nil }
        var part = whole
        part.frames = Array(whole.frames.prefix(bytes.count))
        return ArrivedFrames(info: part.info, decoder: try part.makeFrameDecoder(bytes, context: context))
    }
}
