import Foundation

/// The sign of one cache that writes to a directory: a file that it holds a lock on for as long as it lives, and that
/// says whether entries may have been written of which the index does not know yet.
///
/// So whoever comes after a process that was stopped in the middle knows that it was, without looking at the entries.
final class WriterMark: Sendable {
    /// The name of the file; temporary files of this writer begin with it.
    let id: String
    private let path: String
    private let descriptor: Int32

    init(_ layout: CacheLayout) throws(DiskFailure) {
        id = UUID().uuidString
        path = "\(layout.writersFolder)/\(id)"
        try layout.makeFolder(layout.temporaryFolder)
        try layout.makeFolder(layout.writersFolder)
        descriptor = try Self.make(id, layout)
    }

    /// Made under another name and renamed when the lock is held, so that no one takes it for one without owner. Whoever
    /// clears up may take the other name away just then; then it is made again.
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

    /// Whether it still is the file in the directory, which someone may have removed or moved away.
    var isCurrent: Bool { FileIdentity(path).map { $0 == FileIdentity(descriptor) } ?? false }

    /// Says whether the index may not know of everything that was written or removed: then the sign is empty, for which
    /// the fullest disk has room. Where it has none for the byte that says otherwise, the next one looks in vain.
    func set(isDirty: Bool) {
        if isDirty { _ = ftruncate(descriptor, 0) } else { _ = withUnsafeBytes(of: UInt8(0), write) }
    }

    private func write(_ bytes: UnsafeRawBufferPointer) -> Int { pwrite(descriptor, bytes.baseAddress, bytes.count, 0) }

    /// Clears up after writers that are gone: their temporary files, and the signs of those that were done.
    ///
    /// - Returns: the signs of those that were stopped in the middle, which stay until the index is known to be behind.
    static func recover(_ layout: CacheLayout) -> [String] {
        // In this order: a writer has its sign before it has other files. One whose sign is in the making makes it again.
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

    /// Characters of a UUID.
    private static let idLength = 36

    /// Whether a writer that is gone was in the middle; `nil` if it is not gone.
    private static func takeOver(_ path: String) -> Bool? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return errno == ENOENT ? false : nil }
        defer { close(descriptor) }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else { return nil }
        var byte: UInt8 = 0
        return pread(descriptor, &byte, 1, 0) != 1 || byte != 0
    }
}
