import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an animated WebP one by one.
///
/// `@unchecked Sendable` because the converter, its only state, is used by one thread at a time, as ``FrameDecoder``
/// requires.
final class WebPFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: Data
    /// The byte range of each frame's compressed pixels.
    private let ranges: [Range<Int>]
    private let converter: ColorConverter?

    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`.
    init(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) {
        self.bytes = bytes
        let (canvas, plays, colors, located) = try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try tintype_webp_header(raw) else { throw .truncatedWebP }
            try context.limits.check(ImageInfo(format: .webp, size: header.size), byteCount: raw.count)
            let file = try WebPFile(raw, context.limits)
            return (header.size, file.playCount, try file.colors(context.limits), try Self.frames(of: file, raw))
        }
        (canvasSize, loopCount) = (canvas, plays)
        frames = located.map(\.frame)
        ranges = located.map(\.range)
        converter = ColorConverter(colors, .rgb)
        try context.limits.check(frames, canvas: canvas)
    }

    /// Reads the frames that are complete in a prefix of a file.
    ///
    /// - Returns: `nil` if there are none.
    /// - Throws: `TintypeError.Code.undecodable`, `TintypeError.Code.limitExceeded`.
    init?(arrived bytes: Data, _ canvas: PixelSize, _ context: DecodeContext) throws(TintypeError) {
        try context.limits.check(ImageInfo(format: .webp, size: canvas))
        let (plays, colors, located) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let file = try WebPFile(raw, isComplete: false, context.limits)
            return (file.playCount, try file.colors(context.limits), try Self.frames(of: file, raw, isComplete: false))
        }
        guard !located.isEmpty else { return nil }
        (self.bytes, canvasSize, loopCount) = (bytes, canvas, plays)
        frames = located.map(\.frame)
        ranges = located.map(\.range)
        converter = ColorConverter(colors, .rgb)
        try context.limits.check(frames, canvas: canvas)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let frame = frames[index]
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            let compressed = UnsafeRawBufferPointer(rebasing: raw[ranges[index]])
            return try PixelBuffer(
                webP: compressed.bindMemory(to: UInt8.self), size: frame.rect.size, hasAlpha: frame.hasAlpha,
                converter, isCancelled: isCancelled)
        }
    }

    /// Locates the frames of `file`, whose bytes are `raw`.
    private static func frames(
        of file: borrowing WebPFile, _ raw: UnsafeRawBufferPointer, isComplete: Bool = true
    ) throws(TintypeError) -> [(frame: AnimationFrame, range: Range<Int>)] {
        var frames: [(frame: AnimationFrame, range: Range<Int>)] = []
        for index in 0..<file.frameCount {
            // The last frame of a prefix may be incomplete.
            if !isComplete && index == file.frameCount - 1 && (try? file.frame(index)) == nil { break }
            let frame = try file.frame(index)
            guard let base = raw.baseAddress, let bytes = frame.bytes.map(UnsafeRawPointer.init) else {
                throw .damagedWebP
            }
            let start = bytes - base
            guard start >= 0, frame.count <= raw.count - start else { throw .damagedWebP }
            frames.append((AnimationFrame(frame), start..<start + frame.count))
        }
        guard !frames.isEmpty || !isComplete else { throw .damagedWebP }
        return frames
    }
}
