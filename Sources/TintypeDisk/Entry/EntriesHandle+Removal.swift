import Foundation
import TintypeCore

// Removing all entries.

extension EntriesHandle {
    /// Removes the files that have names of entries, then the folders that are empty. Everything else stays, and no
    /// link is followed. The folder itself stays, because other processes hold it open.
    ///
    /// - Returns: The number and size of the removed files.
    /// - Throws: ``DiskFailure`` if a folder cannot be read, or a file cannot be removed.
    func removeAll() throws(DiskFailure) -> DiskUsage {
        var removed = DiskUsage()
        for parent in try folder.currentNames().filter(EntryFolder.isParent) {
            guard let middle = try Self.open(parent, in: folder) else { continue }
            for child in try middle.currentNames().filter(EntryFolder.isChild) {
                guard let last = try Self.open(child, in: middle) else { continue }
                try Self.removeEntries(in: last, &removed)
                middle.removeFolder(child)
            }
            folder.removeFolder(parent)
        }
        return removed
    }

    /// - Returns: `nil` if there is no such folder: a link, a file, or nothing any more.
    private static func open(_ name: String, in folder: OwnedFolder) throws(DiskFailure) -> OwnedFolder? {
        do throws(FolderFailure) {
            return try folder.folder(name)
        } catch {
            if error.isRefusal || [ENOENT, ENOTDIR, ELOOP].contains(error.errorNumber) { return nil }
            throw DiskFailure(error)
        }
    }

    private static func removeEntries(in folder: OwnedFolder, _ removed: inout DiskUsage) throws(DiskFailure) {
        for name in try folder.currentNames() where EntryName(name) != nil {
            guard let status = folder.status(of: name), status.st_mode & S_IFMT != S_IFDIR else { continue }
            guard folder.remove(name) == 0 else {
                // Another process may be clearing at the same time.
                if errno == ENOENT { continue }
                throw DiskFailure(errno, folder.path)
            }
            removed.count += 1
            removed.byteCount += DiskUsage.allocatedSize(Int(status.st_size))
        }
    }
}
