/// One of the 4,096 folders of entries: two levels, of 256 and 16, by the first three digits of the names in it.
///
/// So few that a new cache has soon made all, and so many that none grows large: 250 files at a million entries.
struct EntryFolder: Hashable, Sendable {
    static let count = 4096
    /// Folders that share a first level.
    static let siblings = 16

    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    /// Relative to the directory of entries: `ab/c`.
    var path: String { "\(parent)/\(String(number & 15, radix: 16))" }

    /// The first level: `ab`.
    var parent: String {
        let text = String(number >> 4, radix: 16)
        return text.count == 2 ? text : "0\(text)"
    }
}
