public import Foundation
import TintypeCore

/// Interrupted transfers on disk, within a budget, so that a later process can go on where an earlier one was stopped.
///
/// One file each, written under another name and renamed. The oldest go when there are too many, and what is older than
/// a week. All of it may be deleted at any time.
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

    /// Takes out what is kept for a request: whoever asks will go on with it, or find that it is no use.
    func take(_ request: DownloadRequest, for job: JobContext) async throws(TintypeError) -> Partial? {
        let isEmpty = names.withLock { $0?.isEmpty ?? false }
        guard !isEmpty else { return nil }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in self.take(request) }
    }

    /// Keeps what a transfer left, behind it.
    func keep(_ partial: Partial, of request: DownloadRequest, _ done: @escaping @Sendable () -> Void = {}) {
        guard partial.data.count >= minimumByteCount, partial.data.count <= maximumByteCount else { return done() }
        WorkQueue.disk.enqueue(at: .low) {
            // What cannot be kept is loaded anew.
            try? self.write(partial, request)
            done()
        }
    }

    private func take(_ request: DownloadRequest) -> Partial? {
        listNames()
        let name = PartialFile.name(request)
        guard names.withLock({ $0?.remove(name) }) != nil else { return nil }
        let file = folder.appending(path: name)
        guard let data = try? Data(contentsOf: file) else { return nil }
        try? FileManager.default.removeItem(at: file)
        return PartialFile.decode(data)
    }

    private func listNames() {
        guard names.withLock({ $0 == nil }) else { return }
        let found = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        names.withLock { if $0 == nil { $0 = Set(found) } }
    }

    private func write(_ partial: Partial, _ request: DownloadRequest) throws {
        try FileManager.default.createDirectory(
            at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        let name = PartialFile.name(request)
        // Known before it is there: one that is looked for in vain is loaded anew, one that is not known is lost.
        _ = names.withLock { $0?.insert(name) }
        try PartialFile.encode(partial).write(to: folder.appending(path: name), options: .atomic)
        trim(at: Date())
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
