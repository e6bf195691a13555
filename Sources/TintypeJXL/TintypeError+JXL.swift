import TintypeCore

extension TintypeError {
    static let truncatedJXL = TintypeError(.undecodable, stage: .decode, "the JPEG XL is cut short")
    static let damagedJXL = TintypeError(.undecodable, stage: .decode, "the JPEG XL is damaged or cut short")
}
