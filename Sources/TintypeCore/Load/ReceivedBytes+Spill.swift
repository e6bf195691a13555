package import Foundation

// Bodies larger than nearly all images are moved to a file without a name, piece by piece, so that a transfer takes
// little memory however large it is.

extension ReceivedBytes {
    /// The number of bytes that fit into memory without a file: 8 MB.
    private static let threshold = 8 << 20
    /// The number of bytes from which a body moves to the file of a cache, which becomes the entry: 2 MB.
    private static let cacheThreshold = 2 << 20
    /// The number of bytes that are moved at once when there is a file: 1 MB.
    private static let piece = 1 << 20

    /// Whether so many bytes are in memory that they should be moved.
    package var isWorthSpilling: Bool {
        let state = spillState
        let threshold = state.usesCache ? Self.cacheThreshold : Self.threshold
        return state.memoryCount >= (state.hasFile ? Self.piece : threshold)
    }

    /// Moves the bytes in memory to a file. Only the loader may call this, and not while it appends.
    ///
    /// A body that fits into memory stays there, or returns there, if the cache has no file for it.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``, ``TintypeError/Code/cancelled``.
    package func spill(for job: JobContext) async throws(TintypeError) {
        let (spilled, data) = contents
        let cache = spillState.usesCache ? cache : nil
        let expected = max(progress.expected ?? 0, data.count)
        let moved = try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            try Self.moved(data, after: spilled, expected: expected, cache)
        }
        switch moved {
        case .file(let spilled): replaceContents(spilled)
        case .memory(let data): keepInMemory(data)
        }
    }

    /// Where the bytes of a body are.
    private enum Place: Sendable {
        case file(Spilled)
        case memory(Data)
    }

    /// Writes bytes after those in a file, or to a new file.
    ///
    /// No cache is required. If the disk of the cache is full, the body moves to the folder for other spill files, or
    /// to memory if it is small enough.
    private static func moved(
        _ data: Data, after spilled: Spilled?, expected: Int, _ cache: (any SpillFileMaker)?
    ) throws(TintypeError) -> Place {
        let old = spilled ?? cache?.makeSpillFile(for: expected).map { Spilled(file: $0, count: 0) }
        guard let old else {
            if cache != nil, data.count < threshold { return .memory(data) }
            return .file(try Spilled(file: SpillFile(in: SpillFile.folder), count: 0).adding(data))
        }
        do throws(TintypeError) {
            return .file(try old.adding(data))
        } catch {
            guard old.file.follower != nil else { throw error }
            if old.count + data.count < threshold, let start = old.bytes(0..<old.count) { return .memory(start + data) }
            return .file(try old.movedFromCache().adding(data))
        }
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
