import Crypto
import Foundation
import TintypeCore

/// The file name of an entry: the SHA-256 of its key.
///
/// That of an original is the SHA-256 of its URL, so a shell finds it too: `printf %s URL | sha256sum`. Keys come from
/// outside, so no part of one ever becomes part of a path.
struct EntryName: Hashable, Sendable {
    /// 64 hexadecimal digits.
    let text: String

    init(_ key: CacheKey) {
        var hash = SHA256()
        hash.update(data: Data(key.source.utf8))
        if !key.isOriginal {
            hash.update(data: [0x1F])
            hash.update(data: Data(key.rendition.utf8))
        }
        text = Self.hexadecimal(hash.finalize())
    }

    /// A name found in a directory; `nil` when no entry has such a name.
    init?(_ text: String) {
        guard text.utf8.count == 64, text.utf8.allSatisfy({ Self.digits.contains($0) }) else { return nil }
        self.text = text
    }

    /// Relative to the directory of entries: `ab/cd/abcd…`.
    var path: String { "\(folder)/\(text)" }

    /// Two levels of 256 folders, so that none grows large: `ab/cd`.
    var folder: String {
        let second = text.index(text.startIndex, offsetBy: 2)
        return "\(text[..<second])/\(text[second..<text.index(second, offsetBy: 2)])"
    }

    private static let digits = Array("0123456789abcdef".utf8)

    private static func hexadecimal(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
