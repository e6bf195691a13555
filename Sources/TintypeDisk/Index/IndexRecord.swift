/// What the bookkeeping knows of one entry: what limits need, and nothing else.
struct IndexRecord: Equatable, Sendable {
    let name: EntryName
    /// Bytes of the file.
    let size: Int
    let times: EntryTimes
    var accessed: DiskTime
}

/// How many entries there are, and how many bytes their files have.
public struct DiskUsage: Equatable, Sendable {
    public var count: Int
    public var byteCount: Int

    public init(count: Int = 0, byteCount: Int = 0) {
        self.count = count
        self.byteCount = byteCount
    }
}
