import Foundation
import TintypeCore

/// Decodes the frames of an animated JPEG XL. In order, each is decoded once.
///
/// `@unchecked Sendable` because libjxl's decoder, its only state, is used by one thread at a time: that is the promise of
/// ``FrameDecoder``.
final class JXLFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: LastingBytes
    private var pixels: JXLPixels

    init(_ data: Data, _ limits: DecodeLimits) throws(TintypeError) {
        bytes = LastingBytes(data)
        guard let header = try JXLHeader(bytes.bytes, isComplete: true, limits) else { throw .truncatedJXL }
        let info = header.info
        try limits.check(info, byteCount: data.count)
        (canvasSize, loopCount) = (info.storedSize, info.loopCount)
        frames = (info.durations.isEmpty ? [0] : info.durations).map { duration in
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: info.storedSize), duration: duration, blend: .source,
                hasAlpha: info.hasAlpha)
        }
        try limits.check(frames, canvas: canvasSize)
        pixels = try JXLPixels(bytes.bytes, header)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        try pixels.frame(index, isCancelled: isCancelled)
    }
}
