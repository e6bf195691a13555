package import Foundation
import Synchronization

/// The beginning of a body, in a file.
struct Spilled: Sendable {
    let file: SpillFile
    /// The number of bytes in the file.
    let count: Int

    init(file: SpillFile, count: Int) {
        self.file = file
        self.count = count
    }

    /// Appends bytes.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    func adding(_ data: Data) throws(TintypeError) -> Spilled {
        try file.write(data, at: count)
        return Spilled(file: file, count: count + data.count)
    }

    /// Returns a copy in the folder for spill files of no cache.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    func movedFromCache() throws(TintypeError) -> Spilled {
        var moved = Spilled(file: try SpillFile(in: SpillFile.folder), count: 0)
        while moved.count < count {
            guard let piece = bytes(moved.count..<min(count, moved.count + 1 << 20)) else {
                throw TintypeError(.unwritable, stage: .load, "a temporary file cannot be read")
            }
            moved = try moved.adding(piece)
        }
        return moved
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
/// reference is released, unless a cache has given it a name: see ``claim()``.
///
/// Only its transfer writes bytes to it, and only appends. No other process can reach it before it has a name. Mapped
/// bytes therefore never change.
package final class SpillFile: Sendable {
    /// The position of the bytes in the file. A cache writes its header before them.
    package static let bytesOffset = 16 << 10

    private let descriptor: Int32
    private let isClaimed = Atomic(false)
    /// Sees the bytes that are written, for the cache in whose folder the file is; `nil` if it is in no cache's.
    package let follower: (any SpillFollower)?

    /// Takes over an open file without a name in the folder of a cache.
    package init(_ descriptor: Int32, follower: any SpillFollower) {
        self.descriptor = descriptor
        self.follower = follower
    }

    /// Creates a file. Blocks.
    ///
    /// - Parameter folder: A directory on a disk, not in memory.
    /// - Throws: ``TintypeError/Code/unwritable``.
    package init(in folder: String) throws(TintypeError) {
        let unnamed = open(folder, O_RDWR | O_CLOEXEC | Self.withoutName, 0o600)
        descriptor = unnamed >= 0 ? unnamed : Self.createAndUnlink(in: folder)
        follower = nil
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

    /// Lets a caller write a header and give the file a name. Only the first call succeeds: afterwards the file belongs
    /// to a cache, and others can only read it.
    ///
    /// - Returns: The descriptor, which stays open as long as this object.
    package func claim() -> Int32? { isClaimed.exchange(true, ordering: .relaxed) ? nil : descriptor }

    /// Undoes ``claim()`` of a caller that has changed nothing.
    package func returnClaim() { isClaimed.store(false, ordering: .relaxed) }

    /// Writes bytes at an offset from the first byte. Blocks.
    ///
    /// - Throws: ``TintypeError/Code/unwritable``.
    package func write(_ data: Data, at offset: Int) throws(TintypeError) {
        try data.withTypedBytes { bytes throws(TintypeError) in
            var written = 0
            while written < bytes.count {
                let rest = UnsafeRawBufferPointer(rebasing: bytes[written...])
                let position = off_t(Self.bytesOffset + offset + written)
                let count = pwrite(descriptor, rest.baseAddress, rest.count, position)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw Self.failure("a temporary file") }
                written += count
            }
            follower?.didWrite(bytes, at: offset)
        }
    }

    /// Maps the first `count` bytes: the system reads them as they are used, and may evict them again.
    ///
    /// - Throws: ``TintypeError/Code/outOfMemory``.
    package func map(_ count: Int) throws(TintypeError) -> Data {
        guard count > 0 else { return Data() }
        // From the start of the file, because the offset of a mapping is a multiple of the page size.
        let length = Self.bytesOffset + count
        guard let start = mmap(nil, length, PROT_READ, MAP_PRIVATE, descriptor, 0), start != MAP_FAILED else {
            throw TintypeError(.outOfMemory, stage: .load, "\(count) bytes cannot be mapped")
        }
        return Data(
            bytesNoCopy: start + Self.bytesOffset, count: count, deallocator: .custom { _, _ in munmap(start, length) })
    }

    /// Reads bytes from an offset on into the caller's buffer. Blocks.
    ///
    /// - Returns: The number of bytes read. It is less than the size of `buffer` at the end of the file, or if the file
    ///   cannot be read.
    package func read(into buffer: UnsafeMutableRawBufferPointer, at offset: Int) -> Int {
        var filled = 0
        while filled < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[filled...])
            let count = pread(descriptor, rest.baseAddress, rest.count, off_t(Self.bytesOffset + offset + filled))
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

/// Sees the bytes of a ``SpillFile``, so that a cache has their checksum without reading them again.
package protocol SpillFollower: AnyObject, Sendable {
    /// Called after bytes were written, by one thread at a time.
    ///
    /// - Parameter offset: The offset from the first byte of the body.
    func didWrite(_ bytes: UnsafeRawBufferPointer, at offset: Int)
}
