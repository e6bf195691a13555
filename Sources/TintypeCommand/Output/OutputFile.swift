import Foundation
import Tintype

/// Writes files atomically: under a temporary name next to the target, then renamed, so that a failure leaves no file.
enum OutputFile {
    /// Writes the file that the user names. A device or pipe, such as `/dev/stdout`, is written to instead of replaced.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    static func write(_ data: Data, to path: String) async throws(TintypeError) {
        try await onDisk(path) { () throws(POSIXError) in
            if isStream(path) { try writeInPlace(data, to: path) } else { try replace(path, with: data) }
        }
    }

    /// Writes a file whose name comes from outside. Never follows a link of that name.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    static func writeUntrusted(_ data: Data, to path: String) async throws(TintypeError) {
        try await onDisk(path) { () throws(POSIXError) in try replace(path, with: data) }
    }

    /// Creates a directory and the directories above it, if they are missing.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
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
    /// - Throws: ``TintypeError/Code/unwritable``.
    static func createParent(of path: String) throws(TintypeError) {
        guard let slash = path.lastIndex(of: "/"), slash != path.startIndex else { return }
        let directory = String(path[..<slash])
        if access(directory, F_OK) != 0 { try createDirectory(directory) }
    }

    /// Removes the temporary files of writes that are running, for a process that is about to end. No others are created
    /// from now on.
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
        try write(data, to: try descriptor(open(path, O_WRONLY | O_CLOEXEC | O_NOCTTY)))
    }

    private static func replace(_ path: String, with data: Data) throws(POSIXError) {
        let directory = path.lastIndex(of: "/").map { path[...$0] } ?? ""
        // The temporary name does not contain the target's, which may already have the maximum length.
        let temporary = "\(directory).tintype-\(UUID().uuidString.prefix(8)).part"
        // The process is about to end.
        guard temporaryFiles.withLock({ $0.begin(temporary) }) else { throw error(ECANCELED) }
        defer { temporaryFiles.withLock { $0.end(temporary) } }
        let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC
        let file = try descriptor(open(temporary, flags, 0o666))
        temporaryFiles.withLock { $0.didOpen(temporary) }
        do throws(POSIXError) {
            try write(data, to: file)
            try check(rename(temporary, path) == 0)
        } catch {
            unlink(temporary)
            throw error
        }
    }

    /// Writes all bytes and closes the descriptor, which may report the failure of an earlier write.
    private static func write(_ data: Data, to descriptor: Int32) throws(POSIXError) {
        let number = data.withUnsafeBytes { $0.write(to: descriptor) }
        let isClosed = close(descriptor) == 0
        guard number == 0 else { throw error(number) }
        try check(isClosed)
    }

    private static func descriptor(_ result: Int32) throws(POSIXError) -> Int32 {
        try check(result >= 0)
        return result
    }

    /// Throws the error of the last system call unless it succeeded.
    private static func check(_ hasSucceeded: Bool) throws(POSIXError) {
        guard !hasSucceeded else { return }
        throw error(errno)
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
