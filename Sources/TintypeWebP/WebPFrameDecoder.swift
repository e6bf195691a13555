import CTintypeWebP
import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an animated WebP, each on its own.
///
/// `@unchecked Sendable` because the converter, its only state, is used by one thread at a time: that is the promise of
/// ``FrameDecoder``.
final class WebPFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let loopCount: Int
    let frames: [AnimationFrame]
    private let bytes: Data
    /// Where each frame's compressed pixels are.
    private let places: [Range<Int>]
    private let converter: ColorConverter?

    init(_ bytes: Data, _ context: DecodeContext) throws(TintypeError) {
        self.bytes = bytes
        let (canvas, plays, colors, found) = try bytes.withTypedBytes { raw throws(TintypeError) in
            guard let header = try tintype_webp_header(raw) else { throw .truncatedWebP }
            try context.limits.check(ImageInfo(format: .webp, size: header.size), byteCount: raw.count)
            let file = try WebPFile(raw, context.limits)
            return (header.size, file.playCount, try file.colors(context.limits), try Self.frames(of: file, raw))
        }
        (canvasSize, loopCount) = (canvas, plays)
        frames = found.map(\.frame)
        places = found.map(\.place)
        converter = ColorConverter(colors, .rgb)
        try context.limits.check(frames, canvas: canvas)
    }

    /// The frames that are whole in the first bytes of a file; `nil` when none is.
    init?(arrived bytes: Data, _ canvas: PixelSize, _ context: DecodeContext) throws(TintypeError) {
        try context.limits.check(ImageInfo(format: .webp, size: canvas))
        let (plays, colors, found) = try bytes.withTypedBytes { raw throws(TintypeError) in
            let file = try WebPFile(raw, isComplete: false, context.limits)
            return (file.playCount, try file.colors(context.limits), try Self.frames(of: file, raw, isComplete: false))
        }
        guard !found.isEmpty else { return nil }
        (self.bytes, canvasSize, loopCount) = (bytes, canvas, plays)
        frames = found.map(\.frame)
        places = found.map(\.place)
        converter = ColorConverter(colors, .rgb)
        try context.limits.check(frames, canvas: canvas)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        let frame = frames[index]
        return try bytes.withTypedBytes { raw throws(TintypeError) in
            let compressed = UnsafeRawBufferPointer(rebasing: raw[places[index]])
            return try PixelBuffer(
                webP: compressed.bindMemory(to: UInt8.self), size: frame.rect.size, hasAlpha: frame.hasAlpha,
                converter, isCancelled: isCancelled)
        }
    }

    private static func frames(
        of file: borrowing WebPFile, _ raw: UnsafeRawBufferPointer, isComplete: Bool = true
    ) throws(TintypeError) -> [(frame: AnimationFrame, place: Range<Int>)] {
        var frames: [(frame: AnimationFrame, place: Range<Int>)] = []
        for index in 0..<file.frameCount {
            // Of first bytes, the last frame need not be whole.
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
