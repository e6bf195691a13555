import TintypeCore

extension TintypeError {
    static let damagedSequence = TintypeError(
        .undecodable, stage: .decode, "the HEIC sequence is damaged or cut short")

    /// Many times more boxes, units or pieces of pictures than any writer makes.
    static let hiddenPictures = TintypeError(
        .undecodable, stage: .decode, "a HEIC of more parts than can be looked at")
}
