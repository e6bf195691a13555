import CTintypeWebP
import TintypeCore

extension TintypeError {
    static let truncatedWebP = TintypeError(.undecodable, stage: .decode, "the WebP is cut short")
    static let damagedWebP = TintypeError(.undecodable, stage: .decode, "the WebP is damaged or cut short")

    /// `nil` when all is well.
    init?(_ status: tintype_webp_status) {
        switch status {
        case .ok: return nil
        case .cancelled: self = .cancelled
        case .memory: self.init(.outOfMemory, stage: .decode, "no memory to decode a WebP")
        case .needsMore: self = .truncatedWebP
        case .corrupt: self = .damagedWebP
        }
    }
}
