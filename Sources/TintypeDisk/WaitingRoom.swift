/// How much may wait to be written, and how much does.
struct WaitingRoom: Sendable {
    /// What one entry takes of it, or all of them together.
    struct Load: Equatable, Sendable {
        /// Bytes of memory.
        var memory = 0
        /// Bytes in files that have no name yet: of a disk on which no limit counts them.
        var onDisk = 0
        /// Such files: each holds a descriptor.
        var files = 0
    }

    let capacity: Load
    private(set) var load = Load()

    /// - Parameter memory: bytes of it that may be taken.
    init(memory: Int, onDisk: Int = 1 << 30, files: Int = 64) {
        capacity = Load(memory: memory, onDisk: onDisk, files: files)
    }

    /// Returns whether there was room. A file that is larger than all that may wait on disk has room when it is alone: it
    /// lies there anyway.
    mutating func enter(_ new: Load) -> Bool {
        guard load.memory + new.memory <= capacity.memory, new.files == 0 || hasRoomOnDisk(new) else { return false }
        load.memory += new.memory
        load.onDisk += new.onDisk
        load.files += new.files
        return true
    }

    mutating func leave(_ old: Load) {
        load.memory -= old.memory
        load.onDisk -= old.onDisk
        load.files -= old.files
    }

    private func hasRoomOnDisk(_ new: Load) -> Bool {
        load.files == 0 || load.files + new.files <= capacity.files && load.onDisk + new.onDisk <= capacity.onDisk
    }
}
