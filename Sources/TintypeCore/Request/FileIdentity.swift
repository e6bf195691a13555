import Foundation

/// What distinguishes the images of local files in caches.
public enum FileIdentity: Hashable, Sendable {
    /// The path alone. A file that changed is still shown as it was, until the caches drop its image.
    case path
    /// The path, the time of the last modification and the size. A file that changed is another image.
    ///
    /// Each request for a file reads these from the file system, on the caller's thread. That takes microseconds on a local
    /// disk, and may wait on a network file system.
    case modification
}

extension ImageRequest {
    /// Whether disk caches may have renditions of the source: not of a local file, unless the policy wants that and the key
    /// changes with the file.
    var mayBeOnDisk: Bool {
        source.isWorthKeepingOnDisk
            || policy.localFiles == .disk && source.expectedOrigin == .file && isIdentifiedByModification
    }

    /// Whether the key has the form that ``identifiedByModification()`` gives it. The program or a ``CacheKeyFilter`` may have
    /// set another identity, which does not change with the file.
    private var isIdentifiedByModification: Bool { identity?.hasPrefix("\(source.identity)\nmodified ") ?? false }

    /// Returns the request with the time of modification and the size of its file in the identity. A request for anything
    /// else, for a file that does not exist, or with an identity of its own is returned unchanged. Blocks.
    func identifiedByModification() -> ImageRequest {
        guard isForFile, let path = source.url?.path(percentEncoded: false) else { return self }
        var facts = stat()
        guard stat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return self }
        let (time, size) = (facts.st_mtim, facts.st_size)
        return with { $0.identity = "\(source.identity)\nmodified \(time.tv_sec).\(time.tv_nsec) size \(size)" }
    }
}
