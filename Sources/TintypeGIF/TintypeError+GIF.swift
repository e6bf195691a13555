import CTintypeGIF
import TintypeCore

extension TintypeError {
    static let truncatedGIF = TintypeError(.undecodable, stage: .decode, "the GIF is cut short")

    static func damagedGIF(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the GIF is damaged: \(reason)")
    }

    static func tooManyImages(_ most: Int) -> TintypeError {
        exceeded(.frames, "a GIF of more than \(most) frames")
    }

    /// `nil` when all is well.
    init?(_ status: tintype_gif_status) {
        switch status {
        case .ok: return nil
        case .cancelled: self = .cancelled
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a GIF")
        case .corrupt: self = .damagedGIF("its compressed pixels make no sense")
        }
    }
}
