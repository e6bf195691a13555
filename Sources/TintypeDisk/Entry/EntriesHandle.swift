import Foundation

/// The folder of entries, held open: a path of three parts is found faster than one of ten, and needs no string.
///
/// It may be removed or moved away while it is held; then it is no longer what writers see, and ``isCurrent(_:)`` says so.
final class EntriesHandle: Sendable {
    private let descriptor: Int32

    /// `nil` when there is no such folder.
    init?(_ layout: CacheLayout) {
        descriptor = Foundation.open(layout.entriesFolder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
    }

    deinit {
        close(descriptor)
    }

    /// Whether it still is the folder in the directory.
    func isCurrent(_ layout: CacheLayout) -> Bool {
        FileIdentity(layout.entriesFolder).map { $0 == FileIdentity(descriptor) } ?? false
    }

    /// A descriptor for reading, or −1 and `errno`.
    ///
    /// Without changing the time of access, which is ours to set; where that is not allowed, since the file is another
    /// user's, with. A pipe does not make it wait.
    func open(_ name: EntryName) -> Int32 {
        name.withRelativePath { path in
            let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK
            let result = openat(descriptor, path, flags | Self.noAccessTime)
            return result < 0 && errno == EPERM ? openat(descriptor, path, flags) : result
        }
    }

    func remove(_ name: EntryName) {
        _ = name.withRelativePath { unlinkat(descriptor, $0, 0) }
    }

    /// `nil` when it is not there.
    func byteCount(of name: EntryName) -> Int? {
        var facts = stat()
        let status = name.withRelativePath { fstatat(descriptor, $0, &facts, 0) }
        return status == 0 ? Int(facts.st_size) : nil
    }

    /// `O_NOATIME`, which Glibc's module does not show; the same on x86-64 and arm64.
    private static let noAccessTime: Int32 = 0o1_000_000
}

/// Which file or folder a path leads to now, or a descriptor did when it was opened.
struct FileIdentity: Equatable, Sendable {
    private let device: dev_t
    private let inode: ino_t

    /// `nil` when there is nothing at the path.
    init?(_ path: String) {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return nil }
        self.init(facts)
    }

    init?(_ descriptor: Int32) {
        var facts = stat()
        guard fstat(descriptor, &facts) == 0 else { return nil }
        self.init(facts)
    }

    private init(_ facts: stat) {
        (device, inode) = (facts.st_dev, facts.st_ino)
    }
}
