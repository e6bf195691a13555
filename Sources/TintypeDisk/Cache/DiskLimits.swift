/// The limits of a disk cache on size, count and age.
public struct DiskLimits: Hashable, Sendable {
    /// The maximum size of all entries, in bytes: see ``DiskUsage/byteCount``. 1 GB by default. The space of removed
    /// entries of up to 16 KB is regained when a third of a shared file is free, so their files can be half as large
    /// again.
    public var byteCount: Int
    /// The maximum number of entries. Unlimited by default.
    public var count: Int
    /// The maximum age, counted from ``expiry``. 7 days by default; `nil` is unlimited. An older entry is a miss and is
    /// removed when it is next looked at or when the limits are next enforced.
    public var age: Duration?
    /// The time from which the age counts. The entries with the earliest such time are evicted first.
    public var expiry: Expiry

    /// Creates limits with the given values.
    ///
    /// - Parameters:
    ///   - byteCount: The maximum size of all entries, in bytes.
    ///   - count: The maximum number of entries.
    ///   - age: The maximum age; `nil` is unlimited.
    ///   - expiry: The time from which the age counts.
    public init(
        byteCount: Int = 1_000_000_000, count: Int = .max, age: Duration? = .seconds(7 * 24 * 3600),
        expiry: Expiry = .access
    ) {
        self.byteCount = byteCount
        self.count = count
        self.age = age
        self.expiry = expiry
    }

    /// The time from which the age of an entry counts.
    public enum Expiry: String, Hashable, Sendable, CaseIterable {
        /// Its last use. Only the first of several uses within a minute is recorded.
        case access = "accessed"
        /// When its bytes were stored.
        case modification = "modified"
        /// When its bytes were received from their source.
        case creation = "created"
        /// When any part of it was last stored, including its extended data.
        case change = "changed"
    }
}

extension DiskLimits {
    /// Whether an entry has passed its own expiry date or the maximum age.
    ///
    /// - Parameter accessed: The last recorded use. Storing an entry counts as a use.
    func isExpired(_ times: EntryTimes, accessed: DiskTime, at now: DiskTime) -> Bool {
        if let expires = times.expires, expires <= now { return true }
        guard let age else { return false }
        let start =
            switch expiry {
            case .access: max(accessed, times.changed)
            case .modification: times.modified
            case .creation: times.created
            case .change: times.changed
            }
        return start < now.earlier(by: age)
    }
}
