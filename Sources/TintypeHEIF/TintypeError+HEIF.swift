import TintypeCore

extension TintypeError {
    static let damagedSequence = TintypeError(
        .undecodable, stage: .decode, "the HEIC sequence is damaged or cut short")

    static let noItems = TintypeError(.undecodable, stage: .decode, "a HEIC that tells of no pictures")

    /// Many times more boxes, units or pieces of pictures than any writer makes, or such as are not the same to all who read
    /// them.
    static let hiddenPictures = TintypeError(
        .undecodable, stage: .decode, "a HEIC of more parts than can be looked at, or of doubtful ones")
}
