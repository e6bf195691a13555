import Foundation
import TintypeCore

/// The open folder of entries. The kernel resolves a relative path of three components faster than a full one, and
/// building it needs no string.
///
/// The folder may be removed or replaced while it is open. Writers then use another folder, and ``isCurrent(_:)`` is
/// `false`.
final class EntriesHandle: Sendable {
    let folder: OwnedFolder
    /// The folder of the cache version; `nil` for a cache that is only read.
    let home: OwnedFolder?
    /// Whether only this user and the superuser can change the files. If not, files are never mapped, because another
    /// user could truncate them.
    private let isOwn: Bool

    /// Opens the folder of a cache that exists.
    ///
    /// - Throws: ``DiskFailure``: `ENOENT` if there is no such folder; a refusal if other users own it or may write to
    ///   it.
    convenience init(_ layout: CacheLayout) throws(DiskFailure) {
        let home = try layout.openHome()
        try self.init(
            DiskFailure.wrapping { () throws(FolderFailure) in try home.folder(CacheLayout.entriesName) }, in: home)
    }

    /// Takes over the folder of entries of a cache.
    init(_ folder: OwnedFolder, in home: OwnedFolder) {
        (self.folder, self.home) = (folder, home)
        isOwn = true
    }

    /// Opens the folder of a cache that is only read. It may belong to another user.
    ///
    /// - Returns: `nil` if there is none, or if every user may write to it or to a folder of the cache above.
    init?(inherited layout: CacheLayout) {
        guard let folder = try? layout.openInheritedHome().folder(CacheLayout.entriesName, .readOnly) else {
            return nil
        }
        (self.folder, home) = (folder, nil)
        isOwn = false
    }

    /// Whether the path still leads to this folder.
    func isCurrent(_ layout: CacheLayout) -> Bool {
        InodeIdentity(layout.entriesFolder).map { $0 == InodeIdentity(folder.descriptor) } ?? false
    }

    // MARK: Reading

    /// Opens a file for reading. Returns the descriptor, or −1 and sets `errno`. A link in the path fails with `ELOOP`
    /// or `ENOTDIR`.
    ///
    /// Leaves the access time unchanged, because the cache sets it itself. `O_NOATIME` fails for another user's file;
    /// it is then opened without. `O_NONBLOCK` keeps a named pipe from blocking the call.
    func open(_ name: EntryName) -> Int32 {
        let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW
        let result = open(name, flags | Self.noAccessTime)
        return result < 0 && errno == EPERM ? open(name, flags) : result
    }

    /// Opens a file, with one system call where the kernel has it.
    func open(_ name: EntryName, _ flags: Int32) -> Int32 {
        guard OwnedFolder.opensPaths else { return openStepwise(name, flags) }
        return name.withRelativePath { folder.open(path: $0, flags) }
    }

    /// Opens a file folder by folder, for kernels and sandboxes without openat2(2).
    func openStepwise(_ name: EntryName, _ flags: Int32) -> Int32 {
        name.withPathComponents { parent, child, file in
            withFolder(parent, child) { openat($0, file, flags) }
        }
    }

    /// Whether a file can be an entry: a regular file that no other user can change or, in an inherited directory, that
    /// is small enough to be read into memory.
    func accepts(_ status: stat) -> Bool {
        guard status.st_mode & S_IFMT == S_IFREG else { return false }
        guard isOwn else { return status.st_size <= Self.maximumInheritedByteCount }
        return folder.isOwn(status)
    }

    /// The size in bytes from which files are mapped, if they may be.
    var mappingThreshold: Int { isOwn ? 8 << 20 : .max }

    /// Returns the names of the entries in one folder.
    ///
    /// - Throws: ``DiskFailure`` if there may be more of them, because the folder cannot be read at present.
    func names(in folder: EntryFolder) throws(DiskFailure) -> [EntryName] {
        try open(folder)?.currentNames().compactMap { EntryName($0) } ?? []
    }

    /// Opens one folder of entries. `nil` if there is none that only this user can change.
    ///
    /// - Throws: ``DiskFailure`` if the folder cannot be opened at present.
    func open(_ folder: EntryFolder) throws(DiskFailure) -> OwnedFolder? {
        do throws(FolderFailure) {
            return OwnedFolder.opensPaths
                ? try self.folder.folder(path: folder.path)
                : try self.folder.folder(folder.parent).folder(folder.child)
        } catch {
            if error.isRefusal || error.errorNumber == ENOENT { return nil }
            throw DiskFailure(error)
        }
    }

    /// Whether any folder with the same first level exists.
    ///
    /// - Throws: ``DiskFailure`` if that cannot be told at present.
    func hasFolders(beside folder: EntryFolder) throws(DiskFailure) -> Bool {
        if self.folder.status(of: folder.parent) != nil { return true }
        guard errno == ENOENT else { throw DiskFailure(errno, self.folder.path) }
        return false
    }

    // MARK: Changing

    /// Records the last use in the file itself, where it survives the loss of the index and other processes see it.
    ///
    /// The path may lead to another file by now, if this user has put a symbolic link in place of a folder. Then the
    /// use of that file is recorded, which changes no bytes.
    func recordAccess(_ name: EntryName, at time: DiskTime) {
        _ = EntryFile.withAccessTimes(time) { times in
            name.withRelativePath { utimensat(folder.descriptor, $0, times, AT_SYMLINK_NOFOLLOW) }
        }
    }

