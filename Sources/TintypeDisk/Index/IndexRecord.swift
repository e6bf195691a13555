import Foundation

/// What the bookkeeping knows of one entry: what limits need, and nothing else.
struct IndexRecord: Equatable, Sendable {
    let name: EntryName
    /// Bytes of the file.
    let size: Int
    let created: Date
    let accessed: Date
}

/// Changes that wait to be written to the index together.
struct IndexBatch: Sendable {
    var added: [IndexRecord] = []
    var accessed: [EntryName: Date] = [:]
    var removed: [EntryName] = []

    var isEmpty: Bool { added.isEmpty && accessed.isEmpty && removed.isEmpty }
}

/// How many entries there are, and how many bytes their files have.
public struct DiskUsage: Equatable, Sendable {
    public var count: Int
    public var byteCount: Int
}
