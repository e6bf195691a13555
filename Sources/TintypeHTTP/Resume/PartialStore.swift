public import Foundation
import Logging
public import TintypeCore

/// A folder of interrupted transfers, from which a later process can resume them.
///
/// Each transfer is one file. A body of more than 1 MB is written while it arrives, so that a killed process leaves the
/// bytes it had. A smaller one is written when its transfer fails. Files older than 7 days are removed. If the files
/// exceed `maximumByteCount`, the oldest ones are removed too. The files may be deleted at any time. Other files in
/// the folder are left alone, whatever their names.
///
/// The folder must belong to this user or the superuser, no other user may write to it, and it must not be a symbolic
/// link. No other user may be able to replace a directory above it. Otherwise nothing is read or written, and a warning
/// is logged.
///
/// Files are read and written on the disk queue; all methods may be called from any thread.
public final class PartialStore: Sendable {
    /// The folder that holds the files.
    package var folder: URL { URL(filePath: location.path, directoryHint: .isDirectory) }
    private let location: FolderLocation
    /// The maximum size of all files, in bytes.
    package let maximumByteCount: Int
    /// The number of bytes that a failed transfer must have received for a file to be written.
    package let minimumByteCount: Int
    private let maximumAge: TimeInterval = 7 * 86_400
    /// The age at which a file that was never finished is removed: its process was killed.
    private static let maximumTemporaryAge: TimeInterval = 3600
    private static let logger = Logger(label: "tintype.http")
    /// The names of the files; `nil` until they are listed. Most requests have no file, and do not wait for the disk.
    /// Files that another process adds later are found after the next start.
    private let names = Locked<Set<String>?>(nil)
    /// The files that are being written in the background.
    private let pendingWrites = Locked(PendingWrites())

    /// Creates a store. The folder is created when the first file is written.
    ///
    /// - Parameters:
    ///   - folder: May be shared by several processes.
    ///   - maximumByteCount: 256 MB by default.
    ///   - minimumByteCount: 64 KB by default.
    public convenience init(folder: URL, maximumByteCount: Int = 256 << 20, minimumByteCount: Int = 64 << 10) {
        self.init(FolderLocation(own: folder), maximumByteCount, minimumByteCount)
    }

    /// Creates a store in the folder `partial` of a cache directory. The user may have chosen that directory, which may
    /// be a symbolic link; the folder in it belongs to Tintype.
    package convenience init(in cache: FolderLocation) {
        self.init(cache.folder("partial"), 256 << 20, 64 << 10)
    }

    private init(_ location: FolderLocation, _ maximumByteCount: Int, _ minimumByteCount: Int) {
        self.location = location
        self.maximumByteCount = maximumByteCount
        self.minimumByteCount = minimumByteCount
    }

    // MARK: One request

