import Crypto
import Foundation
import TintypeCore

/// The file of a body that is arriving, a step at a time, so that a process that is killed leaves what had arrived.
///
/// Bytes are written first and counted after it, so at every moment the file is whole up to what it counts.
struct PartialJournal: Sendable {
    /// A body is written for so much of it: 1 MB. Less is soon loaded again.
    static let step = 1 << 20

    /// Bytes of the body that are in the file.
    private(set) var count = 0
    private let file: OpenFile
    private let bodyStart: Int
    private var hash = SHA256()

    /// - Parameter empty: without bytes.
    /// - Throws: what the system says.
    init(_ empty: Partial, at path: String) throws {
        file = try OpenFile(making: path)
        let fields = PartialFile.fields(empty)
        hash.update(data: fields)
        let head = PartialFile.head(hash, count: 0)
        bodyStart = head.count + fields.count
        try file.write(head + fields, at: 0)
    }

    /// Blocks.
    func adding(_ data: Data) throws -> PartialJournal {
        try file.write(data, at: bodyStart + count)
        var journal = self
        journal.count += data.count
        journal.hash.update(data: data)
        try file.write(PartialFile.head(journal.hash, count: journal.count), at: 0)
        return journal
    }
}

/// A file that is open for writing. Closed with the last who uses it.
private final class OpenFile: Sendable {
    private let descriptor: Int32

    /// In place of what has that name: whoever writes to that goes on without a name.
    init(making path: String) throws {
        unlink(path)
        descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CocoaError(.fileWriteUnknown) }
    }

    deinit {
        close(descriptor)
    }

    func write(_ data: Data, at offset: Int) throws {
        try data.withUnsafeBytes { bytes in
            var rest = bytes[...]
            while !rest.isEmpty {
                let buffer = UnsafeRawBufferPointer(rebasing: rest)
                let count = pwrite(descriptor, buffer.baseAddress, buffer.count, off_t(offset + rest.startIndex))
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { throw CocoaError(.fileWriteOutOfSpace) }
                rest = rest.dropFirst(count)
            }
        }
    }
}
