package import Foundation

/// The location of a cache directory: a directory that the user named, and the names of the folders in it that Tintype
/// creates.
///
/// The named directory and everything above it are checked by ``FolderRule/named`` and ``FolderRule/ancestor``; links
/// of this user and the superuser are followed there. The folders in it are ``FolderRule/own`` and no link is followed.
package struct FolderLocation: Hashable, Sendable {
    /// The path of the directory that the user named, without a trailing slash.
    package let root: String
    /// The names of the folders, from the outermost to the innermost.
    private let names: [String]

    private init(_ root: String, _ names: [String]) {
        (self.root, self.names) = (root, names)
    }

    /// The location of a directory that the user named.
    package init(named directory: URL) {
        let path = directory.standardizedFileURL.path(percentEncoded: false)
        self.init(named: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
    }

    /// The location of a directory that the user named by a path without a trailing slash.
    package init(named path: String) {
        self.init(path, [])
    }

    /// The location of a directory that Tintype creates, by its path. The directory above counts as the named one.
    package init(own directory: URL) {
        let named = FolderLocation(named: directory)
        let slash = named.root.lastIndex(of: "/") ?? named.root.startIndex
        let name = named.root[slash...].dropFirst()
        self.init(slash == named.root.startIndex ? "/" : String(named.root[..<slash]), name.isEmpty ? [] : ["\(name)"])
    }

    /// The location of a folder in this one.
    package func folder(_ name: String) -> FolderLocation { FolderLocation(root, names + [name]) }

    /// The path of the innermost folder.
    package var path: String { names.reduce(root) { $0 == "/" ? "/\($1)" : "\($0)/\($1)" } }

    /// Opens the folder.
    ///
    /// - Throws: ``FolderFailure``. Its ``FolderFailure/errorNumber`` is `ENOENT` if the folder does not exist.
    package func open() throws(FolderFailure) -> OwnedFolder {
        var folder = try FolderWalk.open(root, creatingMissing: false)
        for name in names { folder = try folder.folder(name) }
        return folder
    }

    /// Opens the folder. If it or a directory above it does not exist, creates it first, with access for this user
    /// only.
    ///
    /// - Throws: ``FolderFailure``.
    package func make() throws(FolderFailure) -> OwnedFolder {
        var folder = try FolderWalk.open(root, creatingMissing: true)
        for name in names { folder = try folder.makeFolder(name) }
        return folder
    }
}
