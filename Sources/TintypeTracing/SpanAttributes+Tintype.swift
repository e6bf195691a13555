#if Tracing
import Foundation
import TintypeCore
import Tracing

extension Span {
    /// Records the error of a load or of a stage. A cancellation is no failure of the span.
    func fail(_ error: TintypeError) {
        updateAttributes { attributes in
            attributes["error.type"] = error.status.map(String.init) ?? error.code.rawValue
            if let status = error.status { attributes["http.response.status_code"] = status }
        }
        guard error.code != .cancelled else { return }
        let error = error.withoutSecrets
        recordError(error)
        setStatus(SpanStatus(code: .error, message: error.description))
    }
}

extension TintypeError {
    /// The error for a tracer: without its subject, which is the whole URL and is in `url.full`, without the underlying
    /// error, whose text is unknown, and with a message without secrets.
    var withoutSecrets: TintypeError {
        TintypeError(code, stage: stage, message.withoutSecrets, status: status, contentType: contentType)
    }
}

extension String {
    /// The text up to the query or fragment of the first URL in it, without user names and passwords. A message may
    /// quote a redirect, which may be malformed, so anything between `//` and the last `@` may be a password.
    var withoutSecrets: String {
        let end = firstIndex { $0 == "?" || $0 == "#" } ?? endIndex
        let text = self[..<end].replacing(/\/\/.*@/, with: "//")
        return end == endIndex ? String(text) : "\(text)…"
    }
}

extension SpanAttributes {
    /// Adds a URL and its server. Does nothing without a URL.
    mutating func addURL(_ url: URL?) {
        guard let url else { return }
        self["url.full"] = url.withoutSecrets
        guard url.isWeb, let host = url.host() else { return }
        let scheme = url.scheme?.lowercased() ?? ""
        self["url.scheme"] = scheme
        self["server.address"] = host
        self["server.port"] = url.port ?? (scheme == "https" ? 443 : 80)
    }

    /// Adds where an image came from, and how its bytes were transferred.
    mutating func addResponse(_ response: ImageResponse) {
        self["tintype.origin"] = response.origin.rawValue
        guard let metrics = response.metrics else { return }
        self["http.response.status_code"] = metrics.status
        self["http.response.body.size"] = metrics.wireBytes
        let version = metrics.httpVersion.split(separator: "/").last.map(String.init) ?? ""
        self["network.protocol.version"] = version
        if metrics.attempts > 1 { self["http.request.resend_count"] = metrics.attempts - 1 }
        for part in metrics.parts { self["tintype.transfer.\(part.name)_ms"] = part.duration / .milliseconds(1) }
    }
}

extension URL {
    /// Whether the scheme is `http` or `https`.
    var isWeb: Bool { ["http", "https"].contains(scheme?.lowercased()) }

    /// The names of query items that grant access: those of the semantic conventions (`url.full`), and the usual names
    /// of tokens, in lowercase.
    private static let secretNames: Set<String> = [
        "awsaccesskeyid", "signature", "sig", "x-goog-signature", "x-amz-signature", "x-amz-security-token",
        "x-amz-credential", "token", "access_token", "key-pair-id", "policy", "hmac",
    ]

    /// The text without user name, password and fragment, and with `REDACTED` in place of the values of secret query
    /// items. A `data:` URL may be large, so the text contains only its scheme.
    var withoutSecrets: String {
        guard scheme?.lowercased() != "data" else { return "data:" }
        guard var parts = URLComponents(url: withoutCredential, resolvingAgainstBaseURL: true) else { return "" }
        parts.fragment = nil
        if let items = parts.percentEncodedQueryItems {
            parts.percentEncodedQueryItems = items.map { item in
                let isSecret = Self.secretNames.contains(item.name.lowercased())
                return isSecret ? URLQueryItem(name: item.name, value: "REDACTED") : item
            }
        }
        return parts.string ?? ""
    }
}
#endif
