public import Foundation
import TintypeCore

/// An interceptor that answers the Digest challenges of one origin (RFC 7616).
///
/// The password is never sent. Supports SHA-256 and MD5, their session variants, and the quality of protection `auth`.
/// After the first challenge, later requests are authenticated at once.
public final class DigestAuthenticator: HTTPInterceptor {
    /// The newest challenge, and how often it was answered.
    private struct State: Sendable {
        var challenge: DigestChallenge?
        var count = 0
        /// The nonce of the client in the first answer, on which the key of a session depends (RFC 7616, 3.4.2).
        var sessionNonce: String?

        mutating func use(_ nonce: String) -> (challenge: DigestChallenge, count: Int, sessionNonce: String)? {
            guard let challenge else { return nil }
            count += 1
            let sessionNonce = sessionNonce ?? nonce
            self.sessionNonce = sessionNonce
            return (challenge, count, sessionNonce)
        }

        mutating func replace(_ new: DigestChallenge) {
            guard new != challenge else { return }
            (challenge, count, sessionNonce) = (new, 0, nil)
        }
    }

    private let user: String
    private let password: String
    private let origin: URL
    private let makeNonce: @Sendable () -> String
    private let state = Locked(State())

    /// Creates an authenticator.
    ///
    /// - Parameters:
    ///   - user: The user name.
    ///   - password: The password.
    ///   - origin: A URL with the scheme, host and port of the server. Challenges of others are not answered.
    public convenience init(user: String, password: String, origin: URL) {
        self.init(user: user, password: password, origin: origin) {
            (0..<16).map { _ in UInt8.random(in: 0...255) }.hexadecimal
        }
    }

    /// - Parameter makeNonce: Returns a client nonce, which tests choose.
    init(user: String, password: String, origin: URL, makeNonce: @escaping @Sendable () -> String) {
        self.user = user
        self.password = password
        self.origin = origin
        self.makeNonce = makeNonce
    }

    /// Sends a request, with an answer to the newest challenge if there is one, and once more after another challenge.
    ///
    /// - Throws: The errors of `next`. A refused password is no error: the response has the status 401.
    public func intercept(_ request: DownloadRequest, next: HTTPExchange) async throws -> DownloadResponse {
        guard request.url.hasOrigin(of: origin), !request.headers.contains("Authorization") else {
            return try await next(request)
        }
        let response = try await next(authenticated(request))
        // A redirect within the origin leads to another path, which the digest covers.
        guard response.status == 401, response.url.hasOrigin(of: origin),
            let challenge = DigestChallenge.best(of: response.headers.values("www-authenticate"))
        else { return response }
        await response.body.discard()
        state.withLock { $0.replace(challenge) }
        var again = request
        again.url = response.url
        return try await next(authenticated(again))
    }

    private func authenticated(_ request: DownloadRequest) -> DownloadRequest {
        let nonce = makeNonce()
        guard let used = state.withLock({ $0.use(nonce) }) else { return request }
        var authenticated = request
        let answer = DigestAnswer(
            user: user, password: password, method: request.method, target: request.url.requestTarget,
            count: used.count, nonce: nonce, sessionNonce: used.sessionNonce)
        authenticated.headers["Authorization"] = answer.field(to: used.challenge)
        return authenticated
    }
}

/// A challenge in a `WWW-Authenticate` field (RFC 7616, 3.3).
struct DigestChallenge: Hashable, Sendable {
    enum Algorithm: Int, Sendable {
        case md5, sha256
    }

    let realm: String
    let nonce: String
    let opaque: String?
    /// The algorithm as the server names it; `nil` if it names none, which stands for MD5.
    let algorithmName: String?
    let algorithm: Algorithm
    /// Whether the key depends on the nonces, as for `MD5-sess`.
    let isSession: Bool
    /// Whether the server supports the quality of protection `auth`. Otherwise it supports none (RFC 2069).
    let hasQuality: Bool

    /// Returns the challenge with the strongest algorithm; the first of equal ones. `nil` if none is supported.
    static func best(of fields: [String]) -> DigestChallenge? {
        let challenges = fields.flatMap(parameters).compactMap { DigestChallenge($0) }
        return challenges.max { left, right in left.algorithm.rawValue < right.algorithm.rawValue }
    }

