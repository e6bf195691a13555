import TintypeCore

extension TintypeError {
    static let damagedSequence = TintypeError(
        .undecodable, stage: .decode, "the HEIC sequence is damaged or cut short")
}
