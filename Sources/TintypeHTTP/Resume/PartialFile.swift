import Foundation
import TintypeCore

/// The file format of a ``PartialBody``.
///
/// The first line holds the version, the SHA-256 digest and the number of bytes of the body; the next three hold the
/// digest of the URL, the validator and the total. An empty line and the bytes follow.
///
/// The first line has a fixed length, so that it can be overwritten after more bytes were appended. Bytes beyond the
/// number in the first line are ignored. The file names URLs only by their digests, since they may hold secrets.
enum PartialFile {
    private static let version = "tintype-partial 2"

    /// Returns the lines between the first line and the bytes.
    static func fields(_ partial: PartialBody) -> Data {
        let total = partial.total.map(String.init) ?? "-"
        return Data("\(partial.urlDigest)\n\(partial.validator.value)\n\(total)\n\n".utf8)
    }

    /// Returns the first line.
    ///
    /// - Parameters:
    ///   - hash: The hash of the fields and the bytes.
    ///   - count: The number of bytes.
    static func head(_ hash: SHA256Digest, count: Int) -> Data {
        let digits = String(count)
        let zeros = String(repeating: "0", count: 19 - digits.count)
        return Data("\(version) \(hash.hexadecimal) \(zeros)\(digits)\n".utf8)
    }

    /// Returns the partial body in a file; `nil` when the file is damaged or has no bytes. Does not copy the bytes.
    static func decode(_ file: Data) -> PartialBody? {
        guard let (head, body) = splitLine(file), let count = head.split(separator: " ").last.flatMap({ Int($0) }),
            count > 0, let (urlDigest, rest1) = splitLine(body), let (validator, rest2) = splitLine(rest1),
            let (total, rest3) = splitLine(rest2), let (empty, data) = splitLine(rest3), empty.isEmpty,
            data.count >= count
        else { return nil }
        var hash = SHA256Digest()
        hash.update(body[..<(data.startIndex + count)])
        guard self.head(hash, count: count) == Data("\(head)\n".utf8) else { return nil }
        return PartialBody(
            urlDigest: urlDigest, validator: StrongValidator(value: validator), total: Int(total),
            data: data.prefix(count))
    }

    /// The maximum length of what precedes the bytes: five lines of at most 4096 bytes.
    static let maximumHeadLength = 5 * maximumLineLength
    private static let maximumLineLength = 4096

    /// Whether bytes are the beginning of a file in this format, or in another version of it. A process that is killed
    /// may leave an empty file.
    static func isBeginning(_ bytes: Data) -> Bool { bytes.isEmpty || bytes.starts(with: magic) }

    /// The number of bytes that ``isBeginning(_:)`` needs.
    static let magicLength = magic.count
    private static let magic = Data("tintype-partial ".utf8)

    /// Whether a file in the folder can be one of ours: its name is a digest in lowercase hexadecimal.
    static func isName(_ name: String) -> Bool {
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        let letters = UInt8(ascii: "a")...UInt8(ascii: "f")
        return name.utf8.count == 64 && name.utf8.allSatisfy { digits.contains($0) || letters.contains($0) }
    }

    /// The name of a complete file while it is being written.
    static func temporaryName(_ name: String) -> String { name + temporarySuffix }

    /// Whether a file in the folder can be one of ours that is being written.
    static func isTemporaryName(_ name: String) -> Bool {
        name.hasSuffix(temporarySuffix) && isName(String(name.dropLast(temporarySuffix.count)))
    }

    private static let temporarySuffix = ".new"

    /// The name of the file for a request: a digest, so that names do not collide and reveal nothing.
    static func name(_ request: DownloadRequest) -> String {
        let parts = [request.method, request.url.absoluteString] + request.headers.canonical
        return digest(Data(parts.joined(separator: "\n").utf8))
    }

    static func digest(of url: URL) -> String { digest(Data(url.absoluteString.utf8)) }

    /// Returns the SHA-256 digest in lowercase hexadecimal.
    static func digest(_ data: Data) -> String { SHA256Digest.hexadecimal(of: data) }

    /// Returns the first line and the data after it. Searches for the line break only within the maximum length of a
    /// line.
    private static func splitLine(_ data: Data) -> (String, Data)? {
        guard let end = data.prefix(maximumLineLength).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return (String(decoding: data[..<end], as: UTF8.self), data[(end + 1)...])
    }
}

/// The file of a body that is arriving, written one step at a time, so that a killed process leaves the bytes that had
/// arrived.
///
/// Bytes are written before the first line counts them, so the file is valid at every moment.
struct PartialJournal: Sendable {
    /// The number of arriving bytes between two writes: 1 MB. Requesting fewer bytes again is fast.
    static let step = 1 << 20

    /// The number of bytes of the body that are in the file.
    private(set) var count = 0
    private let file: OpenFile
    private let bodyStart: Int
    private var hash = SHA256Digest()

    /// Creates the file, and replaces one of the same name.
    ///
    /// - Parameter empty: The partial body without its bytes.
    /// - Throws: A `CocoaError` when the file cannot be written.
    init(_ empty: PartialBody, as name: String, in folder: PartialFolder) throws {
        file = try OpenFile(creating: name, in: folder)
        let fields = PartialFile.fields(empty)
        hash.update(fields)
        let head = PartialFile.head(hash, count: 0)
        bodyStart = head.count + fields.count
        try file.write(head + fields, at: 0)
    }

    /// Writes more bytes of the body, and returns the journal that counts them. Blocks.
    ///
    /// - Throws: A `CocoaError` when the file cannot be written.
    func appending(_ data: Data) throws -> PartialJournal {
        try file.write(data, at: bodyStart + count)
        var journal = self
        journal.count += data.count
        journal.hash.update(data)
        try file.write(PartialFile.head(journal.hash, count: journal.count), at: 0)
        return journal
    }
}

/// A file that is open for writing. Its descriptor is closed when this object is released.
private final class OpenFile: Sendable {
    private let descriptor: Int32

    /// Creates a new file in place of one with that name. A process that still writes to the old file continues with an
    /// unnamed file.
    init(creating name: String, in folder: PartialFolder) throws {
        folder.remove(name)
        descriptor = folder.create(name)
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
