public import Foundation
public import TintypeCore

/// A store of values on other machines, such as Redis or an S3 bucket.
///
/// Keys are ASCII without spaces or control characters, at most 256 bytes, such as `tt1/r/ab/cd/<hex>`. Values are
/// opaque to a store. A store is never required: to its users, every failure is a miss. It speaks its protocol and
/// keeps its own time limits; ``SharedCache`` adds the checksum, the circuit breaker and the queue of writes.
public protocol SharedStore: Sendable {
    /// A short name for logs and metrics, such as `redis`.
    var name: String { get }

    /// The size of the largest value that the store accepts, in bytes. Larger values are not offered to it.
    var maximumValueSize: Int { get }

    /// Returns the value of a key, or `nil` if there is none. Ends within the store's own time limits.
    ///
    /// - Throws: `TintypeError.Code.timedOut`, `TintypeError.Code.unreachable`, `TintypeError.Code.transport` or
    ///   another error of the store; `TintypeError.Code.cancelled` if the task is cancelled.
    func value(for key: String) async throws(TintypeError) -> Data?

    /// Stores a value. The store may forget it at any time.
    ///
    /// - Parameters:
    ///   - value: The value.
    ///   - key: The key, which means the same on all machines.
    ///   - timeToLive: When the store may forget the value at the latest; `nil` leaves this to the store.
    /// - Throws: An error if the store does not answer in time, or answers with one.
    func store(_ value: Data, for key: String, timeToLive: Duration?) async throws(TintypeError)

    /// Removes the value of a key. Not an error if there is none.
    ///
    /// - Throws: An error if the store does not answer in time, or answers with one.
    func remove(_ key: String) async throws(TintypeError)

    /// Returns whether there is a value for a key.
    ///
    /// - Throws: An error if the store does not answer in time, or answers with one.
    func contains(_ key: String) async throws(TintypeError) -> Bool
}

/// A store of leases: a lease is a key that at most one holder has at a time. Losing a lease is harmless: the work of
/// its holder is done twice.
public protocol LeaseStore: Sendable {
    /// Takes the lease of a key.
    ///
    /// - Parameters:
    ///   - key: The key, which means the same on all machines.
    ///   - time: How long the lease lasts unless it is released. It cannot be renewed.
    /// - Returns: A token that proves who holds the lease; `nil` if another holder has it.
    /// - Throws: An error if the store does not answer in time, or answers with one.
    func acquireLease(_ key: String, for time: Duration) async throws(TintypeError) -> LeaseToken?

    /// Gives a lease back if the token still holds it. Otherwise does nothing.
    ///
    /// - Throws: An error if the store does not answer in time, or answers with one.
    func releaseLease(_ key: String, _ token: LeaseToken) async throws(TintypeError)
}

/// The proof that a holder has a lease: 128 random bits.
public struct LeaseToken: Hashable, Sendable, CustomStringConvertible {
    /// The first 64 bits.
    public let high: UInt64
    /// The last 64 bits.
    public let low: UInt64

    /// Creates a token from its bits.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// Returns a new token from the system's generator of random numbers.
    public static func random() -> LeaseToken {
        var generator = SystemRandomNumberGenerator()
        return LeaseToken(high: generator.next(), low: generator.next())
    }

    /// The token as 32 lower-case hexadecimal digits.
    public var description: String { Self.digits(high) + Self.digits(low) }

    private static func digits(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
