import Foundation

/// The lock file of one cache that writes to a directory. It also records whether the index may lack some changes.
///
/// The cache holds the lock until it is released, so that the next process can detect an interrupted writer without
/// reading the entries.
final class WriterLock: Sendable {
    /// The name of the file. The names of this writer's temporary files begin with it.
    let id: String
    private let path: String
    private let descriptor: Int32

    /// Creates and locks a file with a new name.
    init(_ layout: CacheLayout) throws(DiskFailure) {
        id = UUID().uuidString
        path = "\(layout.writersFolder)/\(id)"
        try layout.makeFolder(layout.temporaryFolder)
        try layout.makeFolder(layout.writersFolder)
        descriptor = try Self.make(id, layout)
    }

    /// Creates the file under a temporary name and renames it once the lock is held, so that it never looks abandoned.
    /// A concurrent ``recover(_:)`` may remove the temporary file; then this tries again.
    private static func make(_ id: String, _ layout: CacheLayout, attempts: Int = 5) throws(DiskFailure) -> Int32 {
        let temporary = "\(layout.temporaryFolder)/\(id)-sign"
        let descriptor = open(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DiskFailure(errno, layout.root) }
        if flock(descriptor, LOCK_EX | LOCK_NB) == 0, rename(temporary, "\(layout.writersFolder)/\(id)") == 0 {
            return descriptor
        }
        let number = errno
        close(descriptor)
        unlink(temporary)
        guard number == ENOENT, attempts > 1 else { throw DiskFailure(number, layout.root) }
        return try make(id, layout, attempts: attempts - 1)
    }

    deinit {
        close(descriptor)
    }

    /// Whether the path still leads to this file. Another process may have removed or moved the directory.
    var isCurrent: Bool { FileIdentity(path).map { $0 == FileIdentity(descriptor) } ?? false }

    /// Records whether the index may lack some changes.
    ///
    /// An empty file means dirty, because truncating works even on a full disk. If a full disk has no room for the byte
    /// that means clean, the next process reconciles without need.
    func set(isDirty: Bool) {
        if isDirty { _ = ftruncate(descriptor, 0) } else { _ = withUnsafeBytes(of: UInt8(0), write) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int { pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }

    /// Removes the temporary files of writers that have ended, and the lock files of those that ended clean.
    ///
    /// - Returns: The lock files of the writers that ended dirty. Remove them only after the index is marked as behind.
    static func recover(_ layout: CacheLayout) -> [String] {
        // This order matters: a writer creates its lock file before any other. A lock file that is being created is
        // created again.
        let files = CacheLayout.names(in: layout.temporaryFolder)
        let writers = CacheLayout.names(in: layout.writersFolder)
        var stopped: [String] = []
        var living: Set<Substring> = []
        for writer in writers {
            let path = "\(layout.writersFolder)/\(writer)"
            switch takeOver(path) {
            case nil: living.insert(writer[...])
            case false?: unlink(path)
            case true?: stopped.append(path)
            }
        }
        for file in files where !living.contains(file.prefix(idLength)) {
            unlink("\(layout.temporaryFolder)/\(file)")
        }
        return stopped
    }

    /// The number of characters in a UUID.
    private static let idLength = 36

    /// Whether a writer that has ended was dirty; `nil` if it is still running.
    private static func takeOver(_ path: String) -> Bool? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 0) != 1 || byte != 0
    }
}
