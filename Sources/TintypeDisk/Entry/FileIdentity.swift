import Foundation

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
