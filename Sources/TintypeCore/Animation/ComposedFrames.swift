import Foundation

/// The frames of one animated picture as they are shown, composed when they are asked for.
final class ComposedFrames: Sendable {
    let canvasSize: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    let bytes: Data
    private let plan: ReplayPlan
    private let makeDecoder: @Sendable () throws(TintypeError) -> any FrameDecoder
    /// The composer that no one uses at the moment. A thread that finds none makes one of its own, so that none waits
    /// for another; one is kept.
    private let idle: Locked<FrameComposer?>

    init(
        _ bytes: Data, makeDecoder: @escaping @Sendable () throws(TintypeError) -> any FrameDecoder
    ) throws(TintypeError) {
        let decoder = try makeDecoder()
        self.bytes = bytes
        self.makeDecoder = makeDecoder
        canvasSize = decoder.canvasSize
        frames = decoder.frames
        loopCount = decoder.loopCount
        plan = ReplayPlan(decoder.frames, canvas: decoder.canvasSize)
        idle = Locked(try FrameComposer(decoder, plan))
    }

    func composed(
        _ index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        guard frames.indices.contains(index) else {
            throw TintypeError(
                .noSuchFrame, stage: .decode, "there is no frame \(index), the picture has \(frames.count)")
        }
        let composer = try takeComposer()
        let picture = try composer.composed(index, isCancelled: isCancelled)
        // Not given back after an error, which may have left a decoder in the middle of something.
        idle.withLock { $0 = composer }
        return picture
    }

    /// Bytes of the encoded picture and of the canvas that is kept between frames.
    var memoryCost: Int { bytes.count + canvasSize.area * PixelBuffer.bytesPerPixel }

    private func takeComposer() throws(TintypeError) -> FrameComposer {
        let kept = idle.withLock { idle in
            defer { idle = nil }
            return idle
        }
        if let kept { return kept }
        return try FrameComposer(makeDecoder(), plan)
    }
}
