import Foundation
import TintypeColor
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

    convenience init(_ data: Data, _ limits: DecodeLimits) throws(TintypeError) {
        let header = try data.withTypedBytes { raw throws(TintypeError) in
            try JXLHeader(raw, isComplete: true, limits)
        }
        guard let header else { throw .truncatedJXL }
        try self.init(data, header, limits)
    }

    /// - Parameter header: of the bytes, which hold the frames that it tells of.
    init(_ data: Data, _ header: JXLHeader, _ limits: DecodeLimits) throws(TintypeError) {
        bytes = LastingBytes(data)
        let info = header.info
        try limits.check(info, byteCount: data.count)
        (canvasSize, loopCount) = (info.storedSize, info.loopCount)
        frames = (info.durations.isEmpty ? [0] : info.durations).map { duration in
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: info.storedSize), duration: duration, blend: .source,
                hasAlpha: info.hasAlpha)
        }
        try limits.check(frames, canvas: canvasSize)
        // What is kept of the range is kept of still pictures alone.
        pixels = try JXLPixels(bytes.bytes, header, DecodeContext(limits: limits))
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let whole = DecodeTarget(whole: canvasSize, size: canvasSize)
        return try pixels.frame(index, whole, isCancelled: isCancelled).pixels
    }
}
