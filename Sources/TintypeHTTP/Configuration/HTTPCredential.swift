import Foundation

/// What proves who asks.
public enum HTTPCredential: Hashable, Sendable {
    /// RFC 7617. The user name has no colon.
    case basic(user: String, password: String)
    /// RFC 6750.
    case bearer(String)

    /// The value of the `Authorization` field.
    public var authorization: String {
        switch self {
        case .basic(let user, let password): "Basic \(Data("\(user):\(password)".utf8).base64EncodedString())"
        case .bearer(let token): "Bearer \(token)"
        }
    }
}
