public import Foundation
import TintypeCore

/// A folder of interrupted transfers, from which a later process can resume them.
///
/// Each transfer is one file. A body of more than 1 MB is written while it arrives, so that a killed process leaves the
/// bytes it had. A smaller one is written when its transfer fails. Files older than 7 days are removed, and the oldest
/// files when the folder exceeds its budget. The files may be deleted at any time.
///
/// Files are read and written on the queue for disks; all methods may be called from any thread.
public final class PartialStore: Sendable {
    /// The folder that holds the files.
    public let folder: URL
    /// The maximum size of all files, in bytes.
    public let maximumByteCount: Int
    /// The minimum size in bytes of a failed transfer for which a file is written.
    public let minimumByteCount: Int
    private let maximumAge: TimeInterval = 7 * 86_400
    /// The names of the files; `nil` until they are listed. Most requests have no file, and do not wait for the disk.
    /// Files that another process adds later are found after the next start.
    private let names = Locked<Set<String>?>(nil)

    /// Creates a store. The folder is created when the first file is written.
    ///
    /// - Parameters:
    ///   - folder: May be shared by several processes.
    ///   - maximumByteCount: 256 MB by default.
    ///   - minimumByteCount: 64 KB by default.
    public init(folder: URL, maximumByteCount: Int = 256 << 20, minimumByteCount: Int = 64 << 10) {
        self.folder = folder
        self.maximumByteCount = maximumByteCount
        self.minimumByteCount = minimumByteCount
    }

    // MARK: One request

    /// Returns the partial body of an interrupted transfer. The file stays until the new transfer ends, because the
    /// process may be killed again.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/cancelled`` when the job is cancelled.
    func partial(for request: DownloadRequest, job: JobContext) async throws(TintypeError) -> PartialBody? {
        guard mayHaveFiles else { return nil }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in self.read(request) }
    }

    /// Removes the file of a request.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/cancelled`` when the job is cancelled.
    func remove(_ request: DownloadRequest, job: JobContext) async throws(TintypeError) {
        guard mayHaveFiles else { return }
        try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in self.remove(PartialFile.name(request)) }
    }

    /// Removes the file of a request in the background.
    func removeLater(_ request: DownloadRequest) {
        guard mayHaveFiles else { return }
        WorkQueue.disk.enqueue(at: .low) { self.remove(PartialFile.name(request)) }
    }

    /// Writes the file of a request in the background, unless its size is out of bounds.
    func saveLater(_ partial: PartialBody, for request: DownloadRequest) {
        guard partial.data.count >= minimumByteCount, partial.data.count <= maximumByteCount else { return }
        // If the file cannot be written, the next transfer requests the whole body.
        WorkQueue.disk.enqueue(at: .low) { try? self.write(partial, request) }
    }

    /// Appends to the file of a body that is arriving, and creates it for the first bytes. Blocks.
    ///
    /// - Parameters:
    ///   - journal: The file so far; `nil` for the first bytes.
    ///   - empty: The partial body without its bytes.
    /// - Returns: `nil` when the file cannot be written, or the body exceeds the budget.
    func append(
        _ data: Data, to journal: PartialJournal?, for request: DownloadRequest, empty: PartialBody
    ) -> PartialJournal? {
        let name = PartialFile.name(request)
        guard (journal?.count ?? 0) + data.count <= maximumByteCount else {
            remove(name)
            return nil
        }
        return try? (journal ?? makeJournal(name, empty)).appending(data)
    }

    private func makeJournal(_ name: String, _ empty: PartialBody) throws -> PartialJournal {
        try prepare(for: name)
        trim(at: Date())
        return try PartialJournal(empty, at: folder.appending(path: name).path(percentEncoded: false))
    }

    // MARK: The folder

    private var mayHaveFiles: Bool { names.withLock { $0.map { !$0.isEmpty } ?? true } }

    private func read(_ request: DownloadRequest) -> PartialBody? {
        listNames()
        let name = PartialFile.name(request)
        guard names.withLock({ $0?.contains(name) }) == true else { return nil }
        let partial = (try? Data(contentsOf: folder.appending(path: name))).flatMap { PartialFile.decode($0) }
        if partial == nil { remove(name) }
        return partial
    }

    private func remove(_ name: String) {
        listNames()
        guard names.withLock({ $0?.remove(name) }) != nil else { return }
        try? FileManager.default.removeItem(at: folder.appending(path: name))
    }

    private func listNames() {
        guard names.withLock({ $0 == nil }) else { return }
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        names.withLock { if $0 == nil { $0 = Set(found) } }
    }

    private func write(_ partial: PartialBody, _ request: DownloadRequest) throws {
        let name = PartialFile.name(request)
        try prepare(for: name)
        try PartialFile.encode(partial).write(to: folder.appending(path: name), options: .atomic)
        trim(at: Date())
    }

    /// Creates the folder and registers the name of a file that is about to be written.
    private func prepare(for name: String) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        listNames()
        // Before the file exists: a name without a file costs one failed read, a file without a name is lost.
        _ = names.withLock { $0?.insert(name) }
    }

    /// Removes files that are too old, and the oldest until the budget holds.
    private func trim(at now: Date) {
        let keys: Set<URLResourceKey> = [.fileSizeKey, .contentModificationDateKey]
        let files =
            (try? FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: Array(keys))) ?? []
        let facts = files.map { file in
            let values = try? file.resourceValues(forKeys: keys)
            return (file, size: values?.fileSize ?? 0, date: values?.contentModificationDate ?? .distantPast)
        }
        var total = 0
        for (file, size, date) in facts.sorted(by: { $0.date > $1.date }) {
            total += size
            if total > maximumByteCount || now.timeIntervalSince(date) > maximumAge {
                try? FileManager.default.removeItem(at: file)
            }
        }
    }
}
