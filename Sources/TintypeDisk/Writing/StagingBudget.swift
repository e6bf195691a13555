import TintypeCore

/// The bound on the entries that wait to be written, and the part of it in use.
struct StagingBudget: Sendable {
    /// The cost of one entry or of all pending entries.
    struct Cost: Sendable {
        /// Bytes of memory.
        var memory = 0
        /// Bytes in spill files, which no limit of the cache counts.
        var onDisk = 0
        /// The number of spill files, each of which holds a file descriptor.
        var files = 0
    }

    private let capacity: Cost
    private var used = Cost()

    /// Creates an empty budget.
    ///
    /// - Parameters:
    ///   - memory: The maximum, in bytes of memory.
    ///   - onDisk: The maximum, in bytes of spill files.
    ///   - files: The maximum number of spill files.
    init(memory: Int, onDisk: Int = 1 << 30, files: Int = 64) {
        capacity = Cost(memory: memory, onDisk: onDisk, files: files)
    }

    /// Charges an entry to the budget and returns whether it fits.
    ///
    /// A single spill file of any size fits if there is no other, because it is on the disk already.
    mutating func admit(_ new: Cost) -> Bool {
        guard used.memory + new.memory <= capacity.memory, new.files == 0 || hasRoomOnDisk(new) else { return false }
        used.memory += new.memory
        used.onDisk += new.onDisk
        used.files += new.files
        return true
    }

    /// Returns the cost of an entry to the budget.
    mutating func release(_ old: Cost) {
        used.memory -= old.memory
        used.onDisk -= old.onDisk
        used.files -= old.files
    }

    private func hasRoomOnDisk(_ new: Cost) -> Bool {
        used.files == 0 || used.files + new.files <= capacity.files && used.onDisk + new.onDisk <= capacity.onDisk
    }
}

extension CacheEntry {
    /// The cost of this entry while it waits to be written.
    func stagingCost(for key: CacheKey) -> StagingBudget.Cost {
        StagingBudget.Cost(
            memory: (file == nil ? data.count : 0) + metadata.count + extended.count + key.source.utf8.count
                + key.rendition.utf8.count + Self.stagingOverhead,
            onDisk: file == nil ? 0 : data.count, files: file == nil ? 0 : 1)
    }

    /// The bytes that even the smallest entry takes in tables.
    private static var stagingOverhead: Int { 512 }
}
