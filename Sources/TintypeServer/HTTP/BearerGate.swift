import TintypeCore
import TintypeHTTP

/// A secret that every request must have in its `Authorization` field (RFC 6750, 2.1).
package struct BearerGate: Sendable {
    private let digest: [UInt8]

    /// Creates a gate.
    package init(token: String) {
        digest = Self.digest(token)
    }

    /// Whether a request has the secret. The time does not depend on how much of the secret is right, because digests
    /// are compared, and all of their bytes.
    func allows(_ fields: HTTPFields) -> Bool {
        let values = fields.values("authorization")
        guard values.count == 1, let value = values.first, let space = value.firstIndex(of: " "),
            value[..<space].lowercased() == "bearer"
        else { return false }
        let other = Self.digest(HTTPList.trimmed(value[space...]))
        return zip(digest, other).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }

    private static func digest(_ text: String) -> [UInt8] {
        var digest = SHA256Digest()
        digest.update(text)
        return digest.bytes
    }
}
