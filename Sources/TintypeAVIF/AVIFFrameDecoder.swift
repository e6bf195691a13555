import CLibAVIF
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an image sequence. Each depends on those before it, as far back as the last key frame: in order,
/// each is decoded once.
///
/// `@unchecked Sendable` because libavif's decoder, its only state, is used by one thread at a time: that is the promise
/// of ``FrameDecoder``.
final class AVIFFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    private let bytes: LastingBytes
    private let reader: AVIFReader
    private let colors: AVIFColors

    /// - Parameter arrived: how many of the first frames are there, of first bytes.
    init(_ data: Data, arrived: Int? = nil, _ limits: DecodeLimits) throws(TintypeError) {
        bytes = LastingBytes(data)
        reader = try AVIFReader(bytes.bytes, isComplete: arrived == nil, limits)
        (canvasSize, loopCount) = (reader.storedSize, reader.playCount)
        let (size, hasAlpha) = (reader.storedSize, reader.hasAlpha)
        try limits.check(ImageInfo(format: .avif, size: size), byteCount: data.count)
        frames = try reader.durations().prefix(arrived ?? .max).map { duration in
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: size), duration: duration, blend: .source, hasAlpha: hasAlpha)
        }
        try limits.check(frames, canvas: size)
        // What is kept of the range is kept of still pictures alone.
        colors = try AVIFColors(reader, DecodeContext(limits: limits))
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        guard !isCancelled() else { throw .cancelled }
        try reader.decode(frame: index)
        let target = DecodeTarget(whole: canvasSize, size: canvasSize)
        return try reader.picture(target, colors, DecodeContext(isCancelled: isCancelled)).pixels
    }
}