    private init?(_ parameters: [String: String]) {
        guard let realm = parameters["realm"], let nonce = parameters["nonce"] else { return nil }
        let name = parameters["algorithm"]
        switch name?.uppercased() {
        case nil, "MD5", "MD5-SESS": algorithm = .md5
        case "SHA-256", "SHA-256-SESS": algorithm = .sha256
        default: return nil
        }
        let qualities = parameters["qop"].map { HTTPList.elements($0).map { $0.lowercased() } }
        guard qualities?.contains("auth") ?? true else { return nil }
        (self.realm, self.nonce, opaque, algorithmName) = (realm, nonce, parameters["opaque"], name)
        isSession = name?.lowercased().hasSuffix("-sess") ?? false
        hasQuality = qualities != nil
        // Without a quality, an answer has no nonce of the client, on which the key of a session depends.
        guard hasQuality || !isSession else { return nil }
    }

    /// Returns the parameters of each Digest challenge in a field, which may contain challenges of several schemes
    /// (RFC 9110, 11.6.1).
    private static func parameters(_ field: String) -> [[String: String]] {
        var challenges: [(scheme: String, parameters: [String: String])] = []
        for element in HTTPList.elements(field) {
            var parameter = Substring(element)
            let scheme = element.prefix { $0 != " " && $0 != "=" }
            // A parameter has no space before its equals sign, except after the name of a scheme.
            if scheme.endIndex == element.endIndex || element[scheme.endIndex] == " " {
                challenges.append((scheme.lowercased(), [:]))
                parameter = element[scheme.endIndex...].drop { $0 == " " }
            }
            let pair = parameter.split(separator: "=", maxSplits: 1)
            guard pair.count == 2, !challenges.isEmpty else { continue }
            let name = HTTPList.trimmed(pair[0]).lowercased()
            challenges[challenges.count - 1].parameters[name] = HTTPList.unquoted(HTTPList.trimmed(pair[1]))
        }
        return challenges.filter { $0.scheme == "digest" }.map(\.parameters)
    }
}

/// The answer to a challenge (RFC 7616, 3.4).
struct DigestAnswer {
    let user: String
    let password: String
    let method: String
    /// The path and the query of the URL.
    let target: String
    /// How often the nonce of the server has been used, this time included.
    let count: Int
    /// The nonce of the client.
    let nonce: String
    /// The nonce of the client in its first answer to the challenge.
    let sessionNonce: String

    /// Returns the value of the `Authorization` field.
    func field(to challenge: DigestChallenge) -> String {
        let number = String(count, radix: 16)
        let padded = String(repeating: "0", count: max(0, 8 - number.count)) + number
        var parts = [
            #"username="\#(quoted(user))""#, #"realm="\#(quoted(challenge.realm))""#,
            #"nonce="\#(quoted(challenge.nonce))""#, #"uri="\#(quoted(target))""#,
            #"response="\#(response(to: challenge, padded))""#,
        ]
        if let name = challenge.algorithmName { parts.append("algorithm=\(name)") }
        if challenge.hasQuality { parts += [#"cnonce="\#(nonce)""#, "nc=\(padded)", "qop=auth"] }
        if let opaque = challenge.opaque { parts.append(#"opaque="\#(quoted(opaque))""#) }
        return "Digest " + parts.joined(separator: ", ")
    }

    private func response(to challenge: DigestChallenge, _ count: String) -> String {
        var key = hash("\(user):\(challenge.realm):\(password)", challenge)
        if challenge.isSession { key = hash("\(key):\(challenge.nonce):\(sessionNonce)", challenge) }
        let request = hash("\(method):\(target)", challenge)
        let middle = challenge.hasQuality ? "\(challenge.nonce):\(count):\(nonce):auth" : challenge.nonce
        return hash("\(key):\(middle):\(request)", challenge)
    }

    private func hash(_ text: String, _ challenge: DigestChallenge) -> String {
        switch challenge.algorithm {
        case .md5: MD5Digest.hexadecimal(of: text)
        case .sha256: SHA256Digest.hexadecimal(of: Data(text.utf8))
        }
    }

    private func quoted(_ text: String) -> String {
        text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"")
    }
}

extension URL {
    /// The path and the query as they are sent (RFC 9112, 3.2.1).
    fileprivate var requestTarget: String {
        let path = path(percentEncoded: true)
        return (path.isEmpty ? "/" : path) + (query(percentEncoded: true).map { "?\($0)" } ?? "")
    }
}
