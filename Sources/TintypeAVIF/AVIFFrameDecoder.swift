import CLibAVIF
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an image sequence. A frame depends on earlier ones back to the last key frame; read in order,
/// each is decoded once.
///
/// `@unchecked Sendable` because libavif's decoder, the only mutable state, is used by one thread at a time, as
/// ``FrameDecoder`` requires.
final class AVIFFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    private let bytes: PinnedBytes
    private let reader: AVIFReader
    private let colors: AVIFColors

    /// Creates a decoder for a file or its first bytes.
    ///
    /// - Parameter arrivedFrameCount: The number of frames in `data` if it is a prefix; `nil` if it is the whole file.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`,
    ///   `TintypeError.Code.outOfMemory`.
    init(_ data: Data, arrivedFrameCount: Int? = nil, _ limits: DecodeLimits) throws(TintypeError) {
        bytes = PinnedBytes(data)
        reader = try AVIFReader(bytes.bytes, isComplete: arrivedFrameCount == nil, limits: limits)
        (canvasSize, loopCount) = (reader.storedSize, reader.playCount)
        let (size, hasAlpha) = (reader.storedSize, reader.hasAlpha)
        try limits.check(ImageInfo(format: .avif, size: size), byteCount: data.count)
        frames = try reader.durations().prefix(arrivedFrameCount ?? .max).map { duration in
            AnimationFrame(
                rect: PixelRect(x: 0, y: 0, size: size), duration: duration, blend: .source, hasAlpha: hasAlpha)
        }
        try limits.check(frames, canvas: size)
        // Only still images keep their high range.
        colors = try AVIFColors(reader, DecodeContext(limits: limits))
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        guard !isCancelled() else { throw .cancelled }
        try reader.decode(frame: index, isCancelled: isCancelled)
        let target = DecodeTarget(whole: canvasSize, size: canvasSize)
        return try reader.convertFrame(target, colors, DecodeContext(isCancelled: isCancelled)).pixels
    }
}