    /// Returns the partial body of an interrupted transfer. The file stays until the new transfer ends, because the
    /// process may be killed again.
    ///
    /// - Throws: `TintypeError.Code.cancelled` when the job is cancelled.
    func partial(for request: DownloadRequest, job: JobContext) async throws(TintypeError) -> PartialBody? {
        guard mayHaveFiles else { return nil }
        return try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in
            self.listNames()
            let name = PartialFile.name(request)
            guard self.names.withLock({ $0?.contains(name) }) == true, let folder = try? PartialFolder(self.location)
            else { return nil }
            let limit = self.maximumByteCount + PartialFile.maximumHeadLength
            let partial = folder.contents(of: name, limit: limit).flatMap { PartialFile.decode($0) }
            if partial == nil { self.remove(name) }
            return partial
        }
    }

    /// Removes the file of a request.
    ///
    /// - Throws: `TintypeError.Code.cancelled` when the job is cancelled.
    func remove(_ request: DownloadRequest, job: JobContext) async throws(TintypeError) {
        guard mayHaveFiles else { return }
        try await WorkQueue.disk.run(for: job) { () throws(TintypeError) in self.remove(PartialFile.name(request)) }
    }

    /// Removes the file of a request in the background.
    func removeLater(_ request: DownloadRequest) {
        guard mayHaveFiles else { return }
        WorkQueue.disk.enqueue(at: .low) { self.remove(PartialFile.name(request)) }
    }

    /// Writes the file of a request in the background, unless its size is out of bounds, or too many bytes wait
    /// already.
    ///
    /// - Parameter journal: The file that has the beginning of the body already; `nil` writes a new one.
    func saveLater(_ partial: PartialBody, for request: DownloadRequest, in journal: PartialJournal?) {
        guard partial.data.count >= minimumByteCount, partial.data.count <= maximumByteCount else { return }
        // Copied, so that only the bytes that are written stay in memory.
        let rest = journal.map { Data(partial.data.dropFirst($0.count)) } ?? partial.data
        guard let number = pendingWrites.withLock({ $0.begin(byteCount: rest.count) }) else { return }
        // If the file cannot be written, the next transfer requests the whole body.
        WorkQueue.disk.enqueue(at: .low) { [empty = partial.empty] in
            if let journal { self.finish(journal, with: rest) } else { self.write(rest, of: empty, request) }
            self.pendingWrites.withLock { $0.end(number) }?.fulfill(())
        }
    }

    /// Waits until the files of all interrupted transfers whose callers have been told of the end are written. Later
    /// ones do not prolong the wait.
    package func flush() async {
        // Does not respond to cancellation: the files would be written all the same.
        for promise in pendingWrites.withLock({ $0.promises }) { await promise.wait { nil } }
    }

    /// Removes the files of all interrupted transfers, also those of transfers that are running.
    ///
    /// - Returns: The number of files, and their size in bytes.
    /// - Throws: `TintypeError.Code.unwritable` if the folder cannot be used: see ``PartialStore``;
    ///   `TintypeError.Code.cancelled` if the task is cancelled.
    @discardableResult
    public func removeAll() async throws(TintypeError) -> (count: Int, byteCount: Int) {
        await flush()
        return try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            do throws(FolderFailure) {
                let folder = try PartialFolder(self.location)
                self.names.withLock { if $0 != nil { $0 = [] } }
                return folder.removeAll()
            } catch {
                guard error.errorNumber != ENOENT else { return (0, 0) }
                throw TintypeError(
                    .unwritable, stage: .store, "cannot use this directory: \(error.reason)", subject: error.path)
            }
        }
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
            // Bytes that were written before are still valid.
            if journal == nil { remove(name) }
            return nil
        }
        return grown
    }

    private func makeJournal(_ name: String, _ empty: PartialBody) -> PartialJournal? {
        guard let folder = prepare(for: name) else { return nil }
        trim(folder)
        return try? PartialJournal(empty, as: name, in: folder)
    }

    // MARK: The folder

    private var mayHaveFiles: Bool { names.withLock { $0.map { !$0.isEmpty } ?? true } }

    private func remove(_ name: String) {
        listNames()
        guard names.withLock({ $0?.remove(name) }) != nil else { return }
        _ = try? PartialFolder(location).remove(name)
    }

    /// Lists the files once, and removes those that earlier processes have abandoned. Logs a warning if other users own
    /// the folder or may write to it.
    private func listNames() {
        guard names.withLock({ $0 == nil }) else { return }
        let folder = openFolder()
        let all = folder?.names() ?? []
        names.withLock { names in
            if names == nil { names = Set(all.filter(PartialFile.isName)) }
        }
        if let folder, !all.isEmpty { WorkQueue.disk.enqueue(at: .veryLow) { self.trim(folder) } }
    }

    /// Opens the folder; `nil` if there is none, or it must not be used.
    private func openFolder() -> PartialFolder? {
        do throws(FolderFailure) {
            return try PartialFolder(location)
        } catch {
            if error.isRefusal {
                Self.logger.warning("cannot resume transfers: \(error.path.printable): \(error.reason)")
            }
            return nil
        }
    }

    /// Appends the last bytes of a body to its file. If that fails, the bytes that were written before are still valid.
    private func finish(_ journal: PartialJournal, with rest: Data) {
        _ = try? journal.appending(rest)
        if let folder = try? PartialFolder(location) { trim(folder) }
    }

    private func write(_ data: Data, of empty: PartialBody, _ request: DownloadRequest) {
        let name = PartialFile.name(request)
        guard let folder = prepare(for: name) else { return }
        let temporary = PartialFile.temporaryName(name)
        let isWritten =
            (try? PartialJournal(empty, as: temporary, in: folder).appending(data)) != nil
            && folder.rename(temporary, to: name)
        if !isWritten {
            folder.remove(temporary)
            if !folder.contains(name) { _ = names.withLock { $0?.remove(name) } }
        }
        trim(folder)
    }

    /// Creates the folder and registers the name of a file that is about to be written.
    private func prepare(for name: String) -> PartialFolder? {
        listNames()
        guard let folder = try? PartialFolder(making: location) else { return nil }
        // Before the file exists: a name without a file costs one failed read, a file without a name is lost.
        _ = names.withLock { $0?.insert(name) }
        return folder
    }

    private func trim(_ folder: PartialFolder) {
        let removed = folder.namesBeyond(
            byteCount: maximumByteCount, age: maximumAge, temporaryAge: Self.maximumTemporaryAge, at: Date())
        // Before the files are removed: a transfer that creates one of them meanwhile registers its name again.
        names.withLock { $0?.subtract(removed) }
        for name in removed { folder.remove(name) }
    }
}

/// The files that are being written in the background, so that a caller can wait for them.
struct PendingWrites: Sendable {
    private var running: [Int: (promise: SharedPromise<Void>, byteCount: Int)] = [:]
    private var byteCount = 0
    private var lastNumber = 0

    /// The maximum number of bytes of all running writes: 64 MB.
    static let maximumByteCount = 64 << 20

    /// The promises of the running writes.
    var promises: [SharedPromise<Void>] { running.values.map(\.promise) }

    /// Registers a write, and returns its number; `nil` if there would be too many bytes.
    mutating func begin(byteCount: Int) -> Int? {
        guard byteCount <= Self.maximumByteCount - self.byteCount else { return nil }
        lastNumber += 1
        running[lastNumber] = (SharedPromise(), byteCount)
        self.byteCount += byteCount
        return lastNumber
    }

    /// Removes a write, and returns the promise to fulfil.
    mutating func end(_ number: Int) -> SharedPromise<Void>? {
        guard let write = running.removeValue(forKey: number) else { return nil }
        byteCount -= write.byteCount
        return write.promise
    }
}
