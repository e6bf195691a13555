import TintypeCore

/// Lets progress be told only when it has come a certain part further.
final class ProgressGate: Sendable {
    private let minimum: Double
    private let told = Locked<LoadProgress?>(nil)

    init(minimum: Double) {
        self.minimum = minimum
    }

    /// The first and the last are always told, and everything where the end is not known.
    func passes(_ progress: LoadProgress) -> Bool {
        guard minimum > 0 else { return true }
        return told.withLock { told in
            guard let now = progress.fraction, let before = told?.fraction, now < 1, now >= before,
                now - before < minimum
            else {
                told = progress
                return true
            }
            return false
        }
    }
}
