import Crypto
import Foundation
import TintypeCore

/// The file name of an entry: the SHA-256 of its key.
///
/// That of an original is the SHA-256 of its URL, so a shell finds it too: `printf %s URL | sha256sum`. Keys come from
/// outside, so no part of one ever becomes part of a path.
struct EntryName: Hashable, Sendable {
    /// The 32 bytes of the hash, as four words in the order of memory.
    private let words: SIMD4<UInt64>

    init(_ key: CacheKey) {
        var hash = SHA256()
        Self.update(&hash, key.source)
        if !key.isOriginal {
            // No URL has this byte.
            Self.update(&hash, "\u{1F}")
            Self.update(&hash, key.rendition)
        }
        words = hash.finalize().withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// A name found in a directory or in the index; `nil` when no entry has such a name.
    init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        var words = SIMD4<UInt64>.zero
        var place = 0
        for digit in text.utf8 {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            // Two digits a byte, the first the higher; bytes fill a word from its lower end.
            words[place / 16] |= UInt64(value) << UInt64((place % 16 / 2) * 8 + (place % 2 == 0 ? 4 : 0))
            place += 1
        }
        self.words = words
    }

    /// 64 hexadecimal digits.
    var text: String {
        String(unsafeUninitializedCapacity: Self.length) { buffer in
            writeText(to: buffer)
            return Self.length
        }
    }

    /// Two levels of 256 folders, so that none grows large: `ab/cd`.
    var folder: String { String(path.prefix(Self.folderLength)) }

    /// Relative to the directory of entries: `ab/cd/abcd…`.
    var path: String { Self.path("", self) }

    /// The path below a directory that ends with a slash, in one allocation: this is on the way of every read.
    static func path(_ directory: String, _ name: EntryName) -> String {
        var directory = directory
        return directory.withUTF8 { prefix in
            String(unsafeUninitializedCapacity: prefix.count + folderLength + 1 + length) { buffer in
                _ = buffer.initialize(from: prefix)
                let text = UnsafeMutableBufferPointer(rebasing: buffer[(prefix.count + folderLength + 1)...])
                name.writeText(to: text)
                let folder = [text[0], text[1], slash, text[2], text[3], slash]
                for index in folder.indices { buffer[prefix.count + index] = folder[index] }
                return buffer.count
            }
        }
    }

    private static let length = 64
    private static let folderLength = 5
    private static let slash = UInt8(ascii: "/")
    private static let digits = Array("0123456789abcdef".utf8)

    private func writeText(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        withUnsafeBytes(of: words) { bytes in
            for (index, byte) in bytes.enumerated() {
                buffer[2 * index] = Self.digits[Int(byte >> 4)]
                buffer[2 * index + 1] = Self.digits[Int(byte & 15)]
            }
        }
    }

    private static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }

    private static func update(_ hash: inout SHA256, _ text: String) {
        var text = text
        text.withUTF8 { hash.update(bufferPointer: UnsafeRawBufferPointer($0)) }
    }
}
