import TintypeCore

extension TintypeError {
    static let truncatedICO = TintypeError(.undecodable, stage: .decode, "the ICO is cut short")

    static func damagedICO(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the ICO is damaged: \(reason)")
    }
}
