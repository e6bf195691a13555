import Crypto
import Foundation

/// The form in which an interrupted transfer is kept: a line of version and checksum, a line each for place,
/// validator and total, an empty line, the bytes.
///
/// It names no URL but by digests, since it may hold secrets.
enum PartialFile {
    private static let version = "tintype-partial 1"

    static func encode(_ partial: Partial) -> Data {
        let total = partial.total.map(String.init) ?? "-"
        let fields = "\(partial.place)\n\(partial.validator.value)\n\(total)\n\n"
        let body = Data(fields.utf8) + partial.data
        return Data("\(version) \(digest(body))\n".utf8) + body
    }

    /// `nil` for what is damaged.
    static func decode(_ file: Data) -> Partial? {
        guard let (head, body) = line(file), head == "\(version) \(digest(body))", let (place, facts) = line(body),
            let (validator, rest) = line(facts), let (total, end) = line(rest), let (empty, data) = line(end),
            empty.isEmpty, !data.isEmpty
        else { return nil }
        return Partial(
            place: place, validator: PartialValidator(value: validator), total: Int(total), data: Data(data))
    }

    /// The name of the file for what is asked: collision free, and nothing can be read from it.
    static func name(_ request: DownloadRequest) -> String {
        digest(
            Data(
                ([request.method, request.url.absoluteString] + request.headers.canonical).joined(separator: "\n").utf8)
        )
    }

    static func digest(of url: URL) -> String { digest(Data(url.absoluteString.utf8)) }

    static func digest(_ data: some DataProtocol) -> String {
        SHA256.hash(data: data).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// The first line and what follows it. Fields are short; a file without line breaks is not searched to its end.
    private static func line(_ data: Data) -> (String, Data)? {
        guard let end = data.prefix(4096).firstIndex(of: UInt8(ascii: "\n")) else { return nil }
        return (String(decoding: data[..<end], as: UTF8.self), data[(end + 1)...])
    }
}
