public import TintypeCore

/// The names of values in shared stores.
///
/// | name | value |
/// | --- | --- |
/// | `tt1/s/ab/cd/<hex>` | an original |
/// | `tt1/r/ab/cd/<hex>` | a rendition |
/// | `tt1/l/<hex>` | a lease |
/// | `tt1/f/<hex>` | the failure of the holder of a lease |
///
/// `<hex>` is the SHA-256 of the key, as for files of the disk cache, and `ab/cd` are its first four digits. They come
/// early in the name, so that a store that divides its keys by prefix spreads them. Keys come from outside; because
/// they are hashed, no part of one reaches a store. The number changes with the layout, so that machines with different
/// versions can use one store.
package enum SharedName {
    /// The name of the entry of a key.
    package static func entry(_ key: CacheKey) -> String {
        let digits = digits(of: key)
        let parts = digits.utf8.prefix(4)
        let (first, second) = (String(Substring(parts.prefix(2))), String(Substring(parts.dropFirst(2))))
        return "\(version)/\(key.isOriginal ? "s" : "r")/\(first)/\(second)/\(digits)"
    }

    /// The name of the lease for the work on a key.
    package static func lease(_ key: CacheKey) -> String { "\(version)/l/\(digits(of: key))" }

    /// The name of the failure of the work on a key.
    package static func failure(_ key: CacheKey) -> String { "\(version)/f/\(digits(of: key))" }

    private static let version = "tt1"

    private static func digits(of key: CacheKey) -> String {
        var digest = SHA256Digest()
        digest.update(key.source)
        if !key.isOriginal {
            // URLs do not contain this byte.
            digest.update("\u{1F}")
            digest.update(key.rendition)
        }
        return digest.hexadecimal
    }
}

extension CacheKey {
    /// Whether the key names the same bytes on every machine, and bytes that every user of a store may see.
    ///
    /// It does not if the source is a local file, or named by the program (``ImageSource/bytes(_:id:)``,
    /// ``ImageSource/closure(id:_:)`` and ``ImageSource/custom(_:)``), or if the request has a user name and password,
    /// header fields of its own, such as `Cookie` and `Authorization`, or another method than `GET`.
    public var isShareable: Bool {
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 1)
        if words.count == 2, words[0] != "GET", words[0].utf8.allSatisfy({ (0x41...0x5A).contains($0) }) {
            return false
        }
        let start = (words.last ?? "").prefix(10).lowercased()
        return !["file:", "data:", "bytes:", "closure:", "custom:"].contains(where: start.hasPrefix)
            && !lines.dropFirst().contains { line in
                ["credential ", "headers "].contains(where: line.hasPrefix)
            }
    }
}
