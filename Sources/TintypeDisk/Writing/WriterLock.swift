import Foundation
import TintypeCore

/// The open folders that a writer of a cache uses. They stay the same, even if another directory takes the path.
struct WriterFolders: Sendable {
    /// The folder of the cache version.
    let home: OwnedFolder
    let entries: EntriesHandle
    let temporary: OwnedFolder
    let writers: OwnedFolder
    let segments: SegmentStore

    /// Opens the folders, and creates those that are missing.
    ///
    /// - Throws: ``DiskFailure``, also if other users own one of them or may write to it.
    init(_ layout: CacheLayout) throws(DiskFailure) {
        let home = try layout.makeHome()
        func make(_ name: String) throws(DiskFailure) -> OwnedFolder {
            try DiskFailure.wrapping { () throws(FolderFailure) in try home.makeFolder(name) }
        }
        self.home = home
        entries = EntriesHandle(try make(CacheLayout.entriesName), in: home)
        temporary = try make(CacheLayout.temporaryName)
        writers = try make(CacheLayout.writersName)
        segments = SegmentStore(in: home)
    }

    /// Returns the segments if they are those of the same directory.
    func segments(in entries: EntriesHandle) -> SegmentStore? {
        entries.home?.identity == home.identity ? segments : nil
    }

    /// The path of the cache version's folder, for messages.
    var path: String { home.path }
}

/// The lock file of one cache that writes to a directory. It also records whether the index may lack some changes.
///
/// The cache holds the lock until it is released, so that the next process can detect an interrupted writer without
/// reading the entries.
final class WriterLock: Sendable {
    /// The name of the file. The names of this writer's temporary files begin with it.
    let id: String
    /// The folders that this writer uses.
    let folders: WriterFolders
    private let temporaryPrefix: String
    private let path: String
    private let descriptor: Int32

    /// Creates and locks a file with a new name.
    ///
    /// - Throws: ``DiskFailure``, also if other users own the directory or may write to it.
    init(_ layout: CacheLayout) throws(DiskFailure) {
        id = UUID().uuidString
        temporaryPrefix = "\(id)-"
        path = "\(layout.writersFolder)/\(id)"
        folders = try WriterFolders(layout)
        descriptor = try Self.make(id, folders)
    }

    /// Creates the file under a temporary name and renames it once the lock is held, so that it never looks abandoned.
    /// A concurrent ``recover(_:)`` may remove the temporary file; then this tries again.
    private static func make(
        _ id: String, _ folders: WriterFolders, attempts: Int = 5
    ) throws(DiskFailure) -> Int32 {
        let temporary = "\(id)\(lockSuffix)"
        let descriptor = folders.temporary.open(temporary, O_RDWR | O_CREAT | O_EXCL)
        guard descriptor >= 0 else { throw DiskFailure(errno, folders.path) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0,
            renameat(folders.temporary.descriptor, temporary, folders.writers.descriptor, id) == 0
        {
            return descriptor
        }
        let number = errno
        close(descriptor)
        folders.temporary.remove(temporary)
        guard number == ENOENT, attempts > 1 else { throw DiskFailure(number, folders.path) }
        return try make(id, folders, attempts: attempts - 1)
    }

    deinit {
        close(descriptor)
    }

    /// Whether the paths still lead to this file and to the entries. Another process may have removed or moved the
    /// directory.
    func isCurrent(_ layout: CacheLayout) -> Bool {
        InodeIdentity(path).map { $0 == InodeIdentity(descriptor) } ?? false && folders.entries.isCurrent(layout)
    }

    /// Returns the name of a temporary file of this writer.
    func temporaryName(_ number: Int) -> String { temporaryPrefix + String(number) }

    /// Records whether the index may lack some changes.
    ///
    /// An empty file means dirty, because truncating works even on a full disk. If a full disk has no room for the byte
    /// that means clean, the next process reconciles without need.
    func set(isDirty: Bool) {
        if isDirty { _ = ftruncate(descriptor, 0) } else { _ = withUnsafeBytes(of: UInt8(0), write) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int { pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }
}

// MARK: - Recovery

extension WriterLock {
    /// Removes the temporary files of writers that have ended, and the lock files of those that ended clean. Files with
    /// other names are left alone.
    ///
    /// - Returns: The lock files of the writers that ended dirty. Remove them only after the index is marked as behind.
    static func recover(_ folders: WriterFolders) -> [String] {
        // This order matters: a writer creates its lock file before any other file. If its lock file is removed while
        // it is being created, the writer creates it again.
        let files = folders.temporary.names()
        let writers = folders.writers.names().filter { UUID(uuidString: $0) != nil }
        var stopped: [String] = []
        var living: Set<Substring> = []
        for writer in writers {
            switch takeOver(writer, in: folders.writers) {
            case nil: living.insert(writer[...])
            case false?: folders.writers.remove(writer)
            case true?: stopped.append(writer)
            }
        }
        for file in files {
            guard let writer = writer(ofTemporary: file), !living.contains(writer) else { continue }
            folders.temporary.remove(file)
        }
        return stopped
    }

    /// Returns the writer that a temporary file belongs to; `nil` if no writer uses such a name.
    private static func writer(ofTemporary name: String) -> Substring? {
        let (writer, suffix) = (name.prefix(idLength), name.dropFirst(idLength))
        guard UUID(uuidString: String(writer)) != nil, suffix.hasPrefix("-") else { return nil }
        return suffix == lockSuffix || Int(suffix.dropFirst()) != nil ? writer : nil
    }

    /// The end of the temporary name of a lock file.
    private static let lockSuffix = "-sign"
    /// The number of characters in a UUID.
    private static let idLength = 36

    /// Whether a writer that has ended was dirty; `nil` if it is still running.
    private static func takeOver(_ writer: String, in folder: OwnedFolder) -> Bool? {
        let descriptor = folder.open(writer, O_RDWR)
        guard descriptor >= 0 else { return errno == ENOENT || errno == ELOOP ? false : nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 0) != 1 || byte != 0
    }
}
