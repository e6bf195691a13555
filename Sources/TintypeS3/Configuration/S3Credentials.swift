/// The keys that requests to a store are signed with.
///
/// Descriptions and dumps of a value contain neither the secret nor the token.
public struct S3Credentials: Hashable, Sendable {
    /// The name of the key, which requests contain.
    public let accessKeyID: String
    /// The secret.
    let secretAccessKey: String
    /// The token of a temporary key; `nil` for a lasting one.
    let sessionToken: String?

    /// Creates credentials from keys.
    ///
    /// - Parameters:
    ///   - accessKeyID: The name of the key.
    ///   - secretAccessKey: The secret.
    ///   - sessionToken: The token of a temporary key.
    public init(accessKeyID: String, secretAccessKey: String, sessionToken: String? = nil) {
        self.accessKeyID = accessKeyID
        self.secretAccessKey = secretAccessKey
        self.sessionToken = sessionToken
    }
}

extension S3Credentials: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The access key ID and whether there is a token.
    public var description: String {
        "S3Credentials(\(accessKeyID), secret redacted\(sessionToken == nil ? "" : ", token redacted"))"
    }

    /// The same as ``description``.
    public var debugDescription: String { description }

    /// A mirror with only the access key ID.
    public var customMirror: Mirror { Mirror(self, children: ["accessKeyID": accessKeyID]) }
}
