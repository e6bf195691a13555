import Foundation
import TintypeCore

/// The paths inside a cache directory. Folders of other cache versions are next to `v2` and are left alone.
struct CacheLayout: Sendable {
    /// Where the directory is.
    let location: FolderLocation
    /// The path of the directory, without a slash at its end.
    let root: String
    /// The path of the entries folder with a trailing slash, stored because every read uses it.
    private let entriesPrefix: String

    init(_ location: FolderLocation) {
        self.location = location
        root = location.path
        entriesPrefix = "\(root)/\(Self.homeName)/\(Self.entriesName)/"
    }

    /// - Parameter directory: The directory that the user named; `nil` uses ``standard``.
    init(_ directory: URL?) {
        self = directory.map { CacheLayout(FolderLocation(named: $0)) } ?? .standard
    }

    /// The layout of another cache, in a folder of this one's directory.
    func folder(_ name: String) -> CacheLayout { CacheLayout(location.folder(name)) }

    /// The folder of this cache version.
    var home: String { "\(root)/\(Self.homeName)" }
    /// The folder of the entries.
    var entriesFolder: String { String(entriesPrefix.dropLast()) }
    /// The folder of lock files, one for each writing cache: see ``WriterLock``.
    var writersFolder: String { "\(home)/\(Self.writersName)" }
    /// The SQLite index: see ``DiskIndex``.
    var indexPath: String { "\(home)/\(Self.indexName)" }

    private static let homeName = "v2"
    static let entriesName = "entries"
    /// The folder of temporary files. It is on the same file system as the entries, so that renaming is atomic.
    static let temporaryName = "tmp"
    static let writersName = "writers"
    static let indexName = "index.sqlite"

    /// The path of an entry's file.
    func path(of name: EntryName) -> String { entriesPrefix + name.path }

    /// Whether the directory contains a cache of this version, or something that has its name.
    var exists: Bool {
        var status = stat()
        return lstat(home, &status) == 0
    }

    /// Opens the folder of this cache version.
    ///
    /// - Throws: ``DiskFailure``: `ENOENT` if there is no such folder; a refusal if other users own it or may write to
    ///   it.
    func openHome() throws(DiskFailure) -> OwnedFolder {
        try DiskFailure.wrapping { () throws(FolderFailure) in
            try location.open().folder(Self.homeName)
        }
    }

    /// Opens the folder of this cache version in a directory that is only read.
    func openInheritedHome() throws(FolderFailure) -> OwnedFolder {
        try OwnedFolder(root, .readOnlyParent).folder(Self.homeName, .readOnly)
    }

    /// Opens the folder of this cache version, and creates it and its parents first.
    func makeHome() throws(DiskFailure) -> OwnedFolder {
        try DiskFailure.wrapping { () throws(FolderFailure) in
            try location.make().makeFolder(Self.homeName)
        }
    }
}

extension CacheLayout {
    /// `$XDG_CACHE_HOME/tintype`, or `~/.cache/tintype`.
    static var standard: CacheLayout { CacheLayout(FolderLocation(named: URL(filePath: "\(userDirectory)/tintype"))) }

    /// The path of the user's cache directory: `$XDG_CACHE_HOME`, or `~/.cache` (XDG base directory specification 0.8).
    static var userDirectory: String {
        let environment = ProcessInfo.processInfo.environment
        let home = environment["HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? NSHomeDirectory()
        // Relative paths are invalid and must be ignored, by the specification.
        return environment["XDG_CACHE_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(home)/.cache"
    }
}

/// A file system call that failed, or a directory that must not be trusted.
struct DiskFailure: Error {
    /// The value of `errno`.
    let errorNumber: Int32
    /// The path that the call used, or the root of the cache.
    let path: String
    /// Whether a directory exists but must not be trusted.
    let isRefusal: Bool
    private let reason: String

    init(_ errorNumber: Int32, _ path: String) {
        self.errorNumber = errorNumber
        self.path = path
        isRefusal = false
        reason = "cannot write: \(SystemError.description(errorNumber))"
    }

    init(_ failure: FolderFailure) {
        errorNumber = failure.errorNumber
        path = failure.path
        isRefusal = failure.isRefusal
        reason = failure.isRefusal ? "cannot use this directory: \(failure.reason)" : "cannot write: \(failure.reason)"
    }

    /// Runs `body`, and converts its error.
    static func wrapping<Value>(_ body: () throws(FolderFailure) -> Value) throws(DiskFailure) -> Value {
        do throws(FolderFailure) { return try body() } catch { throw DiskFailure(error) }
    }

    /// Whether the disk or the quota is full, so that removing files helps.
    var isFull: Bool { errorNumber == ENOSPC || errorNumber == EDQUOT }

    /// Whether something else has the name of an entry or of its folder.
    var isObstacle: Bool { !isRefusal && Self.isObstacle(errorNumber) }

    /// Whether a system call failed because a directory is in place of a file, or a file or link in place of a
    /// directory.
    static func isObstacle(_ number: Int32) -> Bool { [EISDIR, ENOTDIR, ELOOP, EEXIST].contains(number) }

    /// Whether a file or folder does not exist.
    var isMissing: Bool { errorNumber == ENOENT }

    /// The error to throw to users.
    var error: TintypeError { TintypeError(.unwritable, stage: .store, reason, subject: path) }
}
