import Crypto
import Foundation
import TintypeCore

/// The form in which an interrupted transfer is kept: a line of version, checksum and count, a line each for place,
/// validator and total, an empty line, and so many bytes.
///
/// The first line is always as long, so that it can be written anew behind what was added: what follows the bytes that it
/// counts does not count. It names no URL but by digests, since it may hold secrets.
enum PartialFile {
    private static let version = "tintype-partial 2"

    static func encode(_ partial: Partial) -> Data {
        let fields = fields(partial)
        var hash = SHA256()
        hash.update(data: fields)
        hash.update(data: partial.data)
        return head(hash, count: partial.data.count) + fields + partial.data
    }

    /// What stands between the first line and the bytes.
    static func fields(_ partial: Partial) -> Data {
        let total = partial.total.map(String.init) ?? "-"
        return Data("\(partial.place)\n\(partial.validator.value)\n\(total)\n\n".utf8)
    }

    /// The first line.
    ///
    /// - Parameter hash: of the fields and the bytes.
    static func head(_ hash: SHA256, count: Int) -> Data {
        let digits = String(count)
        let zeros = String(repeating: "0", count: 19 - digits.count)
        return Data("\(version) \(hex(hash.finalize())) \(zeros)\(digits)\n".utf8)
    }

    /// `nil` for what is damaged.
    static func decode(_ file: Data) -> Partial? {
        guard let (head, body) = line(file), let count = head.split(separator: " ").last.flatMap({ Int($0) }),
            count > 0, let (place, facts) = line(body), let (validator, rest) = line(facts),
            let (total, end) = line(rest), let (empty, data) = line(end), empty.isEmpty, data.count >= count
        else { return nil }
        var hash = SHA256()
        hash.update(data: body[..<(data.startIndex + count)])
        guard self.head(hash, count: count) == Data("\(head)\n".utf8) else { return nil }
        return Partial(
            place: place, validator: PartialValidator(value: validator), total: Int(total),
            data: Data(data.prefix(count)))
    }

    /// The name of the file for what is asked: collision free, and nothing can be read from it.
    static func name(_ request: DownloadRequest) -> String {
        let parts = [request.method, request.url.absoluteString] + request.headers.canonical
        return digest(Data(parts.joined(separator: "\n").utf8))
    }

    static func digest(of url: URL) -> String { digest(Data(url.absoluteString.utf8)) }

    static func digest(_ data: some DataProtocol) -> String { hex(SHA256.hash(data: data)) }

    private static func hex(_ digest: SHA256Digest) -> String {
        digest.map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// The first line and what follows it. Fields are short; a file without line breaks is not searched to its end.
    private static func line(_ data: Data) -> (String, Data)? {
        guard let end = data.prefix(4096).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return (String(decoding: data[..<end], as: UTF8.self), data[(end + 1)...])
    }
}

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
