public import Foundation
public import TintypeCore

/// Animated WebP with libwebpmux, which stores of each frame what has changed. Frames in a row that are equal become one,
/// which is shown as long as all of them. Of quality 1 every pixel is kept.
///
/// Durations are whole milliseconds, and all together at most 24 days.
extension WebPEncoder: AnimatedImageEncoder {
    public func encode(
        _ animation: AnimatedImage, as format: ImageFormat, _ options: EncodeOptions
    ) throws(TintypeError) -> Data {
        let writer = try WebPAnimationWriter(animation, settings(options))
        var time = 0
        let durations = FrameDuration.ticks(animation.durations, perSecond: 1000, in: 11...Int(Int32.max))
        for index in 0..<animation.frameCount {
            try writer.add(try animation.frame(at: index), at: time)
            time += durations[index]
        }
        return try writer.finish(at: time)
    }
}
