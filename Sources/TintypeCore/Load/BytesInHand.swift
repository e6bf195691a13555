/// Original bytes that have come and are not on disk yet, since only what has turned out to be a picture is kept there:
/// who wants another size of them meanwhile need not load them again.
struct BytesInHand: Sendable {
    private var table: [JobKey: (bytes: LoadedBytes, holders: Int)] = [:]

    var holderCount: Int { table.values.reduce(0) { $0 + $1.holders } }

    subscript(_ key: JobKey) -> LoadedBytes? { table[key]?.bytes }

    mutating func hold(_ bytes: LoadedBytes, as key: JobKey) {
        table[key] = (bytes, (table[key]?.holders ?? 0) + 1)
    }

    /// Has to be called once for each ``hold(_:as:)``, when the bytes are stored, or will not be.
    mutating func release(_ key: JobKey) {
        guard let held = table[key] else { return }
        table[key] = held.holders > 1 ? (held.bytes, held.holders - 1) : nil
    }
}
