import Foundation

/// Opens a directory by its path, one component at a time, so that every directory and link on the way is checked.
///
/// Without the check, another user who can rename one of these directories, or who owns a link, could redirect a cache
/// to a directory of this user that is not a cache.
struct FolderWalk {
    private let path: String
    private let createsMissing: Bool
    /// The directory that has been reached.
    private var folder: OwnedFolder
    /// The components that follow, the next one last.
    private var names: [Substring]
    private var linkCount = 0

    /// Opens a directory.
    ///
    /// - Parameter creatingMissing: Whether missing directories are created, with access for this user only.
    static func open(_ path: String, creatingMissing: Bool) throws(FolderFailure) -> OwnedFolder {
        var attempts = 0
        while true {
            do throws(FolderFailure) {
                var walk = try FolderWalk(path, createsMissing: creatingMissing)
                while let name = walk.names.popLast() { try walk.enter(String(name)) }
                return walk.folder
            } catch {
                attempts += 1
                // Another process that removes a cache may have removed a directory that was just created.
                guard creatingMissing, error.errorNumber == ENOENT, attempts < 20 else { throw error }
            }
        }
    }

    private init(_ path: String, createsMissing: Bool) throws(FolderFailure) {
        (self.path, self.createsMissing) = (path, createsMissing)
        names = Self.components(path)
        folder = try OwnedFolder(path.hasPrefix("/") ? "/" : ".", names.isEmpty ? .named : .ancestor)
    }

    private static func components(_ path: String) -> [Substring] {
        path.split(separator: "/").filter { $0 != "." }.reversed()
    }

    private mutating func enter(_ name: String) throws(FolderFailure) {
        var descriptor = OwnedFolder.open(name, in: folder.descriptor)
        if descriptor < 0, errno == ENOENT, createsMissing,
            mkdirat(folder.descriptor, name, 0o700) == 0 || errno == EEXIST
        {
            descriptor = OwnedFolder.open(name, in: folder.descriptor)
        }
        guard descriptor >= 0 else {
            guard errno == ENOTDIR || errno == ELOOP else { throw FolderFailure(.system(errno), path) }
            return try follow(name)
        }
        folder = try OwnedFolder(descriptor, pathOf(name), names.isEmpty ? .named : .ancestor)
    }

    /// Follows a link. It is opened first, so that the link whose owner is checked is the one that is read.
    private mutating func follow(_ name: String) throws(FolderFailure) {
        let link = openat(folder.descriptor, name, OwnedFolder.pathOnly | O_NOFOLLOW | O_CLOEXEC)
        guard link >= 0 else { throw FolderFailure(.system(errno), path) }
        defer { close(link) }
        var status = stat()
        linkCount += 1
        guard fstat(link, &status) == 0, status.st_mode & S_IFMT == S_IFLNK else {
            throw FolderFailure(.system(ENOTDIR), path)
        }
        if let problem = FolderRule.link.problem(owner: status.st_uid, mode: status.st_mode, user: geteuid()) {
            throw FolderFailure(problem, pathOf(name))
        }
        guard linkCount <= Self.maximumLinkCount, let target = Self.target(of: link) else {
            throw FolderFailure(.system(ELOOP), path)
        }
        if target.hasPrefix("/") { folder = try OwnedFolder("/", .ancestor) }
        names += Self.components(target)
        // The last directory must pass the rule for the named one, even if the link leads to a directory on the way.
        if names.isEmpty { names = ["."] }
    }

    private static func target(of link: Int32) -> String? {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Int(PATH_MAX)) { buffer in
            let count = buffer.withMemoryRebound(to: CChar.self) { text in
                text.baseAddress.map { readlinkat(link, "", $0, text.count) } ?? -1
            }
            return count > 0 && count < buffer.count ? String(decoding: buffer[..<count], as: UTF8.self) : nil
        }
    }

    /// Returns the path of a name in the reached directory, for messages about its owner or mode. For the last
    /// component, returns the path that the user named.
    private func pathOf(_ name: String) -> String {
        names.isEmpty ? path : folder.path == "/" ? "/\(name)" : "\(folder.path)/\(name)"
    }

    /// The maximum number of links in a path, as in Linux (path_resolution(7)).
    private static let maximumLinkCount = 40
}
