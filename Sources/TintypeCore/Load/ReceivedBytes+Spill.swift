package import Foundation

/// Bodies larger than nearly all pictures: what has arrived is moved to a file without a name, a piece at a time, so that a
/// transfer takes little memory however large it is.
extension ReceivedBytes {
    /// What fits into memory without a file: 8 MB.
    private static let threshold = 8 << 20

    /// Bytes that are moved at once when there is a file: 1 MB.
    private static let piece = 1 << 20

    /// Whether so much waits in memory that it should be moved.
    package var isWorthSpilling: Bool {
        let (spilled, waiting) = spilledAndWaiting
        return waiting >= (spilled ? Self.piece : Self.threshold)
    }

    /// Moves what waits in memory to the file. To be called by the loader alone, between what it appends.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``, ``TintypeError/Code/cancelled``.
    package func spill(for job: JobContext) async throws(TintypeError) {
        let (spilled, data) = contents
        let moved = try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            if let spilled { return try spilled.adding(data) }
            return try Spilled().adding(data)
        }
        replaceContents(moved)
    }

    /// Takes everything out; nothing is left behind. What was moved to a file is not brought back: the bytes are a mapping
    /// of it, and the file comes with them.
    package func takeAll(for job: JobContext) async throws(TintypeError) -> (data: Data, file: SpillFile?) {
        guard contents.spilled != nil else { return (take(), nil) }
        if spilledAndWaiting.waiting > 0 { try await spill(for: job) }
        guard let spilled = contents.spilled else { return (take(), nil) }
        let data = try spilled.file.map(spilled.count)
        restart()
        return (data, spilled.file)
    }
}

/// The beginning of a body in a file.
struct Spilled: Sendable {
    let file: SpillFile
    let count: Int

    init() throws(TintypeError) {
        file = try SpillFile(in: SpillFile.folder)
        count = 0
    }

    private init(file: SpillFile, count: Int) {
        self.file = file
        self.count = count
    }

    func adding(_ data: Data) throws(TintypeError) -> Spilled {
        try file.write(data, at: count)
        return Spilled(file: file, count: count + data.count)
    }

    /// Empty when it cannot be mapped: who asks for a preview gets none.
    var contents: Data { (try? file.map(count)) ?? Data() }
}
