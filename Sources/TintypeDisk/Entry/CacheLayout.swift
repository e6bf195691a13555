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
        entriesPrefix = "\(root)/v1/entries/"
    }

    /// The folder of this version.
    var home: String { "\(root)/v1" }
    var entriesFolder: String { String(entriesPrefix.dropLast()) }
    /// On the same file system as the entries, so that renaming is one step.
    var temporaryFolder: String { "\(home)/tmp" }
    var indexPath: String { "\(home)/index.sqlite" }

    func path(of name: EntryName) -> String { EntryName.path(entriesPrefix, name) }
    func folder(of name: EntryName) -> String { "\(entriesFolder)/\(name.folder)" }

    /// A name that no other process or thread makes.
    func newTemporaryPath() -> String {
        "\(temporaryFolder)/\(UUID().uuidString)"
    }

    /// Whether there is anything of this version.
    var exists: Bool { access(home, F_OK) == 0 }

    /// Makes a folder and those above it, readable by the user alone.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    func makeFolder(_ path: String) throws(TintypeError) {
        if mkdir(path, 0o700) == 0 || errno == EEXIST && isFolder(path) { return }
        guard errno == ENOENT, path.contains("/"), let parent = Self.parent(of: path) else {
            throw EntryFile.failure(errno, root)
        }
        try makeFolder(parent)
        guard mkdir(path, 0o700) == 0 || errno == EEXIST else { throw EntryFile.failure(errno, root) }
    }

    private func isFolder(_ path: String) -> Bool {
        var facts = stat()
        defer { errno = ENOTDIR }
        return stat(path, &facts) == 0 && facts.st_mode & S_IFMT == S_IFDIR
    }

    private static func parent(of path: String) -> String? {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return nil }
        return String(path[..<slash])
    }

    /// The names of all entries, folder by folder.
    func forEachEntry(_ body: (EntryName) -> Void) {
        for first in Self.names(in: entriesFolder) {
            for second in Self.names(in: "\(entriesFolder)/\(first)") {
                for name in Self.names(in: "\(entriesFolder)/\(first)/\(second)") {
                    if let name = EntryName(name) { body(name) }
                }
            }
        }
    }

    /// Removes temporary files that no process can still be writing: a crash left them.
    func removeAbandonedFiles(before date: Date) {
        for name in Self.names(in: temporaryFolder) {
            var facts = stat()
            let path = "\(temporaryFolder)/\(name)"
            guard stat(path, &facts) == 0, Double(facts.st_mtim.tv_sec) < date.timeIntervalSince1970 else { continue }
            unlink(path)
        }
    }

    private static func names(in folder: String) -> [String] {
        (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
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
