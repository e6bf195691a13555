import Foundation

/// The difference between the clock of a store and that of this machine. A pure struct: the time is an argument.
///
/// A store refuses a request that was signed more than 15 minutes ago or ahead. Its response has the date of the store,
/// with which the next request is signed.
struct ClockSkew: Sendable {
    /// The least difference that is worth another attempt: less cannot be the reason of the refusal.
    static let least = 60.0

    /// The seconds to add to the date of this machine.
    private(set) var offset = 0.0

    /// Returns the date to sign with.
    func date(at now: Date) -> Date { now.addingTimeInterval(offset) }

    /// Corrects the difference after a refusal.
    ///
    /// - Parameters:
    ///   - failure: The response.
    ///   - date: The date of the response; `nil` if it has none.
    ///   - signed: The date with which the request was signed.
    ///   - now: The date of this machine.
    /// - Returns: Whether the request is to be signed and sent again.
    mutating func correct(after failure: S3Failure, date: Date?, signed: Date, at now: Date) -> Bool {
        // A response to a HEAD request has no code.
        guard failure.code == "RequestTimeTooSkewed" || failure.code == nil && failure.status == 403 else {
            return false
        }
        guard let date, abs(date.timeIntervalSince(signed)) >= Self.least else { return false }
        offset = date.timeIntervalSince(now)
        return true
    }
}
