/// Finds the highest quality at which an encoded picture has no more than a number of bytes, in hundredths.
///
/// The quality that was asked for is tried first, then the lowest, then halves of what lies between: at most nine
/// encodings, and two for a format that takes no notice of quality.
struct QualitySearch {
    /// The quality to try next, in hundredths; `nil` when the search is over.
    private(set) var next: Int?
    /// The highest quality that was small enough.
    private(set) var best: Int?
    private let limit: Int
    /// The lowest quality that was too large.
    private var tooHigh: Int?
    private var firstByteCount: Int?

    init(from quality: Int, limit: Int) {
        next = quality
        self.limit = limit
    }

    /// Takes how many bytes the picture has at the quality that was to be tried.
    ///
    /// - Returns: whether it is the best so far.
    mutating func record(byteCount: Int) -> Bool {
        guard let tried = next else { return false }
        let isSmallEnough = byteCount <= limit
        if isSmallEnough { best = tried } else { tooHigh = tried }
        next = following(tried, isSmallEnough, changedNothing: firstByteCount == byteCount)
        if firstByteCount == nil { firstByteCount = byteCount }
        return isSmallEnough
    }

    private func following(_ tried: Int, _ isSmallEnough: Bool, changedNothing: Bool) -> Int? {
        guard let tooHigh else { return nil }
        guard let best else { return tried == 0 || changedNothing ? nil : 0 }
        return tooHigh - best > 1 ? (best + tooHigh) / 2 : nil
    }
}
