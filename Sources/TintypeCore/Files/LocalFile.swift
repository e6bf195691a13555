package import Foundation

/// A regular file that is open for reading. A pipe or a device is refused, because it may never end.
package struct LocalFile: ~Copyable {
    /// The path that the file was opened by.
    package let path: String
    /// The size in bytes when the file was opened.
    package let byteCount: Int
    private let descriptor: Int32

    /// Opens a file. Blocks.
    ///
    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable``.
    package init(reading path: String) throws(TintypeError) {
        // Without O_NONBLOCK, opening a pipe without a writer would block forever.
        // `withCString`, because passing a string to a C function copies it.
        let descriptor = path.withCString { open($0, O_RDONLY | O_CLOEXEC | O_NONBLOCK) }
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
        try self.init(owning: descriptor, path: path)
    }

    /// Takes over an open file, and closes it when it is released or refused.
    ///
    /// - Parameter path: The path of the file, for messages.
    /// - Throws: ``TintypeError/Code/unreadable`` if it is not a regular file.
    package init(owning descriptor: Int32, path: String) throws(TintypeError) {
        self.path = path
        self.descriptor = descriptor
        var facts = stat()
        guard fstat(descriptor, &facts) == 0, facts.st_mode & S_IFMT == S_IFREG else {
            close(descriptor)
            throw TintypeError(.unreadable, stage: .load, "not a regular file", subject: path)
        }
        byteCount = Int(facts.st_size)
    }

    deinit {
        close(descriptor)
    }

    /// Reads `count` bytes from `offset` on, into memory that is not cleared before; fewer only at the end of the file.
    /// Blocks.
    ///
    /// - Throws: ``TintypeError/Code/unreadable``, or ``TintypeError/Code/outOfMemory``.
    package func read(_ count: Int, from offset: Int) throws(TintypeError) -> Data {
        // `malloc(0)` may return a null pointer.
        guard let memory = malloc(max(count, 1)) else {
            throw TintypeError(.outOfMemory, stage: .load, "no memory for \(count) bytes", subject: path)
        }
        var filled = 0
        while filled < count {
            let result = pread(descriptor, memory + filled, count - filled, off_t(offset + filled))
            if result < 0, errno == EINTR { continue }
            guard result >= 0 else {
                let error = Self.failure(errno, path)
                free(memory)
                throw error
            }
            guard result > 0 else { break }
            filled += result
        }
        return Data(bytesNoCopy: memory, count: filled, deallocator: .free)
    }

    /// Reads the whole file at once. Blocks.
    ///
    /// - Returns: `nil` if the file has grown since it was opened.
    /// - Throws: The errors of ``read(_:from:)``.
    func readUnchanged() throws(TintypeError) -> Data? {
        // One byte more, so that memory that is not filled shows the end of the file.
        let data = try read(byteCount + 1, from: 0)
        return data.count <= byteCount ? data : nil
    }

    /// Reads the whole file in pieces of at most 256 KB. Blocks.
    ///
    /// - Throws: The errors of ``read(_:from:)``, and those of `receive`.
    package func readAll(_ receive: (UnsafeRawBufferPointer) throws(TintypeError) -> Void) throws(TintypeError) {
        var offset = 0
        while true {
            // One byte more than is left, so that a piece that is not filled shows the end of the file.
            let count = min(256 << 10, max(byteCount - offset, 0) + 1)
            let data = try read(count, from: offset)
            if !data.isEmpty { try data.withTypedBytes(receive) }
            guard data.count == count else { return }
            offset += count
        }
    }

    /// Runs `body`. If `body` throws an error without a subject, the path of this file becomes the subject.
    package func naming(_ body: () throws(TintypeError) -> Void) throws(TintypeError) {
        do throws(TintypeError) { try body() } catch { throw error.about(path) }
    }

    private static func failure(_ number: Int32, _ path: String) -> TintypeError {
        let code: TintypeError.Code = number == ENOENT || number == ENOTDIR ? .notFound : .unreadable
        let reason = code == .notFound ? "no such file" : SystemError.description(number)
        return TintypeError(code, stage: .load, reason, subject: path)
    }
}
