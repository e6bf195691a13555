import Foundation
import TintypeColor
import TintypeCore

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
        return try rows.picture { (first, count, words) in
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
