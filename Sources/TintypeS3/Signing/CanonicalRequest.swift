import TintypeCore
import TintypeHTTP

/// A request in the form that Signature Version 4 signs (Amazon S3 API Reference, "Authenticating Requests: Using the
/// Authorization Header").
struct CanonicalRequest: Hashable, Sendable {
    /// The names of the signed header fields, sorted and separated by semicolons.
    let signedHeaders: String
    /// The whole text.
    let text: String

    /// Creates the canonical form of a request.
    ///
    /// - Parameters:
    ///   - method: The method in upper case.
    ///   - path: The path as it is sent, percent-encoded once.
    ///   - query: The names and values of the query, not encoded.
    ///   - headers: The header fields to sign, `Host` among them.
    ///   - payloadHash: The value of `x-amz-content-sha256`.
    init(
        method: String, path: String, query: [(name: String, value: String)], headers: HTTPFields, payloadHash: String
    ) {
        let fields = Self.fields(headers)
        signedHeaders = fields.map(\.name).joined(separator: ";")
        let lines =
            [method, path.isEmpty ? "/" : path, Self.query(query)] + fields.map { "\($0.name):\($0.value)" }
            + ["", signedHeaders, payloadHash]
        text = lines.joined(separator: "\n")
    }

    /// The SHA-256 digest of the text, in hexadecimal.
    var hash: String {
        var digest = SHA256Digest()
        digest.update(text)
        return digest.hexadecimal
    }

    /// Returns the query as it is signed and sent: encoded, and sorted by names, then by values.
    ///
    /// The encoded texts are compared, because a byte that is encoded sorts as `%`.
    static func query(_ query: [(name: String, value: String)]) -> String {
        query.map { (PercentEncoding.encode($0.name), PercentEncoding.encode($0.value)) }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
            .map { "\($0.0)=\($0.1)" }.joined(separator: "&")
    }

    /// The fields with lower-case names, sorted, with one line for each name.
    private static func fields(_ headers: HTTPFields) -> [(name: String, value: String)] {
        var values: [String: [String]] = [:]
        for (name, value) in headers.all { values[name.lowercased(), default: []].append(trimmed(value)) }
        return values.sorted { $0.key < $1.key }.map { ($0.key, $0.value.joined(separator: ",")) }
    }

    /// Returns a value without white space at its ends, and with single spaces inside.
    static func trimmed(_ value: String) -> String {
        value.split { $0 == " " || $0 == "\t" }.joined(separator: " ")
    }
}
