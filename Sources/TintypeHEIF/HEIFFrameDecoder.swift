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

/// Makes of the pictures of a sequence what is shown, with the alpha that belongs to each.
struct HEIFFramePainter {
    private let track: HEIFTrack
    private let converter: WideConverter
    private let alphas: HEIFTrackDecoder<HEVCAlpha>?
    private let isPremultiplied: Bool

    init(_ bytes: Data, _ sequence: HEIFSequence) throws(TintypeError) {
        (track, isPremultiplied) = (sequence.colors, sequence.isPremultiplied)
        converter = WideConverter(track.description.colors ?? .standard, .rgb)
        guard let alpha = sequence.alpha else {
            alphas = nil
            return
        }
        alphas = try HEIFTrackDecoder(bytes, alpha, count: sequence.frameCount) { decoded, _, _ throws(TintypeError) in
            guard let alpha = HEVCAlpha(decoded) else { throw .damagedSequence }
            return alpha
        }
    }

    /// - Parameter place: where it is shown.
    func pixels(
        of picture: HEVCPicture, at place: Int, isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> PixelBuffer {
        let description = track.description
        guard
            let colors = HEVCColors(
                picture, matrix: description.matrix ?? picture.matrix,
                isFullRange: description.isFullRange ?? picture.isFullRange)
        else { throw .damagedSequence }
        let alpha = try alpha(at: place, isCancelled)
        let whole = DecodeTarget(whole: track.size, size: track.size)
        let rows = WideRows(track.size, whole, converter, DecodeContext(isCancelled: isCancelled))
        let length = track.size.width * 4
        return try rows.image { (first, count, words) in
            for y in 0..<count {
                let row = UnsafeMutableBufferPointer(rebasing: words[y * length..<(y + 1) * length])
                colors.read(first + y, row)
                alpha?.write(first + y, row)
                if alpha != nil && isPremultiplied { WideRows.unpremultiply(row) }
            }
        }.pixels
    }

    private func alpha(
        at place: Int, _ isCancelled: @escaping @Sendable () -> Bool
    ) throws(TintypeError) -> HEVCAlpha? {
        guard let alphas else { return nil }
        return try alphas.picture(at: place, isCancelled: isCancelled)
    }
}
