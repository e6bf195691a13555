/// How much a disk cache may keep, and for how long.
public struct DiskLimits: Hashable, Sendable {
    /// Bytes of files; 1 GB by default.
    public var byteCount: Int
    /// Entries; no limit by default.
    public var count: Int
    /// Since ``expiry``; 7 days by default, `nil` is for ever. What is older is a miss, and goes when that is noticed.
    public var age: Duration?
    /// What counts the age of an entry, and which are the oldest that go when there is too much.
    public var expiry: Expiry

    public init(
        byteCount: Int = 1_000_000_000, count: Int = .max, age: Duration? = .seconds(7 * 24 * 3600),
        expiry: Expiry = .access
    ) {
        self.byteCount = byteCount
        self.count = count
        self.age = age
        self.expiry = expiry
    }

    /// From when the age of an entry counts.
    public enum Expiry: String, Hashable, Sendable, CaseIterable {
        /// Its last use; but of several within a minute, the first.
        case access = "accessed"
        /// When its bytes were stored.
        case modification = "modified"
        /// When its bytes were got from where they come from.
        case creation = "created"
        /// When anything of it was stored, such as its extended data.
        case change = "changed"
    }
}

extension DiskLimits {
    /// Whether the time of an entry is over: its own, or the age that all may reach.
    ///
    /// - Parameter accessed: the last use that was recorded; to have been stored is one.
    func isOver(_ times: EntryTimes, accessed: DiskTime, at now: DiskTime) -> Bool {
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
