import Foundation
import Tintype

/// Writes files atomically: without a name in the folder of the target, then under a temporary one, then renamed. A
/// failure leaves no file, and neither does a process that is killed, except between the last two steps.
enum OutputFile {
    /// Writes the file that the user names. A device or pipe, such as `/dev/stdout`, is written to instead of replaced.
    ///
    /// - Parameter followsLinks: Whether the file to which a symbolic link leads is replaced, instead of the link.
    /// - Throws: `TintypeError.Code.unwritable`.
    static func write(_ data: Data, to path: String, followsLinks: Bool = true) async throws(TintypeError) {
        try await onDisk(path) { () throws(POSIXError) in
            if isStream(path) { return try writeInPlace(data, to: path) }
            try replace(followsLinks ? try target(of: path) : path, with: data)
        }
    }

    /// Writes a file whose name comes from outside. Never follows a link of that name.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func writeUntrusted(_ data: Data, to path: String) async throws(TintypeError) {
        try await onDisk(path) { () throws(POSIXError) in try replace(path, with: data) }
    }

    /// Creates a directory and the directories above it, if they are missing.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func createDirectory(_ path: String) throws(TintypeError) {
        do {
            try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
        } catch {
            let posix = (error as? CocoaError)?.underlying as? POSIXError
            throw failure(posix ?? Self.error(errno), path)
        }
    }

    /// Creates the directories above a file, if they are missing.
    ///
    /// - Throws: `TintypeError.Code.unwritable`.
    static func createParent(of path: String) throws(TintypeError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        if access(directory, F_OK) != 0 { try createDirectory(directory) }
    }

    /// Removes the temporary files of writes that are running, for a process that is about to end. No others are
    /// created from now on.
    static func removeTemporaryFiles() {
        for _ in 0..<100 {
            let (paths, isIncomplete) = temporaryFiles.withLock { $0.close() }
            for path in paths { unlink(path) }
            guard isIncomplete else { return }
            // Files that are being created at this moment follow at once, unless the file system hangs.
            usleep(1000)
        }
    }

    private static let temporaryFiles = Locked(TemporaryFiles())

    // MARK: - System calls

    private static func onDisk(
        _ path: String, _ body: @escaping @Sendable () throws(POSIXError) -> Void
    ) async throws(TintypeError) {
        try await WorkQueue.disk.run(for: JobContext(priority: .normal)) { () throws(TintypeError) in
            do throws(POSIXError) { try body() } catch { throw failure(error, path) }
        }
    }

    private static func isStream(_ path: String) -> Bool {
        var facts = stat()
        guard stat(path, &facts) == 0 else { return false }
        return [S_IFCHR, S_IFIFO, S_IFSOCK].contains(facts.st_mode & S_IFMT)
    }

    private static func writeInPlace(_ data: Data, to path: String) throws(POSIXError) {
        let file = try descriptor(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY))
        try finish(file, data.withUnsafeBytes { $0.write(to: file) })
    }

    private static func replace(_ path: String, with data: Data) throws(POSIXError) {
        try replace(path) { file in data.withUnsafeBytes { $0.write(to: file) } }
    }

    /// Returns the path to which symbolic links lead, whether there is a file or not.
    private static func target(of path: String) throws(POSIXError) -> String {
        var path = path
        for _ in 0..<40 {
            guard let next = try? FileManager.default.destinationOfSymbolicLink(atPath: path) else { return path }
            let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
            path = next.hasPrefix("/") ? next : directory + next
        }
        throw error(ELOOP)
    }

    /// Gives a new file the mode of the regular file that it replaces, and the owner and group as far as permitted.
    private static func inheritPermissions(of path: String, to file: Int32) {
        var facts = stat()
        guard lstat(path, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else { return }
        if fchown(file, facts.st_uid, facts.st_gid) != 0 { _ = fchown(file, uid_t.max, facts.st_gid) }
        fchmod(file, facts.st_mode & 0o777)
    }

    /// Replaces a file, or a symbolic link.
    ///
    /// - Parameter write: Writes the contents to a descriptor. Returns 0 or the number of an error.
    static func replace(_ path: String, _ write: (Int32) -> Int32) throws(POSIXError) {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? "."
        // The temporary name does not contain the target's, which may already have the maximum length.
        let temporary = "\(directory == "." ? "" : directory).tintype-\(UUID().uuidString.prefix(8)).part"
        defer { temporaryFiles.withLock { $0.end(temporary) } }
        func writeLikeFormer(_ file: Int32) -> Int32 {
            inheritPermissions(of: path, to: file)
            return write(file)
        }
        if try !createUnnamed(temporary, in: String(directory), writeLikeFormer) {
            try createNamed(temporary, writeLikeFormer)
        }
        guard rename(temporary, path) != 0 else { return }
        let failure = error(errno)
        unlink(temporary)
        throw failure
    }

    /// Writes a file without a name, which then gets the temporary one.
    ///
    /// - Returns: `false` if the file system does not support that (open(2), `O_TMPFILE`), or there is no `/proc`.
    private static func createUnnamed(
        _ temporary: String, in directory: String, _ write: (Int32) -> Int32
    ) throws(POSIXError) -> Bool {
        let file = open(directory, O_WRONLY | O_CLOEXEC | SpillFile.withoutName, 0o666)
        guard file >= 0 else { return false }
        let number = write(file)
        let isLinked =
            number == 0
            && create(temporary) {
                linkat(AT_FDCWD, "/proc/self/fd/\(file)", AT_FDCWD, temporary, AT_SYMLINK_FOLLOW)
            } == 0
        try finish(file, number, isLinked ? temporary : nil)
        return isLinked
    }

    private static func createNamed(_ temporary: String, _ write: (Int32) -> Int32) throws(POSIXError) {
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try descriptor(create(temporary) { open(temporary, flags, 0o666) })
        try finish(file, write(file), temporary)
    }

    /// Creates the temporary file, which ``removeTemporaryFiles()`` removes from then on.
    ///
    /// - Returns: The result of `body`, or −1 with `ECANCELED` if the process is about to end.
    private static func create(_ temporary: String, _ body: () -> Int32) -> Int32 {
        guard temporaryFiles.withLock({ $0.begin(temporary) }) else {
            errno = ECANCELED
            return -1
        }
        let result = body()
        if result >= 0 { temporaryFiles.withLock { $0.didOpen(temporary) } }
        return result
    }

    /// Closes a file, which may report the failure of an earlier write. After a failure, removes the temporary file.
    ///
    /// - Parameter number: 0, or the number of the error that ended the writing.
    private static func finish(_ file: Int32, _ number: Int32, _ temporary: String? = nil) throws(POSIXError) {
        let isClosed = close(file) == 0
        guard number != 0 || !isClosed else { return }
        let failure = error(number != 0 ? number : errno)
        if let temporary { unlink(temporary) }
        throw failure
    }

    private static func descriptor(_ result: Int32) throws(POSIXError) -> Int32 {
        guard result >= 0 else { throw error(errno) }
        return result
    }

    private static func error(_ number: Int32) -> POSIXError {
        POSIXError(POSIXErrorCode(rawValue: number) ?? .EIO)
    }

    /// Returns the error of a system call as one about the file. A write that is not started because the process is
    /// ending counts as cancelled, not as a failure of its image.
    static func failure(_ error: POSIXError, _ path: String) -> TintypeError {
        guard error.code != .ECANCELED else { return .cancelled }
        return TintypeError(
            .unwritable, stage: .store, "cannot write: \(SystemError.description(error.code.rawValue))", subject: path,
            underlying: error)
    }
}
