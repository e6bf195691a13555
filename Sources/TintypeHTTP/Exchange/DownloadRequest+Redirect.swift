import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TintypeCore

extension DownloadRequest {
    /// The request that a response sends on to (RFC 9110, 15.4); `nil` when it does not.
    ///
    /// What a server names is checked like what a user names. Credentials never go to another origin.
    ///
    /// - Throws: ``TintypeError/Code/invalidSource`` when the response sends to what cannot be asked for.
    func redirected(by response: HTTPClientResponse) throws(TintypeError) -> DownloadRequest? {
        guard [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.headers.first(name: "location")
        else { return nil }
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
            throw TintypeError(.invalidSource, stage: .load, "sent on to what is not a URL: \(location)")
        }
        return try DownloadRequest(
            url: target, method: Self.method(method, after: response.status),
            headers: target.hasOrigin(of: url) ? headers : Self.withoutCredentials(headers))
    }

    private static func method(_ method: HTTPMethod, after status: HTTPResponseStatus) -> HTTPMethod {
        switch status.code {
        case 303 where method != .HEAD: .GET
        case 301, 302: method == .POST ? .GET : method
        default: method
        }
    }

    private static func withoutCredentials(_ headers: HTTPHeaders) -> HTTPHeaders {
        var headers = headers
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] { headers.remove(name: name) }
        return headers
    }
}

extension URL {
    /// Whether both have the same scheme, host and port (RFC 6454, 5).
    fileprivate func hasOrigin(of other: URL) -> Bool {
        scheme?.lowercased() == other.scheme?.lowercased() && host()?.lowercased() == other.host()?.lowercased()
            && effectivePort == other.effectivePort
    }

    private var effectivePort: Int { port ?? (scheme?.lowercased() == "https" ? 443 : 80) }
}
