public import Foundation
import TintypeCore

/// Interrupted transfers on disk, within a budget, so that a later process can go on where an earlier one was stopped.
///
/// One file each. A body of more than 1 MB is written as it arrives, so that even a process that is killed leaves what it
/// had; others when they are given up. The oldest go when there are too many, and what is older than a week. All of it may
/// be deleted at any time.
public final class PartialStore: Sendable {
    public let folder: URL
    /// Bytes in all.
    public let maximumByteCount: Int
    /// Less than this is not worth a file.
    public let minimumByteCount: Int
    private let maximumAge: TimeInterval = 7 * 86_400
    /// The names of the files, once they are known: nearly every request has none, and waits for no disk. What another
    /// process adds later is found after the next start.
    private let names = Locked<Set<String>?>(nil)

    /// - Parameters:
    ///   - folder: made when it is needed. One that several processes share is fine.
    ///   - maximumByteCount: 256 MB by default.
    ///   - minimumByteCount: 64 KB by default.
    public init(folder: URL, maximumByteCount: Int = 256 << 20, minimumByteCount: Int = 64 << 10) {
        self.folder = folder
        self.maximumByteCount = maximumByteCount
        self.minimumByteCount = minimumByteCount
    }

    /// What is kept for a request. It stays until the transfer has ended, since that may be killed as well.
    func find(_ request: DownloadRequest, for job: JobContext) async throws(TintypeError) -> Partial? {
        guard mayHaveSome else { return nil }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in self.read(request) }
    }

    /// Forgets what is kept for a request.
    func remove(_ request: DownloadRequest, for job: JobContext) async throws(TintypeError) {
        guard mayHaveSome else { return }
        try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in self.remove(PartialFile.name(request)) }
    }

    /// The same, behind the transfer.
    func forget(_ request: DownloadRequest) {
        guard mayHaveSome else { return }
        WorkQueue.disk.enqueue(at: .low) { self.remove(PartialFile.name(request)) }
    }

    /// Keeps what a transfer left, behind it.
    func keep(_ partial: Partial, of request: DownloadRequest) {
        guard isWorthKeeping(partial.data.count) else { return }
        // What cannot be kept is loaded anew.
        WorkQueue.disk.enqueue(at: .low) { try? self.write(partial, request) }
    }

    /// Adds to the file of a body that is arriving, which is made with its first bytes. Blocks.
    ///
    /// - Returns: `nil` when it cannot be written, or should not.
    func adding(
        _ data: Data, to journal: PartialJournal?, of request: DownloadRequest, _ empty: Partial
    ) -> PartialJournal? {
        let name = PartialFile.name(request)
        guard (journal?.count ?? 0) + data.count <= maximumByteCount else {
            remove(name)
            return nil
        }
        return try? (journal ?? begin(name, empty)).adding(data)
    }

    private func begin(_ name: String, _ empty: Partial) throws -> PartialJournal {
        try makeRoom(for: name)
        trim(at: Date())
        return try PartialJournal(empty, at: folder.appending(path: name).path(percentEncoded: false))
    }

    private var mayHaveSome: Bool { names.withLock { $0.map { !$0.isEmpty } ?? true } }

    private func isWorthKeeping(_ count: Int) -> Bool { count >= minimumByteCount && count <= maximumByteCount }

    private func read(_ request: DownloadRequest) -> Partial? {
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

    private func write(_ partial: Partial, _ request: DownloadRequest) throws {
        let name = PartialFile.name(request)
        try makeRoom(for: name)
        try PartialFile.encode(partial).write(to: folder.appending(path: name), options: .atomic)
        trim(at: Date())
    }

    /// Makes the folder for one more name.
    private func makeRoom(for name: String) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        listNames()
        // Known before it is there: one that is looked for in vain is loaded anew, one that is not known is lost.
        _ = names.withLock { $0?.insert(name) }
    }

    /// Removes the oldest until the budget holds.
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
