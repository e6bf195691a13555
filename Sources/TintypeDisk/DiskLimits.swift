/// How much a disk cache may keep, and for how long.
public struct DiskLimits: Hashable, Sendable {
    /// Bytes of files; 1 GB by default.
    public var byteCount: Int
    /// Since the last use; 7 days by default, `nil` is for ever.
    public var age: Duration?

    public init(byteCount: Int = 1_000_000_000, age: Duration? = .seconds(7 * 24 * 3600)) {
        self.byteCount = byteCount
        self.age = age
    }
}
