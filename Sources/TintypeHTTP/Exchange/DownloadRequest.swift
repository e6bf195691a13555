import AsyncHTTPClient
public import Foundation
import NIOCore
import NIOHTTP1
import TintypeCore

/// What is asked of a server.
public struct DownloadRequest: Hashable, Sendable {
    public var url: URL
    public var method: String
    public var headers: HTTPFields
    /// Sent with the request; `nil` for none.
    public var body: Data?

    public init(url: URL, method: String = "GET", headers: HTTPFields = HTTPFields(), body: Data? = nil) {
        self.url = url
        self.method = method
        self.headers = headers
        self.body = body
    }

    /// The request for a source: its own header fields, then those of the configuration, then the standard ones; the
    /// first of a name counts. A name and password in the URL become a credential. ``validate()`` is still to come.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/invalidSource``.
    init(_ source: ImageSource, _ settings: TransferSettings) throws(TintypeError) {
        guard let url = source.url else {
            throw TintypeError(.invalidSource, stage: .load, "not a URL", subject: source.displayName)
        }
        let own: HTTPSource? = if case .http(let source) = source { source } else { nil }
        self.init(
            url: url.withoutCredential, method: own?.method ?? "GET",
            headers: Self.headers(own?.headers ?? [:], settings, url.credential))
    }

    /// - Throws: ``TintypeCore/TintypeError/Code/invalidSource`` for what HTTP cannot ask for. The client below would
    ///   stop the program for some of it, such as a port above 65535.
    func validate() throws(TintypeError) {
        guard url.isHTTP, let host = url.host(), !host.isEmpty,
            url.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw TintypeError(
                .invalidSource, stage: .load, "not an HTTP URL with a host and a valid port",
                subject: url.absoluteString)
        }
        // A token (RFC 9110, 9.1): a space or line break would begin something else.
        guard !method.isEmpty, method.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw TintypeError(.invalidSource, stage: .load, "not a method of HTTP", subject: url.absoluteString)
        }
        // The client below looks at the letters of names and values, and takes no name at all for one.
        guard !headers.nioHeaders.contains(where: { $0.name.isEmpty }) else {
            throw TintypeError(
                .invalidSource, stage: .load, "a header field without a name", subject: url.absoluteString)
        }
    }

    private static func headers(
        _ own: [String: String], _ settings: TransferSettings, _ credential: HTTPCredential?
    ) -> HTTPFields {
        var headers = HTTPFields()
        if !own.isEmpty { headers.addMissing(own) }
        headers.addMissing(settings.headers)
        if let credential = settings.options.credential ?? credential, !headers.contains("Authorization") {
            headers.add("Authorization", credential.authorization)
        }
        return headers
    }

    /// Whether sending it twice is the same as once (RFC 9110, 9.2.2).
    var isIdempotent: Bool { ["GET", "HEAD", "OPTIONS", "TRACE", "PUT", "DELETE"].contains(method) }

    /// As the client below takes it.
    var clientRequest: HTTPClient.Request {
        get throws(TintypeError) {
            do {
                return try HTTPClient.Request(
                    url: url.absoluteURL, method: HTTPMethod(rawValue: method), headers: headers.nioHeaders,
                    body: body.map { .byteBuffer(ByteBuffer(bytes: $0)) })
            } catch {
                throw TintypeError(transport: error)
            }
        }
    }
}

extension URL {
    /// Whether it is to be asked for by HTTP.
    var isHTTP: Bool { hasScheme { $0 == "http" || $0 == "https" } }

    /// Whether it is asked for over TLS.
    var isEncrypted: Bool { hasScheme { $0 == "https" } }

    /// The scheme without regard to case (RFC 3986, 3.1).
    ///
    /// - Parameter isWanted: knows names in lower case.
    private func hasScheme(_ isWanted: (String) -> Bool) -> Bool {
        guard let scheme else { return false }
        return isWanted(scheme) || isWanted(scheme.lowercased())
    }

    /// Whether both have the same scheme, host and port (RFC 6454, 5).
    func hasOrigin(of other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
            && effectivePort == other.effectivePort
    }

    var effectivePort: Int { port ?? (isEncrypted ? 443 : 80) }
}
