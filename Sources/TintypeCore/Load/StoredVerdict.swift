/// What may be done with bytes that a cache kept: RFC 9111 §4 in three words.
public enum StoredVerdict: Hashable, Sendable {
    /// They may be used as they are.
    case fresh
    /// They may be used, while newer ones are got behind the caller (RFC 5861 §3).
    case usableWhileRevalidating
    /// Their origin has to be asked first.
    ///
    /// - Parameter usableOnError: whether they may be used when it cannot be (RFC 5861 §4).
    case stale(usableOnError: Bool)
}
