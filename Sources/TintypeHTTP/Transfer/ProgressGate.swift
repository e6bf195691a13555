import TintypeCore

/// Lets progress be told only when it has come a certain part further.
final class ProgressGate: Sendable {
    private let minimum: Double
    private let told = Locked<LoadProgress?>(nil)

    /// `nil` where everything is told.
    init?(minimum: Double) {
        guard minimum > 0 else { return nil }
        self.minimum = minimum
    }

    /// The first and the last are always told, and everything where the end is not known.
    func passes(_ progress: LoadProgress) -> Bool {
        told.withLock { told in
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
