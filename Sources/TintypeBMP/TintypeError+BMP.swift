import TintypeCore

extension TintypeError {
    static let truncatedBMP = TintypeError(.undecodable, stage: .decode, "the BMP is cut short")

    static func damagedBMP(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "the BMP is damaged: \(reason)")
    }

    static func unsupportedBMP(_ reason: String) -> TintypeError {
        TintypeError(.undecodable, stage: .decode, "a BMP of an unsupported kind: \(reason)")
    }
}
