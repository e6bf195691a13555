package import Foundation

/// A small file with secrets, which only this user may read, and which is replaced as a whole.
///
/// All calls block.
package struct PrivateFile: Sendable {
    /// The path of the file.
    package let path: String

    /// Creates a value for a file, without touching the disk.
    package init(_ path: String) {
        self.path = path
    }

    /// Returns the contents of the file, or `nil` if there is none. Other users lose the permission to read it.
    ///
    /// - Parameter limit: The largest size that is read, in bytes.
    /// - Throws: ``TintypeError/Code/unreadable``, also for a symbolic link, for a file that another user owns or may
    ///   write to, and for a file larger than `limit`.
    package func read(limit: Int) throws(TintypeError) -> Data? {
        let descriptor = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            guard number != ENOENT, number != ENOTDIR else { return nil }
            throw unreadable(number == ELOOP ? "it is a symbolic link" : SystemError.description(number))
        }
        if let problem = takePossession(of: descriptor) {
            close(descriptor)
            throw unreadable(problem)
        }
        let file = try LocalFile(owning: descriptor, path: path)
        guard file.byteCount <= limit else { throw unreadable("it has more than \(limit) bytes") }
        return try file.read(file.byteCount, from: 0)
    }

    /// Refuses a file that another user may have written. For any other file, removes the permissions of other users.
    ///
    /// - Returns: The reason for the refusal; `nil` if the file is accepted.
    private func takePossession(of descriptor: Int32) -> String? {
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return SystemError.description(errno) }
        if let problem = FolderRule.own.problem(owner: status.st_uid, mode: status.st_mode, user: geteuid()) {
            if case .foreign(let owner) = problem { return "user \(owner) owns it; name a file of your own" }
            return "other users may write to it; remove it, or forbid that (chmod go-w)"
        }
        // Fails for a file of the superuser, which then stays as it is.
        if status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 { fchmod(descriptor, 0o600) }
        return nil
    }

    /// Replaces the contents of the file, or creates it: writes a new file, and renames it when its bytes are on the
    /// disk.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``. The former contents are then unchanged.
    package func replace(with data: Data) throws(TintypeError) {
        let temporary = "\(path).\(UUID().uuidString)"
        let descriptor = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw unwritable(errno) }
        var problem = data.withUnsafeBytes { $0.write(to: descriptor) }
        // Otherwise, the file may be empty after a power cut. EINVAL: the file system does not support it.
        if problem == 0, fsync(descriptor) != 0, errno != EINVAL { problem = errno }
        close(descriptor)
        if problem == 0, rename(temporary, path) != 0 { problem = errno }
        guard problem != 0 else { return }
        unlink(temporary)
        throw unwritable(problem)
    }

    /// Removes the new files that killed processes have left beside this one, under the names that ``replace(with:)``
    /// gives them.
    ///
    /// - Parameters:
    ///   - age: The age that a file must have, in seconds.
    ///   - now: The time of the call.
    package func removeAbandoned(olderThan age: TimeInterval, at now: Date) {
        let url = URL(filePath: path)
        let (folder, prefix) = (url.deletingLastPathComponent(), url.lastPathComponent + ".")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path(percentEncoded: false))) ?? []
        for name in names where name.hasPrefix(prefix) && UUID(uuidString: String(name.dropFirst(prefix.count))) != nil
        {
            let file = folder.appending(path: name).path(percentEncoded: false)
            var status = stat()
            guard lstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == geteuid(),
                now.timeIntervalSince1970 - Double(status.st_mtim.tv_sec) > age
            else { continue }
            unlink(file)
        }
    }

    private func unreadable(_ reason: String) -> TintypeError {
        TintypeError(.unreadable, stage: .load, reason, subject: path)
    }

    private func unwritable(_ number: Int32) -> TintypeError {
        TintypeError(.unwritable, stage: .store, SystemError.description(number), subject: path)
    }
}
