/// The parts of the identity of a source in cache keys: its URL, and what else distinguishes its bytes.
package struct SourceIdentity: Hashable, Sendable {
    /// The URL without user name and password; for bytes, closures and models of a program, all of the identity.
    package let url: String
    /// What distinguishes the bytes from others of the URL: the method if it is not `GET`, and digests of header fields, of a
    /// user name and password, and the number of a variant by the rules of HTTP. Empty for a plain request.
    package let variant: [String]

    /// Reads the source of a cache key: ``ImageSource/identity``, or a variant of it.
    package init(_ source: String) {
        guard !["bytes:", "closure:", "custom:"].contains(where: source.hasPrefix) else {
            (url, variant) = (source, [])
            return
        }
        // A URL contains neither spaces nor line breaks.
        let lines = source.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let words = lines[0].split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let method = words.count > 1 && words[0] != "url" && words[0] != "GET" ? [words[0]] : []
        (url, variant) = (words[words.count - 1], method + lines.dropFirst())
    }

    /// Whether this is the identity of the same URL, and of the same bytes as far as `other` says which.
    ///
    /// - Parameter other: An identity that may have fewer parts, such as that of a plain request.
    package func matches(_ other: SourceIdentity) -> Bool {
        url == other.url && other.variant.allSatisfy(variant.contains)
    }
}