    /// Removes a file. A directory of that name is renamed.
    ///
    /// - Returns: Whether there is no such file now. Errors are ignored.
    @discardableResult
    func remove(_ name: EntryName) -> Bool {
        let result = withFolder(of: name) { folder, file in
            let result = unlinkat(folder, file, 0)
            return result != 0 && errno == EISDIR ? OwnedFolder.displace(file, in: folder) : result
        }
        return result == 0 || errno == ENOENT
    }

    /// Gives a temporary file its final name. Creates the folder on its first use, or again if another process clears
    /// the cache. Displaces what has taken the name of the file or of a folder.
    func publish(_ temporary: String, in source: OwnedFolder, as name: EntryName) throws(DiskFailure) {
        var attempts = 0
        while rename(temporary, in: source, to: name) != 0 {
            attempts += 1
            let number = errno
            guard attempts < 20, makeRoom(for: name, after: number) == 0 else { throw DiskFailure(number, folder.path) }
        }
    }

    /// Removes the reason why a file could not get its name. Returns 0 if it is worth trying again.
    private func makeRoom(for name: EntryName, after number: Int32) -> Int32 {
        switch number {
        case ENOENT: makeFolder(of: name) == 0 || [EEXIST, ENOENT].contains(errno) ? 0 : -1
        case _ where DiskFailure.isObstacle(number): displaceObstacle(to: name)
        default: -1
        }
    }

    /// Displaces the first component of a path that is not a folder, or a folder in place of the file. Returns 0, or −1
    /// if there is none or it cannot be displaced.
    private func displaceObstacle(to name: EntryName) -> Int32 {
        name.withPathComponents { parent, child, file in
            if Self.isFolder(parent, in: folder.descriptor) == false { return folder.displace(parent) }
            return withFolder(parent, nil) { middle in
                if Self.isFolder(child, in: middle) == false { return OwnedFolder.displace(child, in: middle) }
                return withFolder(parent, child) { last in
                    Self.isFolder(file, in: last) == true ? OwnedFolder.displace(file, in: last) : -1
                }
            }
        }
    }

    /// Whether a name is that of a folder; `nil` if there is nothing of that name.
    private static func isFolder(_ name: UnsafePointer<CChar>, in descriptor: Int32) -> Bool? {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    private func rename(_ temporary: String, in source: OwnedFolder, to name: EntryName) -> Int32 {
        // A string that is passed for a pointer is copied.
        temporary.withCString { temporary in
            withFolder(of: name) { renameat(source.descriptor, temporary, $0, $1) }
        }
    }

    private func makeFolder(of name: EntryName) -> Int32 {
        name.withPathComponents { parent, child, _ in
            guard mkdirat(folder.descriptor, parent, 0o700) == 0 || errno == EEXIST else { return -1 }
            return withFolder(parent, nil) { mkdirat($0, child, 0o700) }
        }
    }

    /// Calls `body` with the descriptor of an entry's folder, and with the name of its file. No link on the way is
    /// followed, so that nothing outside is changed. Returns the result, or −1 and sets `errno`.
    private func withFolder(of name: EntryName, _ body: (Int32, UnsafePointer<CChar>) -> Int32) -> Int32 {
        guard OwnedFolder.opensPaths else {
            return name.withPathComponents { parent, child, file in withFolder(parent, child) { body($0, file) } }
        }
        return name.withFolderPath { path, file in
            let descriptor = folder.open(path: path, OwnedFolder.pathOnly | O_DIRECTORY | O_CLOEXEC)
            guard descriptor >= 0 else { return -1 }
            defer { Self.close(descriptor) }
            return body(descriptor, file)
        }
    }

    /// Calls `body` with the descriptor of a folder, or of its parent, folder by folder, like ``withFolder(of:_:)``.
    private func withFolder(
        _ parent: UnsafePointer<CChar>, _ child: UnsafePointer<CChar>?, _ body: (Int32) -> Int32
    ) -> Int32 {
        let first = OwnedFolder.open(parent, in: folder.descriptor)
        guard first >= 0 else { return -1 }
        defer { Self.close(first) }
        guard let child else { return body(first) }
        let second = OwnedFolder.open(child, in: first)
        guard second >= 0 else { return -1 }
        defer { Self.close(second) }
        return body(second)
    }

    /// Closes a descriptor, and keeps `errno`.
    private static func close(_ descriptor: Int32) {
        let number = errno
        Foundation.close(descriptor)
        errno = number
    }

    /// The maximum size of a file in an inherited directory, in bytes. Such files are read into memory and not mapped,
    /// because their owner may truncate them.
    static let maximumInheritedByteCount = 256 << 20

    /// `O_NOATIME`, which the Glibc module does not export. It has the same value on x86-64 and arm64.
    private static let noAccessTime: Int32 = 0o1_000_000
}

extension OwnedFolder {
    /// Returns the names in this folder; none if the folder was removed.
    ///
    /// - Throws: ``DiskFailure`` if it cannot be read to its end.
    func currentNames() throws(DiskFailure) -> [String] {
        do throws(FolderFailure) { return try listing() } catch {
            if error.errorNumber == ENOENT { return [] }
            throw DiskFailure(error)
        }
    }
}

extension OwnedFolder {
    /// The identity of this folder.
    var identity: InodeIdentity? { InodeIdentity(descriptor) }
}

/// The identity of the file or folder behind a path or a descriptor.
struct InodeIdentity: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// `nil` if the path leads to nothing.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    init(_ status: stat) {
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
