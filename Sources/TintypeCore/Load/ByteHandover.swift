/// Original bytes that were loaded and may not be on disk yet, because only bytes that decode are stored.
///
/// A load enters before it reads the disk and leaves when it has ended. Once one of the entered loads has loaded the
/// bytes, the other entered loads of the same bytes use them and need no transfer.
struct ByteHandover: Sendable {
    private var table: [JobKey: (bytes: LoadedBytes?, loads: Int)] = [:]

    /// The bytes that an entered load has loaded.
    subscript(_ key: JobKey) -> LoadedBytes? { table[key]?.bytes }

    mutating func enter(_ key: JobKey) {
        table[key, default: (nil, 0)].loads += 1
    }

    /// Hands bytes over to the loads that are entered. Does nothing if there is none.
    mutating func put(_ bytes: LoadedBytes, as key: JobKey) {
        // Not `table[key]?.bytes = bytes`, which allocates three times.
        if let loads = table[key]?.loads { table[key] = (bytes, loads) }
    }

    /// Must be called once for each ``enter(_:)``.
    mutating func leave(_ key: JobKey) {
        guard let entry = table[key] else { return }
        table[key] = entry.loads > 1 ? (entry.bytes, entry.loads - 1) : nil
    }
}
