import Foundation
import TintypeCore

/// The paths inside a cache directory. Folders of other cache versions lie beside `v2` and are left alone.
struct CacheLayout: Sendable {
    /// The directory that the user named, without a trailing slash.
    let root: String
    /// The path of the entries folder with a trailing slash, stored because every read uses it.
    private let entriesPrefix: String

    /// Creates the layout of a directory given without a trailing slash.
    init(root: String) {
        self.root = root
        entriesPrefix = "\(root)/v2/entries/"
    }

    /// - Parameter directory: The directory that the user named; `nil` uses ``standard``.
    init(_ directory: URL?) {
        guard let path = directory?.standardizedFileURL.path(percentEncoded: false) else {
            self = .standard
            return
        }
        self.init(root: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
    }

    /// The folder of this cache version.
    var home: String { "\(root)/v2" }
    /// The folder of the entries.
    var entriesFolder: String { String(entriesPrefix.dropLast()) }
    /// The folder of temporary files. It is on the same file system as the entries, so that renaming is atomic.
    var temporaryFolder: String { "\(home)/tmp" }
    /// The folder of lock files, one for each writing cache: see ``WriterLock``.
    var writersFolder: String { "\(home)/writers" }
    /// The SQLite index: see ``DiskIndex``.
    var indexPath: String { "\(home)/index.sqlite" }

    /// The path of an entry's file.
    func path(of name: EntryName) -> String { entriesPrefix + name.path }
    /// The path of the folder that contains an entry's file.
    func folder(of name: EntryName) -> String { entriesPrefix + name.folder.path }

    /// Whether the directory contains a cache of this version.
    var exists: Bool { access(home, F_OK) == 0 }

    /// Creates a folder and its parents, with access for the user only.
    func makeFolder(_ path: String) throws(DiskFailure) {
        var attempts = 0
        // Another process that clears the cache may remove this folder or its parent again.
        while mkdir(path, 0o700) != 0 {
            let number = errno
            attempts += 1
            if number == EEXIST, let isFolder = isFolder(path) {
                guard isFolder else { throw DiskFailure(ENOTDIR, root) }
                return
            }
            guard [EEXIST, ENOENT].contains(number), attempts < 20 else { throw DiskFailure(number, root) }
            guard number == ENOENT else { continue }
            guard let parent = Self.parent(of: path) else { throw DiskFailure(number, root) }
            try makeFolder(parent)
        }
    }

    /// Whether the path leads to a folder; `nil` if it leads to nothing.
    private func isFolder(_ path: String) -> Bool? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return status.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    /// Returns the names of the entries in one folder.
    func names(in folder: EntryFolder) -> [EntryName] {
        Self.names(in: entriesPrefix + folder.path).compactMap { EntryName($0) }
    }

    /// Whether any folder with the same first level exists.
    func hasFolders(beside folder: EntryFolder) -> Bool { access(entriesPrefix + folder.parent, F_OK) == 0 }

    /// Returns the names in a folder; empty if it cannot be read.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != "." && name != ".." { names.append(name) }
        }
        return names
    }
}

extension CacheLayout {
    /// `$XDG_CACHE_HOME/tintype`, or `~/.cache/tintype` (XDG base directory specification 0.8).
    static var standard: CacheLayout {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        // Relative paths are invalid and must be ignored, by the specification.
        let base = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.cache"
        return CacheLayout(root: "\(base)/tintype")
    }
}

/// A file system call that failed.
struct DiskFailure: Error {
    /// The value of `errno`.
    let errorNumber: Int32
    /// The path that the call used, or the root of the cache.
    let path: String

    init(_ errorNumber: Int32, _ path: String) {
        self.errorNumber = errorNumber
        self.path = path
    }

    /// Whether the disk or the quota is full, so that removing files helps.
    var isFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }

    /// The error to throw to users.
    var error: TintypeError {
        TintypeError(.unwritable, stage: .store, "cannot write: \(SystemError.description(errorNumber))", subject: path)
    }
}
