import Foundation
import TintypeCore

extension Exchange {
    /// Follows redirects until a response is not a redirect.
    ///
    /// A redirect to a URL that was requested before is no cycle if a cookie was set since: the server may have waited
    /// for it.
    ///
    /// - Throws: `TintypeError.Code.tooManyRedirects` for a cycle, or for more redirects than the
    ///   settings allow; `TintypeError.Code.refusedRequest` when ``DownloaderConfiguration/redirectHook``
    ///   refuses one.
    func followRedirects(from first: DownloadResponse, to request: DownloadRequest) async throws -> DownloadResponse {
        var (request, response) = (request, first)
        var seen: Set<URL> = []
        var (count, ignoresCookies) = (0, false)
        let limit = transfer.settings.maximumRedirects
        while let next = try await redirect(request, response) {
            seen.insert(request.url)
            if response.headers.contains("set-cookie") {
                if transfer.settings.cookies == nil { ignoresCookies = true } else { seen = [] }
            }
            guard !seen.contains(next.url) else { throw Self.cycle(ignoresCookies) }
            count += 1
            guard count <= limit else { throw Self.tooMany("more than \(limit) redirect\(limit == 1 ? "" : "s")") }
            await response.body.discard()
            transfer.meter.recordRedirect()
            request = next
            response = try await sendOnce(request)
        }
        return response
    }

    /// The request that a response redirects to; `nil` when the response is not a redirect.
    private func redirect(_ request: DownloadRequest, _ response: DownloadResponse) async throws -> DownloadRequest? {
        let next = try request.redirected(
            by: response, keeping: transfer.settings.crossOriginFields, upgrading: transfer.secureURL)
        guard var next else { return nil }
        if !next.headers.contains("Authorization"), let credential = transfer.settings.credential(for: next.url) {
            next = next.authorized(by: credential)
        }
        guard let hook = transfer.settings.configuration.redirectHook else { return next }
        guard var decided = try await hook(next, response) else {
            throw TintypeError(.refusedRequest, stage: .load, "a redirect to \(next.url) was refused")
        }
        if let url = transfer.secureURL(for: decided.url) { decided.url = url }
        return decided
    }

    private static func cycle(_ ignoresCookies: Bool) -> TintypeError {
        let advice = ignoresCookies ? "; the server sets cookies, which this request ignores" : ""
        return tooMany("the redirects form a cycle\(advice)")
    }

    private static func tooMany(_ message: String) -> TintypeError {
        TintypeError(.tooManyRedirects, stage: .load, message)
    }
}

extension DownloadResponse {
    /// Whether the status is a redirect that names a location (RFC 9110, 15.4).
    var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

extension DownloadRequest {
    /// The request that a redirect leads to (RFC 9110, 15.4); `nil` when `response` is not a redirect.
    ///
    /// If it leads to another origin, it keeps only the header fields that are safe there.
    ///
    /// - Parameters:
    ///   - fields: The fields that are safe.
    ///   - secureURL: Returns the URL to request instead of the one that the response names; `nil` for that one.
    /// - Throws: `TintypeError.Code.invalidSource` when the `Location` field is not a URL.
    func redirected(
        by response: DownloadResponse, keeping fields: CrossOriginFields,
        upgrading secureURL: (URL) -> URL? = { _ in nil }
    ) throws(TintypeError) -> DownloadRequest? {
        guard response.isRedirect, let location = response.headers["location"] else { return nil }
        guard let named = URL(string: location, relativeTo: url)?.absoluteURL else {
            throw TintypeError(.invalidSource, stage: .load, "redirected to an invalid URL: \(location)")
        }
        let target = secureURL(named) ?? named
        var next = self
        // A user name and password in the location do not become a credential.
        next.url = target.withoutCredential
        next.method = Self.method(method, after: response.status)
        if next.method != method { next.removeBody() }
        if !target.hasOrigin(of: url) { next.headers = next.headers.filter(fields.contains) }
        return next
    }

    /// Removes the body and the fields that describe it (RFC 9110, 15.4).
    private mutating func removeBody() {
        body = nil
        headers = headers.filter { name in
            let name = name.lowercased()
            return !name.hasPrefix("content-") && name != "transfer-encoding"
        }
    }

    private static func method(_ method: String, after status: Int) -> String {
        switch status {
        case 303 where method != "HEAD": "GET"
        case 301, 302: method == "POST" ? "GET" : method
        default: method
        }
    }
}

/// The names of the header fields that a request keeps when a redirect leads to another origin.
///
/// A program sends its fields to the origin that it names, and any of them may be a secret: API keys have many names.
/// The origin of a redirect is chosen by a server, so it gets only fields that are known to be safe. `Authorization`,
/// `Cookie` and `Proxy-Authorization` never cross origins; ``DownloaderConfiguration/redirectHook`` can add a
/// credential for an origin that it knows.
package struct CrossOriginFields: Hashable, Sendable, ExpressibleByArrayLiteral {
    /// The names in lowercase.
    private var names: Set<String>

    /// Creates a set of names, which are case-insensitive. By default it is empty.
    package init(_ names: some Sequence<String> = []) {
        self.names = Set(names.map { $0.lowercased() }).subtracting(Self.credentials)
    }

    /// Creates a set of names, which are case-insensitive.
    package init(arrayLiteral names: String...) {
        self.init(names)
    }

    /// The fields that contain no secret. They are the fields for content negotiation, client hints, privacy signals
    /// and caching, the conditions and ranges that revalidation and resumption need, and the fields that describe a
    /// body.
    package static let standard: CrossOriginFields = [
        "Accept", "Accept-Charset", "Accept-Encoding", "Accept-Language", "User-Agent", "Priority",
        "DPR", "Width", "Viewport-Width", "Save-Data", "Sec-CH-DPR", "Sec-CH-Width", "Sec-CH-Viewport-Width",
        "Sec-CH-Viewport-Height", "DNT", "Sec-GPC",
        "Cache-Control", "Pragma", "If-Modified-Since", "If-None-Match", "If-Range", "Range",
        "Content-Encoding", "Content-Language", "Content-Type",
    ]

    /// Whether the set contains a name, ignoring case.
    package func contains(_ name: String) -> Bool { names.contains(name.lowercased()) }

    /// Whether the set contains no name.
    package var isEmpty: Bool { names.isEmpty }

    /// Returns the names of both sets.
    package func union(_ other: CrossOriginFields) -> CrossOriginFields {
        guard !other.isEmpty else { return self }
        return CrossOriginFields(names.union(other.names))
    }

    private static let credentials: Set<String> = ["authorization", "cookie", "proxy-authorization"]
}
