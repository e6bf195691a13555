import Foundation

/// An open descriptor of the entries folder. The kernel resolves a relative path of three components faster than a full
/// one, and building it needs no string.
///
/// The folder may be removed or replaced while it is open. Writers then use another folder, and ``isCurrent(_:)`` is
/// `false`.
final class EntriesHandle: Sendable {
    private let descriptor: Int32

    /// Opens the folder. `nil` if it does not exist.
    init?(_ layout: CacheLayout) {
        descriptor = Foundation.open(layout.entriesFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Whether the path still leads to this folder.
    func isCurrent(_ layout: CacheLayout) -> Bool {
        FileIdentity(layout.entriesFolder).map { $0 == FileIdentity(descriptor) } ?? false
    }

    /// Opens a file for reading. Returns the descriptor, or −1 and sets `errno`.
    ///
    /// Leaves the access time unchanged, because the cache sets it itself. `O_NOATIME` fails for another user's file;
    /// it is then opened without. `O_NONBLOCK` keeps a named pipe from blocking the call.
    func open(_ name: EntryName) -> Int32 {
        name.withRelativePath { path in
            let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
            let result = openat(descriptor, path, flags | Self.noAccessTime)
            return result < 0 && errno == EPERM ? openat(descriptor, path, flags) : result
        }
    }

    /// Removes a file. Errors are ignored.
    func remove(_ name: EntryName) {
        _ = name.withRelativePath { unlinkat(descriptor, $0, 0) }
    }

    /// The size of a file in bytes, or `nil` if it does not exist.
    func byteCount(of name: EntryName) -> Int? {
        var status = stat()
        let result = name.withRelativePath { fstatat(descriptor, $0, &status, 0) }
        return result == 0 ? Int(status.st_size) : nil
    }

    /// `O_NOATIME`, which the Glibc module does not export. It has the same value on x86-64 and arm64.
    private static let noAccessTime: Int32 = 0o1_000_000
}

/// The identity of the file or folder behind a path or a descriptor.
struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// `nil` if the path leads to nothing.
    init?(_ path: String) {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        self.init(status)
    }

    init?(_ descriptor: Int32) {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        self.init(status)
    }

    private init(_ status: stat) {
        (device, inode) = (status.st_dev, status.st_ino)
    }
}
