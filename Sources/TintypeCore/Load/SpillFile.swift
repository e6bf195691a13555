package import Foundation

/// A file without a name that holds the beginning of a body too large for memory. Gone with the last who uses it.
///
/// Only its own transfer writes to it, and no one else can reach it: so a mapping of it stays as it is.
package final class SpillFile: Sendable {
    private let descriptor: Int32

    /// - Parameter folder: on a disk, not in memory.
    /// - Throws: ``TintypeError/Code/unwritable``.
    package init(in folder: String) throws(TintypeError) {
        var path = Array("\(folder)/tintype-XXXXXX".utf8CString)
        descriptor = mkstemp(&path)
        guard descriptor >= 0 else { throw Self.failure(folder) }
        // A program that this one starts has no use for it.
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        unlink(path)
    }

    deinit {
        close(descriptor)
    }

    /// Writes at a place. Blocks.
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

    /// The first `count` bytes, without a copy: the system brings them in as they are read, and may take them out again.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func map(_ count: Int) throws(TintypeError) -> Data {
        guard count > 0 else { return Data() }
        guard let start = mmap(nil, count, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw TintypeError(.outOfMemory, stage: .load, "\(count) bytes cannot be mapped")
        }
        return Data(bytesNoCopy: start, count: count, deallocator: .unmap)
    }

    /// Copies bytes from a place on into memory that is there already. Blocks.
    ///
    /// - Returns: how many; fewer than there is room for at the end of the file, or when it cannot be read.
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

    /// A folder that lies on a disk even where `/tmp` is memory: `TMPDIR`, or else `/var/tmp` (FHS 3.0, 5.15).
    package static let folder: String = {
        if let named = ProcessInfo.processInfo.environment["TMPDIR"], !named.isEmpty { return named }
        return access("/var/tmp", W_OK) == 0 ? "/var/tmp" : "/tmp"
    }()

    private static func failure(_ subject: String) -> TintypeError {
        TintypeError(.unwritable, stage: .load, SystemError.description(errno), subject: subject)
    }
}
