package import Foundation

/// The beginning of a body, in a file.
struct Spilled: Sendable {
    let file: SpillFile
    /// The number of bytes in the file.
    let count: Int

    init() throws(TintypeError) {
        file = try SpillFile(in: SpillFile.folder)
        count = 0
    }

    init(file: SpillFile, count: Int) {
        self.file = file
        self.count = count
    }

    func adding(_ data: Data) throws(TintypeError) -> Spilled {
        try file.write(data, at: count)
        return Spilled(file: file, count: count + data.count)
    }

    /// Returns a copy of some of the bytes; `nil` if there is not enough memory, or the file cannot be read.
    func bytes(_ range: Range<Int>) -> Data? {
        guard !range.isEmpty else { return Data() }
        guard let memory = malloc(range.count) else { return nil }
        let buffer = UnsafeMutableRawBufferPointer(start: memory, count: range.count)
        guard file.read(into: buffer, at: range.lowerBound) == range.count else {
            free(memory)
            return nil
        }
        // Only now: `Data` copies a few bytes at once, and frees the memory.
        return Data(bytesNoCopy: memory, count: range.count, deallocator: .free)
    }
}

/// A file without a name that holds the beginning of a body that is too large for memory. It is deleted when its last
/// reference is released.
///
/// Only its transfer writes to it, and only appends. No other process can reach it. Mapped bytes therefore never
/// change.
package final class SpillFile: Sendable {
    private let descriptor: Int32

    /// Creates a file. Blocks.
    ///
    /// - Parameter folder: A directory on a disk, not in memory.
    /// - Throws: ``TintypeError/Code/unwritable``.
    package init(in folder: String) throws(TintypeError) {
        let unnamed = open(folder, O_RDWR | O_CLOEXEC | Self.withoutName, 0o600)
        descriptor = unnamed >= 0 ? unnamed : Self.createAndUnlink(in: folder)
        guard descriptor >= 0 else { throw Self.failure(folder) }
    }

    /// Creates a file and removes its name, for file systems without files that never had one. A process that is killed
    /// in between leaves an empty file.
    private static func createAndUnlink(in folder: String) -> Int32 {
        var path = Array("\(folder)/tintype-XXXXXX".utf8CString)
        let descriptor = mkstemp(&path)
        guard descriptor >= 0 else { return descriptor }
        // Child processes must not inherit the descriptor.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
        return descriptor
    }

    /// `O_TMPFILE`, which the Glibc module does not export: a directory flag and a bit of its own (open(2)).
    package static let withoutName = O_DIRECTORY | 0o20_000_000

    deinit {
        close(descriptor)
    }

    /// Writes bytes at an offset. Blocks.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    package func write(_ data: Data, at offset: Int) throws(TintypeError) {
        try data.withTypedBytes { bytes throws(TintypeError) in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let count = pwrite(descriptor, rest.baseAddress, rest.count, off_t(offset + written))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure("a temporary file") }
                written += count
            }
        }
    }

    /// Maps the first `count` bytes: the system reads them as they are used, and may evict them again.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func map(_ count: Int) throws(TintypeError) -> Data {
        guard count > 0 else { return Data() }
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw TintypeError(.outOfMemory, stage: .load, "\(count) bytes cannot be mapped")
        }
        return Data(bytesNoCopy: start, count: count, deallocator: .unmap)
    }

    /// Reads bytes from an offset on into the caller's buffer. Blocks.
    ///
    /// - Returns: The number of bytes read. It is less than the size of `buffer` at the end of the file, or if the file
    ///   cannot be read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(offset + filled))
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { break }
            filled += count
        }
        return filled
    }

    /// The directory for spill files: `TMPDIR`, or else `/var/tmp` (FHS 3.0, 5.15), which is on a disk even if `/tmp`
    /// is in memory.
    package static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["TMPDIR"], !named.isEmpty { return named }
        return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
    }()

    private static func failure(_ subject: String) -> TintypeError {
        TintypeError(.unwritable, stage: .load, SystemError.description(errno), subject: subject)
    }
}
