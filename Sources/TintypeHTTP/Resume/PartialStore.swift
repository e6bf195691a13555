public import Foundation
import Logging
import TintypeCore

/// A folder of interrupted transfers, from which a later process can resume them.
///
/// Each transfer is one file. A body of more than 1 MB is written while it arrives, so that a killed process leaves the
/// bytes it had. A smaller one is written when its transfer fails. Files older than 7 days are removed. If the files
/// exceed ``maximumByteCount``, the oldest ones are removed too. The files may be deleted at any time. Other files in
/// the folder are left alone.
///
/// The folder must belong to this user or the superuser, and no other user may write to it. Otherwise nothing is read
/// or written, and one warning is logged.
///
/// Files are read and written on the disk queue; all methods may be called from any thread.
public final class PartialStore: Sendable {
    /// The folder that holds the files.
    public let folder: URL
    /// The maximum size of all files, in bytes.
    public let maximumByteCount: Int
    /// The number of bytes that a failed transfer must have received for a file to be written.
    public let minimumByteCount: Int
    private let maximumAge: TimeInterval = 7 * 86_400
    /// The age at which a file that was never finished is removed: its process was killed.
    private static let maximumTemporaryAge: TimeInterval = 3600
    private static let logger = Logger(label: "tintype.http")
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
        WorkQueue.disk.enqueue(at: .low) { self.write(partial, request) }
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
        guard let started = journal ?? makeJournal(name, empty) else { return nil }
        guard let grown = try? started.appending(data) else {
            // What was written before is still valid.
            if journal == nil { remove(name) }
            return nil
        }
        return grown
    }

    private func makeJournal(_ name: String, _ empty: PartialBody) -> PartialJournal? {
        guard let folder = prepare(for: name) else { return nil }
        trim(folder, at: Date())
        return try? PartialJournal(empty, as: name, in: folder)
    }

    // MARK: The folder

    private var mayHaveFiles: Bool { names.withLock { $0.map { !$0.isEmpty } ?? true } }

    private var path: String { folder.path(percentEncoded: false) }

    private func read(_ request: DownloadRequest) -> PartialBody? {
        listNames()
        let name = PartialFile.name(request)
        guard names.withLock({ $0?.contains(name) }) == true, let folder = try? OwnedFolder(path, .own) else {
            return nil
        }
        let partial = contents(of: name, in: folder).flatMap { PartialFile.decode($0) }
        if partial == nil { remove(name) }
        return partial
    }

    private func contents(of name: String, in folder: OwnedFolder) -> Data? {
        let descriptor = folder.open(name, O_RDONLY)
        guard descriptor >= 0, let file = try? LocalFile(owning: descriptor, path: "\(folder.path)/\(name)"),
            file.byteCount <= maximumByteCount + PartialFile.maximumHeadLength
        else { return nil }
        return try? file.read(file.byteCount, from: 0)
    }

    private func remove(_ name: String) {
        listNames()
        guard names.withLock({ $0?.remove(name) }) != nil else { return }
        _ = try? OwnedFolder(path, .own).remove(name)
    }

    /// Lists the files once, and removes those that earlier processes have abandoned.
    private func listNames() {
        guard names.withLock({ $0 == nil }) else { return }
        let all = open()?.names() ?? []
        names.withLock { if $0 == nil { $0 = Set(all.filter(PartialFile.isName)) } }
        guard !all.isEmpty else { return }
        WorkQueue.disk.enqueue(at: .veryLow) { self.open().map { self.trim($0, at: Date()) } }
    }

    /// Opens the folder. Returns `nil`, and logs a warning if other users own it or may write to it.
    private func open() -> OwnedFolder? {
        do throws(FolderFailure) { return try OwnedFolder(path, .own) } catch {
            if error.isRefusal { Self.logger.warning("cannot resume transfers: \(error.path): \(error.reason)") }
            return nil
        }
    }

    private func write(_ partial: PartialBody, _ request: DownloadRequest) {
        let name = PartialFile.name(request)
        guard let folder = prepare(for: name) else { return }
        let temporary = PartialFile.temporaryName(name)
        let isWritten =
            (try? PartialJournal(partial.empty, as: temporary, in: folder).appending(partial.data)) != nil
            && renameat(folder.descriptor, temporary, folder.descriptor, name) == 0
        if !isWritten { folder.remove(temporary) }
        trim(folder, at: Date())
    }

    /// Creates the folder and registers the name of a file that is about to be written.
    private func prepare(for name: String) -> OwnedFolder? {
        listNames()
        guard let folder = try? OwnedFolder(creating: path, .own) else { return nil }
        // Before the file exists: a name without a file costs one failed read, a file without a name is lost.
        _ = names.withLock { $0?.insert(name) }
        return folder
    }

    /// Removes files that are too old, and the oldest until the budget holds.
    private func trim(_ folder: OwnedFolder, at now: Date) {
        let files = folder.names().compactMap { name in folder.status(of: name).map { Candidate(name, $0) } }
        var total = 0
        for file in files.sorted(by: { $0.date > $1.date }) where file.isOurs {
            total += file.size
            let maximumAge = file.isTemporary ? Self.maximumTemporaryAge : maximumAge
            if total > maximumByteCount || now.timeIntervalSince(file.date) > maximumAge { folder.remove(file.name) }
        }
    }

    /// A file that ``trim(_:at:)`` may remove.
    private struct Candidate {
        let name: String
        let size: Int
        let date: Date
        let isTemporary: Bool
        let isOurs: Bool

        init(_ name: String, _ status: stat) {
            self.name = name
            size = Int(status.st_size)
            date = Date(timeIntervalSince1970: Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9)
            isTemporary = PartialFile.isTemporaryName(name)
            isOurs = isTemporary || PartialFile.isName(name)
        }
    }
}
