import Foundation
import TintypeCore

/// The file name of an entry: the SHA-256 of its key, as 64 hexadecimal digits.
///
/// The name of an original is the SHA-256 of its URL, so that a shell can find it: `printf %s URL | sha256sum`. Keys
/// come from outside; because they are hashed, no part of one becomes part of a path.
struct EntryName: Hashable, Sendable {
    /// The 32 bytes of the hash, as four words in memory order.
    private let words: SIMD4<UInt64>

    /// Creates the name of a key's entry.
    init(_ key: CacheKey) {
        var digest = SHA256Digest()
        digest.update(key.source)
        if !key.isOriginal {
            // URLs do not contain this byte.
            digest.update("\u{1F}")
            digest.update(key.rendition)
        }
        words = digest.bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// Reads a name from a directory listing. `nil` if no entry has such a name.
    init?(_ text: String) {
        guard text.utf8.count == Self.length else { return nil }
        var words = SIMD4<UInt64>.zero
        var index = 0
        for digit in text.utf8 {
            guard let value = Self.value(ofDigit: digit) else { return nil }
            // Each byte has two digits, the high one first. The first byte of a word is its least significant one.
            words[index / 16] |= UInt64(value) << UInt64((index % 16 / 2) * 8 + (index % 2 == 0 ? 4 : 0))
            index += 1
        }
        self.words = words
    }

    /// The folder that contains the file.
    var folder: EntryFolder { EntryFolder(Int(words[0] & 0xFF) << 4 | Int(words[0] >> 12 & 0xF)) }

    /// The 32 bytes of the hash.
    var bytes: Data { withUnsafeBytes(of: words) { Data($0) } }

    /// Calls a closure with the 32 bytes of the hash.
    func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withUnsafeBytes(of: words) { body($0) }
    }

    /// Reads the 32 bytes of a hash.
    init(reading bytes: UnsafeRawPointer) {
        words = bytes.loadUnaligned(as: SIMD4<UInt64>.self)
    }

    /// Reads a name from the index. `nil` if no entry has such a name.
    init?(bytes: Data) {
        guard bytes.count == 32 else { return nil }
        words = bytes.withUnsafeBytes { $0.loadUnaligned(as: SIMD4<UInt64>.self) }
    }

    /// The path relative to the entries folder: `ab/c/abcd…`.
    var path: String {
        String(unsafeUninitializedCapacity: Self.pathLength) { buffer in
            writePath(to: buffer)
            return Self.pathLength
        }
    }

    /// Calls a closure with the path relative to the entries folder, as a C string on the stack. Every read does this,
    /// so it builds no `String`.
    ///
    /// - Parameter cut: Replaces slashes by zeros; by default none.
    func withRelativePath(
        cut: (UnsafeMutableBufferPointer<UInt8>) -> Void = { _ in }, _ body: (UnsafePointer<CChar>) -> Int32
    ) -> Int32 {
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: Self.pathLength + 1) { buffer in
            writePath(to: buffer)
            buffer[Self.pathLength] = 0
            cut(buffer)
            return buffer.withMemoryRebound(to: CChar.self) { path in path.baseAddress.map { body($0) } ?? -1 }
        }
    }

    /// Calls a closure with the path of the folder, and with the name of the file in it, as C strings on the stack.
    func withFolderPath(_ body: (UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32) -> Int32 {
        withRelativePath(cut: { $0[4] = 0 }) { body($0, $0 + Self.prefixLength) }
    }

    /// Calls a closure with the components of that path as C strings on the stack: the folder, the folder in it, and
    /// the file.
    func withPathComponents(
        _ body: (UnsafePointer<CChar>, UnsafePointer<CChar>, UnsafePointer<CChar>) -> Int32
    ) -> Int32 {
        withRelativePath(cut: { ($0[2], $0[4]) = (0, 0) }) { body($0, $0 + 3, $0 + Self.prefixLength) }
    }

    private func writePath(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        writeText(to: UnsafeMutableBufferPointer(rebasing: buffer[Self.prefixLength...]))
        (buffer[0], buffer[1], buffer[2]) = (buffer[5], buffer[6], Self.slash)
        (buffer[3], buffer[4]) = (buffer[7], Self.slash)
    }

    private static let length = 64
    /// The length of `ab/c/`.
    private static let prefixLength = 5
    private static let pathLength = prefixLength + length
    private static let slash = UInt8(ascii: "/")

    private func writeText(to buffer: UnsafeMutableBufferPointer<UInt8>) {
        withUnsafeBytes(of: words) { bytes in
            for index in 0..<32 {
                buffer[2 * index] = Self.digit(bytes[index] >> 4)
                buffer[2 * index + 1] = Self.digit(bytes[index] & 15)
            }
        }
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value + (value < 10 ? UInt8(ascii: "0") : UInt8(ascii: "a") - 10)
    }

    fileprivate static func value(ofDigit digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

/// One of the 4,096 folders of entries. They form two levels, of 256 and 16, named by the first three digits of the
/// entry names.
///
/// A new cache soon has all of them, and none grows large: each has about 250 files at a million entries.
struct EntryFolder: Hashable, Sendable {
    /// The number of folders.
    static let count = 4096
    /// The number of folders that share a first level.
    static let siblings = 16

    let number: Int

    init(_ number: Int) {
        self.number = number
    }

    /// The path relative to the entries folder: `ab/c`.
    var path: String { "\(parent)/\(child)" }

    /// The first level of the path: `ab`.
    var parent: String {
        let text = String(number >> 4, radix: 16)
        return text.count == 2 ? text : "0\(text)"
    }

    /// The second level of the path: `c`.
    var child: String { String(number & 15, radix: 16) }

    /// Whether a name in a directory listing is that of a first level.
    static func isParent(_ name: String) -> Bool { name.utf8.count == 2 && name.utf8.allSatisfy(isDigit) }

    /// Whether a name in a directory listing is that of a second level.
    static func isChild(_ name: String) -> Bool { name.utf8.count == 1 && name.utf8.allSatisfy(isDigit) }

    /// Whether a character is a digit of an ``EntryName``.
    private static func isDigit(_ character: UInt8) -> Bool { EntryName.value(ofDigit: character) != nil }
}
