package import Foundation

/// A regular file open for reading.
///
/// Only regular files: a pipe or a device may never end.
package struct LocalFile: ~Copyable {
    package let path: String
    /// Its size when it was opened.
    package let byteCount: Int
    private let descriptor: Int32

    /// - Throws: ``TintypeError/Code/notFound`` or ``TintypeError/Code/unreadable``.
    package init(reading path: String) throws(TintypeError) {
        self.path = path
        // Without O_NONBLOCK, opening a pipe that no one writes to would wait for ever.
        descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { throw Self.failure(errno, path) }
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

    /// Up to `count` bytes from `offset` on; fewer only at the end of the file.
    package func read(_ count: Int, from offset: Int) throws(TintypeError) -> Data {
        var data = Data(count: count)
        var filled = 0
        while filled < count {
            let result = data.withUnsafeMutableBytes { buffer in
                pread(descriptor, buffer.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
            }
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw Self.failure(errno, path) }
            guard result > 0 else { break }
            filled += result
        }
        return filled == count ? data : data.prefix(filled)
    }

    /// The whole file in pieces.
    package func readAll(_ receive: (UnsafeRawBufferPointer) throws(TintypeError) -> Void) throws(TintypeError) {
        let piece = 256 << 10
        var offset = 0
        while true {
            let data = try read(piece, from: offset)
            guard !data.isEmpty else { return }
            try data.withTypedBytes(receive)
            offset += data.count
        }
    }

    /// Lets errors of `body` name this file.
    package func aboutItself(_ body: () throws(TintypeError) -> Void) throws(TintypeError) {
        do throws(TintypeError) { try body() } catch { throw error.about(path) }
    }

    private static func failure(_ number: Int32, _ path: String) -> TintypeError {
        let code: TintypeError.Code = number == ENOENT || number == ENOTDIR ? .notFound : .unreadable
        let reason = code == .notFound ? "no such file" : SystemError.description(number)
        return TintypeError(code, stage: .load, reason, subject: path)
    }
}
