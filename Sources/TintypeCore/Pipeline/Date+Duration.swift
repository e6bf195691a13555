package import Foundation

extension Date {
    /// This moment and a while.
    package func later(by duration: Duration) -> Date {
        let (seconds, attoseconds) = duration.components
        return addingTimeInterval(Double(seconds) + Double(attoseconds) * 1e-18)
    }
}
