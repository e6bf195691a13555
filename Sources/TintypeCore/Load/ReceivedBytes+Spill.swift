package import Foundation

// Bodies larger than nearly all images are moved to a file without a name, piece by piece, so that a transfer takes
// little memory however large it is.

extension ReceivedBytes {
    /// The number of bytes that fit into memory without a file: 8 MB, or 2 MB if they will be written to one anyway.
    private var threshold: Int { cache == nil ? 8 << 20 : 2 << 20 }

    /// The number of bytes that are moved at once when there is a file: 1 MB.
    private static let piece = 1 << 20

    /// Whether so many bytes are in memory that they should be moved.
    package var isWorthSpilling: Bool {
        let (hasFile, memoryCount) = spillState
        return memoryCount >= (hasFile ? Self.piece : threshold)
    }

    /// Moves the bytes in memory to the file. Only the loader may call this, and not while it appends.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``, ``TintypeError/Code/cancelled``.
    package func spill(for job: JobContext) async throws(TintypeError) {
        let (spilled, data) = contents
        let moved = try await WorkQueue.disk.run(for: job) { [cache] () throws(TintypeError) in
            if let spilled { return try spilled.adding(data) }
            return try Spilled(for: cache).adding(data)
        }
        replaceContents(moved)
    }

    /// The beginning of a body that broke off. Neither copies nor blocks: bytes in memory are shared, and a file is
    /// mapped.
    ///
    /// Bytes behind those in the file are left out. They are about 1 MB at most, so that requesting them again is fast.
    package var resumable: Data {
        let (spilled, data) = contents
        guard let spilled else { return data }
        return (try? spilled.file.map(spilled.count)) ?? Data()
    }

    /// Removes and returns all bytes. Spilled bytes are not read back: the data is a mapping of the file, which is also
    /// returned.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``, ``TintypeError/Code/outOfMemory``, ``TintypeError/Code/cancelled``.
    package func takeAll(for job: JobContext) async throws(TintypeError) -> (data: Data, file: SpillFile?) {
        guard contents.spilled != nil else { return (take(), nil) }
        if spillState.memoryCount > 0 { try await spill(for: job) }
        guard let spilled = contents.spilled else { return (take(), nil) }
        let data = try spilled.file.map(spilled.count)
        restart()
        return (data, spilled.file)
    }
}
