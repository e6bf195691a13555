import Foundation
import TintypeCore

/// The open folder of a ``PartialStore``. Only files that the store has written are removed or replaced, whatever their
/// names: a program may name a folder with other files.
struct PartialFolder: Sendable {
    private let folder: OwnedFolder

    /// Opens the folder.
    ///
    /// - Throws: ``FolderFailure`` with `ENOENT` if there is none.
    init(_ location: FolderLocation) throws(FolderFailure) {
        folder = try location.open()
    }

    /// Opens the folder, and creates it first.
    init(making location: FolderLocation) throws(FolderFailure) {
        folder = try location.make()
    }

    /// Whether there is a file with a name.
    func contains(_ name: String) -> Bool { folder.status(of: name) != nil }

    /// Returns the names in the folder.
    func names() -> [String] { folder.names() }

    /// Creates a file for writing. Returns the descriptor, or −1 and sets `errno`.
    func create(_ name: String) -> Int32 { folder.open(name, O_WRONLY | O_CREAT | O_EXCL) }

    /// Returns the contents of a file, or `nil` if it cannot be read or has more than `limit` bytes. Those of a large
    /// file take no memory: they are a mapping of a copy that no other process can change.
    func contents(of name: String, limit: Int) -> Data? {
        let descriptor = folder.open(name, O_RDONLY)
        guard descriptor >= 0, let file = try? LocalFile(owning: descriptor, path: "\(folder.path)/\(name)"),
            file.byteCount <= limit
        else { return nil }
        return try? file.byteCount <= Self.memoryLimit ? file.read(file.byteCount, from: 0) : mappedCopy(of: file)
    }

    /// The size up to which a file is read into memory: 8 MB, like a body that arrives.
    private static let memoryLimit = 8 << 20

    private func mappedCopy(of file: borrowing LocalFile) throws(TintypeError) -> Data {
        let copy = try SpillFile(in: SpillFile.folder)
        var count = 0
        while count < file.byteCount {
            let piece = try file.read(min(1 << 20, file.byteCount - count), from: count)
            // The file has become shorter.
            guard !piece.isEmpty else { break }
            try copy.write(piece, at: count)
            count += piece.count
        }
        return try copy.map(count)
    }

    /// Removes a file of the store, or a link. Returns whether it did.
    @discardableResult
    func remove(_ name: String) -> Bool { isReplaceable(name) && folder.remove(name) == 0 }

    /// Gives a file another name, and replaces a file of the store that has it. Returns whether it did.
    func rename(_ old: String, to new: String) -> Bool {
        guard folder.status(of: new) == nil || isReplaceable(new) else { return false }
        return renameat(folder.descriptor, old, folder.descriptor, new) == 0
    }

    /// Whether a name is that of a link, which contains no data, or of a regular file of this user in the format of the
    /// store.
    private func isReplaceable(_ name: String) -> Bool {
        let descriptor = folder.open(name, O_RDONLY)
        guard descriptor >= 0 else { return errno == ELOOP }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid() else {
            return false
        }
        var bytes = Data(count: PartialFile.magicLength)
        let count = bytes.withUnsafeMutableBytes { pread(descriptor, $0.baseAddress, $0.count, 0) }
        return count >= 0 && PartialFile.isBeginning(bytes.prefix(count))
    }

    // MARK: Limits

    /// Returns the names of the files to remove: those that are older than the limits allow, and the oldest ones beyond
    /// `byteCount` bytes.
    ///
    /// - Parameters:
    ///   - byteCount: The maximum size of all files, in bytes.
    ///   - age: The maximum age, in seconds.
    ///   - temporaryAge: The maximum age of a file that is not complete, in seconds.
    func namesBeyond(byteCount: Int, age: TimeInterval, temporaryAge: TimeInterval, at now: Date) -> [String] {
        var total = 0
        return files().sorted { $0.date > $1.date }.filter { file in
            total += file.size
            let maximumAge = PartialFile.isTemporaryName(file.name) ? temporaryAge : age
            return total > byteCount || now.timeIntervalSince(file.date) > maximumAge
        }.map(\.name)
    }

    /// Removes all files of the store. Returns their number and size in bytes.
    func removeAll() -> (count: Int, byteCount: Int) {
        files().reduce(into: (0, 0)) { removed, file in
            guard remove(file.name) else { return }
            removed.0 += 1
            removed.1 += file.size
        }
    }

    /// The regular files whose names the store uses.
    private func files() -> [(name: String, size: Int, date: Date)] {
        folder.names().compactMap { name in
            guard PartialFile.isTemporaryName(name) || PartialFile.isName(name),
                let status = folder.status(of: name), status.st_mode & S_IFMT == S_IFREG
            else { return nil }
            let seconds = Double(status.st_mtim.tv_sec) + Double(status.st_mtim.tv_nsec) / 1e9
            return (name, Int(status.st_size), Date(timeIntervalSince1970: seconds))
        }
    }
}
