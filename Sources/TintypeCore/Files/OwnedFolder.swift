import CEventFD
package import Foundation

/// An open directory that satisfies a ``FolderRule``, and in which symbolic links are not followed.
///
/// Caches trust the contents of a folder with ``FolderRule/own``: other users cannot plant a file that is served as an
/// image, or redirect a removal to files outside the cache. Names are resolved relative to the descriptor, so replacing
/// a directory above has no effect on an open folder.
package final class OwnedFolder: Sendable {
    /// The path by which the folder was opened. For messages; it may lead to another folder by now.
    package let path: String
    /// The open descriptor.
    package let descriptor: Int32
    /// The effective user of this process when the outermost folder was opened.
    private let user: uid_t

    /// Takes over an open descriptor, and closes it if the directory breaks the rule.
    init(
        _ descriptor: Int32, _ path: String, _ rule: FolderRule, user: uid_t = geteuid()
    ) throws(FolderFailure) {
        (self.descriptor, self.path, self.user) = (descriptor, path, user)
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { throw FolderFailure(.system(errno), path) }
        if let problem = rule.problem(owner: status.st_uid, mode: status.st_mode, user: user) {
            throw FolderFailure(problem, path)
        }
    }

    /// Opens a directory by its path, without a check of the directories and links above it. ``FolderLocation`` checks
    /// them.
    package convenience init(_ path: String, _ rule: FolderRule) throws(FolderFailure) {
        let descriptor = Foundation.open(path, Self.pathOnly | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FolderFailure(.system(errno), path) }
        try self.init(descriptor, path, rule)
    }

    deinit {
        close(descriptor)
    }

    // MARK: Folders in this folder

    /// Opens a folder in this one. A link is not followed: it fails with ``FolderFailure/Problem/notADirectory``.
    package func folder(_ name: String, _ rule: FolderRule = .own) throws(FolderFailure) -> OwnedFolder {
        try folder(name, Self.open(name, in: descriptor), rule)
    }

    /// Opens a folder by a relative path of several components, like ``folder(_:_:)``. Use it only if ``opensPaths``.
    package func folder(path: String) throws(FolderFailure) -> OwnedFolder {
        try folder(path, open(path: path, Self.pathOnly | O_DIRECTORY | O_CLOEXEC), .own)
    }

    private func folder(_ name: String, _ child: Int32, _ rule: FolderRule) throws(FolderFailure) -> OwnedFolder {
        guard child >= 0 else {
            let number = errno
            throw FolderFailure(
                number == ENOTDIR || number == ELOOP ? .notADirectory : .system(number), "\(path)/\(name)")
        }
        return try OwnedFolder(child, "\(path)/\(name)", rule, user: user)
    }

    /// Opens a directory relative to another one, without a check. Returns the descriptor, or −1 and sets `errno`. A
    /// link is not followed.
    package static func open(_ name: UnsafePointer<CChar>, in descriptor: Int32) -> Int32 {
        openat(descriptor, name, pathOnly | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
    }

    /// Opens a folder in this one. If it does not exist, creates it first, with access for this user only.
    ///
    /// - Throws: ``FolderFailure``.
    package func makeFolder(_ name: String) throws(FolderFailure) -> OwnedFolder {
        guard mkdirat(descriptor, name, 0o700) == 0 || errno == EEXIST else {
            throw FolderFailure(.system(errno), "\(path)/\(name)")
        }
        return try folder(name)
    }

    /// Removes an empty folder in this one. A folder that is not empty stays.
    package func removeFolder(_ name: String) { _ = unlinkat(descriptor, name, AT_REMOVEDIR) }

    // MARK: Files

    /// Opens a file in this folder. A link is not followed, and a pipe does not block. Returns −1 and sets `errno` on
    /// failure.
    package func open(_ name: String, _ flags: Int32, mode: mode_t = 0o600) -> Int32 {
        openat(descriptor, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, mode)
    }

    /// Opens a file by a relative path of several components. If one of them is a link, it is not followed: the call
    /// fails with `ELOOP`. Returns −1 and sets `errno` on failure. Use it only if ``opensPaths``.
    package func open(path: UnsafePointer<CChar>, _ flags: Int32) -> Int32 {
        tintype_open_without_links(descriptor, path, UInt32(bitPattern: flags))
    }

    /// Whether the kernel has openat2(2), and permits it. Some container sandboxes do not.
    package static let opensPaths: Bool = {
        let root = tintype_open_without_links(AT_FDCWD, "/", UInt32(bitPattern: pathOnly | O_CLOEXEC))
        if root >= 0 { close(root) }
        return root >= 0
    }()

    /// Removes a file or a link. Returns 0, or −1 and sets `errno`.
    @discardableResult
    package func remove(_ name: String) -> Int32 { unlinkat(descriptor, name, 0) }

    /// Frees a name that something else has taken. Links, pipes, sockets and empty directories contain no data and are
    /// removed; a file or a directory is renamed to `NAME.displaced-UUID`. Returns 0, or −1 and sets `errno`.
    package func displace(_ name: UnsafePointer<CChar>) -> Int32 { Self.displace(name, in: descriptor) }

    /// Frees a name in an open directory: see ``displace(_:)``.
    package static func displace(_ name: UnsafePointer<CChar>, in descriptor: Int32) -> Int32 {
        var status = stat()
        guard fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return -1 }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: if unlinkat(descriptor, name, AT_REMOVEDIR) == 0 { return 0 }
        case S_IFREG: break
        default: return unlinkat(descriptor, name, 0)
        }
        return renameat(descriptor, name, descriptor, "\(String(cString: name)).displaced-\(UUID().uuidString)")
    }

    /// Returns the status (stat(2)) of a file, or of a link itself; `nil` if the name does not exist.
    package func status(of name: String) -> stat? {
        var status = stat()
        return fstatat(descriptor, name, &status, AT_SYMLINK_NOFOLLOW) == 0 ? status : nil
    }

    /// Whether only this user and the superuser can change a file with this status.
    package func isOwn(_ status: stat) -> Bool {
        FolderRule.own.problem(owner: status.st_uid, mode: status.st_mode, user: user) == nil
    }

    /// Returns the names in this folder; empty if it cannot be read.
    package func names() -> [String] { (try? listing()) ?? [] }

    /// Returns the names in this folder.
    ///
    /// - Throws: ``FolderFailure`` if it cannot be read to its end, also for want of a descriptor or of memory.
    package func listing() throws(FolderFailure) -> [String] {
        let copy = openat(descriptor, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard copy >= 0 else { throw FolderFailure(.system(errno), path) }
        guard let stream = fdopendir(copy) else {
            let number = errno
            close(copy)
            throw FolderFailure(.system(number), path)
        }
        defer { closedir(stream) }
        var names: [String] = []
        errno = 0
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
            errno = 0
        }
        // Otherwise the end.
        guard errno == 0 else { throw FolderFailure(.system(errno), path) }
        return names
    }

    /// `O_PATH`, which the Glibc module does not export: names in the directory can be resolved without permission to
    /// list it. It has the same value on x86-64 and arm64.
    package static let pathOnly: Int32 = 0o10_000_000
}
