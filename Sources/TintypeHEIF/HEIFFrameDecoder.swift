import Foundation
import TintypeColor
import TintypeCore

/// Decodes the frames of an image sequence, with their alpha.
///
/// `@unchecked Sendable` because the decoders of its tracks and their buffered frames are used by one thread at a time,
/// as ``FrameDecoder`` requires.
final class HEIFFrameDecoder: FrameDecoder, @unchecked Sendable {
    let canvasSize: PixelSize
    let frames: [AnimationFrame]
    let loopCount: Int
    private let colorDecoder: HEIFTrackDecoder<PixelBuffer>

    /// - Throws: `TintypeError.Code.limitExceeded` if the frames are above the limits;
    ///   `TintypeError.Code.outOfMemory`.
    init(_ bytes: Data, _ sequence: HEIFSequence, _ limits: DecodeLimits) throws(TintypeError) {
        let (info, size) = (sequence.info, sequence.colorTrack.size)
        (canvasSize, loopCount) = (size, sequence.colorTrack.playCount)
        let rect = PixelRect(x: 0, y: 0, size: size)
        frames = sequence.colorTrack.durations.prefix(sequence.frameCount).map {
            AnimationFrame(rect: rect, duration: $0, blend: .source, hasAlpha: info.hasAlpha)
        }
        try Self.check(frames, of: sequence, limits)
        let converter = try HEIFFrameConverter(bytes, sequence)
        colorDecoder = try HEIFTrackDecoder(bytes, sequence.colorTrack, count: sequence.frameCount) {
            image, index, isCancelled throws(TintypeError) in
            try converter.pixels(of: image, at: index, isCancelled: isCancelled)
        }
    }

    /// Checks the images that are decoded for the frames. They are larger than the frames if only a part of them is
    /// shown.
    private static func check(
        _ frames: [AnimationFrame], of sequence: HEIFSequence, _ limits: DecodeLimits
    ) throws(TintypeError) {
        let (color, alpha) = (sequence.colorTrack.codedSize, sequence.alphaTrack?.codedSize)
        let largest = alpha.map { $0.area > color.area ? $0 : color } ?? color
        try limits.check(frames, canvas: largest)
    }

    func pixels(of index: Int, isCancelled: @escaping @Sendable () -> Bool) throws(TintypeError) -> PixelBuffer {
        try colorDecoder.frame(at: index, isCancelled: isCancelled)
    }
}

/// Converts the decoded images of a sequence to sRGB pixels, with the alpha of each.
struct HEIFFrameConverter {
    private let track: HEIFTrack
    private let converter: WideConverter
    private let alphaDecoder: HEIFTrackDecoder<HEVCAlpha>?
    private let isPremultiplied: Bool

    init(_ bytes: Data, _ sequence: HEIFSequence) throws(TintypeError) {
        (track, isPremultiplied) = (sequence.colorTrack, sequence.isPremultiplied)
        converter = WideConverter(track.colors.colors ?? .standard, .rgb)
        guard let alphaTrack = sequence.alphaTrack else {
            alphaDecoder = nil
            return
        }
        alphaDecoder = try HEIFTrackDecoder(bytes, alphaTrack, count: sequence.frameCount) {
            image, _, _ throws(TintypeError) in
            guard let alpha = HEVCAlpha(image, alphaTrack.crop) else { throw .damagedSequence }
            return alpha
        }
    }

    /// Converts one image.
    ///
    /// - Parameter index: The position at which the image is shown.
    func pixels(
        of image: HEVCImage, at index: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        guard
            let colors = HEVCColors(
                image, track.crop, matrix: track.colors.matrix ?? image.matrix,
                isFullRange: track.colors.isFullRange ?? image.isFullRange)
        else { throw .damagedSequence }
        let alpha = try alphaDecoder?.frame(at: index, isCancelled: isCancelled)
        let target = DecodeTarget(whole: track.size, size: track.size)
        let rows = WideRows(track.size, target, converter, DecodeContext(isCancelled: isCancelled))
        let length = track.size.width * 4
        return try rows.image { (first, count, words) in
            for y in 0..<count {
                let row = UnsafeMutableBufferPointer(rebasing: words[y * length..<(y + 1) * length])
                colors.readRow(first + y, into: row)
                alpha?.writeRow(first + y, to: row)
                if alpha != nil && isPremultiplied { WideRows.unpremultiply(row) }
            }
        }.pixels
    }
}
