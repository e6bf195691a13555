public import Foundation
package import TintypeCore

/// A request to a server.
public struct DownloadRequest: Hashable, Sendable {
    /// The `http:` or `https:` URL.
    public var url: URL
    /// The method, such as `GET` (RFC 9110, 9).
    ///
    /// A server may close an idle connection at the moment when it is used again. A request with an idempotent method
    /// is then sent again. Others, such as `POST`, fail with `TintypeError.Code.transport`, because the server may have
    /// processed them; ``RetryPolicy`` does not repeat them either.
    public var method: String
    /// The header fields.
    public var headers: HTTPFields
    /// The body; `nil` for none.
    public var body: Data?

    /// Creates a request with a URL, a method, header fields and a body.
    public init(url: URL, method: String = "GET", headers: HTTPFields = [:], body: Data? = nil) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// Creates the request for a source, with the header fields of the source, those of the configuration, and the
    /// standard ones. Fields of the source replace those of the configuration with the same name, and both replace
    /// standard ones. A user name and password in the URL become a credential. The request is not validated.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` when the source is not a URL.
    init(_ source: ImageSource, _ settings: TransferSettings) throws(TintypeError) {
        guard let url = source.url else {
            throw TintypeError(.invalidSource, stage: .load, "not a URL", subject: source.displayName)
        }
        let own: HTTPSource? = if case .http(let source) = source { source } else { nil }
        let credential = settings.options.credential ?? url.credential ?? settings.credential(for: url)
        self.init(
            url: url.withoutCredential, method: own?.method ?? "GET",
            headers: Self.headers(own?.headers ?? [:], settings, credential))
    }

    /// Checks a request, so that every transport gets a valid one.
    ///
    /// - Throws: `TintypeError.Code.invalidSource` for an invalid or overlong URL, method or header field
    ///   name.
    package func validate() throws(TintypeError) {
        guard url.absoluteString.utf8.count <= Self.maximumURLLength else {
            throw invalid("the URL has more than \(Self.maximumURLLength) bytes")
        }
        let host = url.plainHost
        guard url.isHTTP, HostName.isValid(host),
            url.port.map({ (1...65_535).contains($0) }) ?? true
        else { throw invalid("not an HTTP URL with a host and a valid port") }
        // A SOCKS request has one byte for the length, and a certificate names no longer host (RFC 1928, 5; RFC 1035,
        // 2.3.4).
        guard host.utf8.count <= 253 else { throw invalid("the host has more than 253 bytes") }
        // A method is a token (RFC 9110, 9.1): a space or a line break would end it.
        guard !method.isEmpty, method.utf8.allSatisfy(HTTPFields.isToken) else { throw invalid("not an HTTP method") }
        if let problem = headers.problem { throw invalid(problem) }
    }

    /// The error of an invalid request. Its URL may be that of a redirect, in any length, and the error is remembered.
    private func invalid(_ message: String) -> TintypeError {
        TintypeError(.invalidSource, stage: .load, message, subject: url.absoluteString.abbreviated(to: 1000))
    }

    /// The maximum number of bytes of a URL: 64 KB. Servers accept 8 to 32 KB, and keys of all caches contain the URL.
    private static let maximumURLLength = 64 << 10

    private static func headers(
        _ own: [String: String], _ settings: TransferSettings, _ credential: HTTPCredential?
    ) -> HTTPFields {
        var headers = HTTPFields()
        if !own.isEmpty { headers.addMissing(own) }
        headers.addMissing(settings.headers)
        if let credential, !headers.contains("Authorization") {
            headers.add(name: "Authorization", value: credential.authorization)
        }
        return headers
    }

    /// Returns the request with the cookies for its URL, after those that it has already.
    func withCookies(_ settings: TransferSettings, at now: Date) -> DownloadRequest {
        guard let cookies = settings.cookies?.header(for: url, at: now) else { return self }
        var request = self
        request.headers["Cookie"] = headers["Cookie"].map { "\($0); \(cookies)" } ?? cookies
        return request
    }

    /// Whether the request may revalidate a stored response.
    ///
    /// - Parameter first: The request that was redirected to this one; `nil` if this is the first one.
    func mayRevalidate(_ stored: StoredResponse, redirectedFrom first: DownloadRequest?) -> Bool {
        // A program's own conditions are about its own copy.
        isCacheable && !headers.contains("If-None-Match") && !headers.contains("If-Modified-Since")
            && stored.came(from: url, isFirst: first == nil) && stored.isSelected(by: first ?? self)
    }

    /// Whether sending the request twice has the effect of sending it once (RFC 9110, 9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }
}

extension URL {
    /// Whether the scheme is `http` or `https`.
    package var isHTTP: Bool { hasScheme { $0 == "http" || $0 == "https" } }

    /// Whether the scheme is `https`.
    package var isEncrypted: Bool { hasScheme { $0 == "https" } }

    /// Compares the scheme, which is case-insensitive (RFC 3986, 3.1).
    ///
    /// - Parameter matches: Compares a scheme in lowercase.
    private func hasScheme(_ matches: (String) -> Bool) -> Bool {
        guard let scheme else { return false }
        return matches(scheme) || matches(scheme.lowercased())
    }

    /// Whether both have the same scheme, host and port (RFC 6454, 5).
    func hasOrigin(of other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
            && effectivePort == other.effectivePort
    }

    /// The port, or the default port of the scheme.
    var effectivePort: Int { port ?? (isEncrypted ? 443 : 80) }
}
