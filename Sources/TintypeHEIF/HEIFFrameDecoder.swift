import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an image sequence, with their alpha.
///
/// `@unchecked Sendable` because the decoders of its tracks and what they have made are used by one thread at a time: that
/// is the promise of ``FrameDecoder``.
final class HEIFFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    private let pictures: HEIFTrackDecoder<PixelBuffer>

    init(_ bytes: Data, _ sequence: HEIFSequence, _ limits: DecodeLimits) throws(TintypeError) {
        let (info, size) = (sequence.info, sequence.colors.size)
        (canvasSize, loopCount) = (size, sequence.colors.playCount)
        let rect = PixelRect(x: 0, y: 0, size: size)
        frames = sequence.colors.durations.prefix(sequence.frameCount).map {
            AnimationFrame(rect: rect, duration: $0, blend: .source, hasAlpha: info.hasAlpha)
        }
        try limits.check(frames, canvas: size)
        let painter = try HEIFFramePainter(bytes, sequence)
        pictures = try HEIFTrackDecoder(bytes, sequence.colors, count: sequence.frameCount) {
            decoded, place, isCancelled throws(TintypeError) in
            try painter.pixels(of: decoded, at: place, isCancelled: isCancelled)
        }
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        try pictures.picture(at: index, isCancelled: isCancelled)
    }
}
