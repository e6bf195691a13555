import Foundation
import TintypeCore

/// Where the parts of a cache lie in its directory. Another version's parts lie beside ours, and are left alone.
struct CacheLayout: Sendable {
    /// The directory that the user named.
    let root: String
    /// The folder of entries with a slash at its end, ready for every path.
    private let entriesPrefix: String

    init(root: String) {
        self.root = root
        entriesPrefix = "\(root)/v2/entries/"
    }

    /// - Parameter directory: as the user names it; `nil` is ``standard``.
    init(_ directory: URL?) {
        guard let path = directory?.standardizedFileURL.path(percentEncoded: false) else {
            self = .standard
            return
        }
        self.init(root: path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path)
    }

    /// The folder of this version.
    var home: String { "\(root)/v2" }
    var entriesFolder: String { String(entriesPrefix.dropLast()) }
    /// On the same file system as the entries, so that renaming is one step.
    var temporaryFolder: String { "\(home)/tmp" }
    /// A file for each process that writes here: see ``WriterMark``.
    var writersFolder: String { "\(home)/writers" }
    var indexPath: String { "\(home)/index.sqlite" }

    func path(of name: EntryName) -> String { entriesPrefix + name.path }
    func folder(of name: EntryName) -> String { entriesPrefix + name.folder.path }

    /// Whether there is anything of this version.
    var exists: Bool { access(home, F_OK) == 0 }

    /// Makes a folder and those above it, readable by the user alone.
    func makeFolder(_ path: String) throws(DiskFailure) {
        var attempts = 0
        // Someone who clears the cache meanwhile may take it, or the one above, away again.
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

    /// `nil` when there is nothing at the path.
    private func isFolder(_ path: String) -> Bool? {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        return facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    /// The names of all entries, folder by folder.
    func forEachEntry(_ body: (EntryName) -> Void) {
        for number in 0..<EntryFolder.count { names(in: EntryFolder(number)).forEach(body) }
    }

    /// The names of the entries in one folder.
    func names(in folder: EntryFolder) -> [EntryName] {
        Self.names(in: entriesPrefix + folder.path).compactMap { EntryName($0) }
    }

    /// Whether any folder with this first level exists.
    func hasFolders(beside folder: EntryFolder) -> Bool { access(entriesPrefix + folder.parent, F_OK) == 0 }

    /// What is in a folder; nothing when it cannot be read.
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
        // The specification: relative paths are invalid and are to be ignored.
        let base = environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.cache"
        return CacheLayout(root: "\(base)/tintype")
    }
}

/// A system call that the disk refused.
struct DiskFailure: Error {
    let number: Int32
    let path: String

    init(_ number: Int32, _ path: String) {
        self.number = number
        self.path = path
    }

    /// Whether removing something helps.
    var isFull: Bool { number == ENOSPC || number == EDQUOT }

    var error: TintypeError {
        TintypeError(.unwritable, stage: .store, "cannot write: \(SystemError.description(number))", subject: path)
    }
}
