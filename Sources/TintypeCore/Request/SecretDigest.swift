import Crypto
package import Foundation

/// What stands for a secret in a key: equal for equal ones, different for different ones, and no way back.
enum SecretDigest {
    /// SHA-256, in hexadecimal digits.
    static func of(_ text: String) -> String {
        SHA256.hash(data: Data(text.utf8)).map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }
}

extension URL {
    /// The URL as a key: as it is, but for a name and password in front of the host, which stand there as a digest.
    var identity: String {
        guard hasCredential else { return absoluteString }
        let secret = "\(user() ?? ""):\(password() ?? "")"
        return "\(withoutCredential.absoluteString)\ncredential \(SecretDigest.of(secret))"
    }

    /// Without the name and password in front of the host.
    package var withoutCredential: URL {
        guard hasCredential, var parts = URLComponents(url: self, resolvingAgainstBaseURL: true) else { return self }
        parts.user = nil
        parts.password = nil
        return parts.url ?? self
    }

    private var hasCredential: Bool { user(percentEncoded: true) != nil }
}
