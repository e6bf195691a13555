import Foundation
import TintypeCore

extension DownloadRequest {
    /// The request that a response sends on to (RFC 9110, 15.4); `nil` when it does not.
    ///
    /// Credentials never go to another origin.
    ///
    /// - Throws: ``TintypeCore/TintypeError/Code/invalidSource`` when the response sends to what is not a URL.
    func redirected(by response: DownloadResponse) throws(TintypeError) -> DownloadRequest? {
        guard response.isRedirect, let location = response.headers["location"] else { return nil }
        guard let target = URL(string: location, relativeTo: url)?.absoluteURL else {
            throw TintypeError(.invalidSource, stage: .load, "sent on to what is not a URL: \(location)")
        }
        var next = self
        // What a server writes before the host is not taken for a credential.
        next.url = target.withoutCredential
        next.method = Self.method(method, after: response.status)
        if next.method != method { next.body = nil }
        return next.keepingCredentials(from: url)
    }

    /// Without credentials, if this goes to another origin than `url`.
    func keepingCredentials(from url: URL) -> DownloadRequest {
        guard !self.url.hasOrigin(of: url) else { return self }
        var request = self
        for name in ["Authorization", "Cookie", "Proxy-Authorization"] { request.headers[name] = nil }
        return request
    }

    private static func method(_ method: String, after status: Int) -> String {
        switch status {
        case 303 where method != "HEAD": "GET"
        case 301, 302: method == "POST" ? "GET" : method
        default: method
        }
    }
}

extension DownloadResponse {
    /// Whether it may send on to another place: RFC 9110, 15.4.
    var isRedirect: Bool {
        switch status {
        case 301, 302, 303, 307, 308: true
        default: false
        }
    }
}

/// Decides on a redirect.
public struct RedirectHook: Sendable {
    let decide: @Sendable (DownloadRequest, DownloadResponse) async throws -> DownloadRequest?

    /// - Parameter decide: given the request that would be sent and the response that asks for it, returns the request
    ///   to send; `nil` refuses.
    public init(_ decide: @escaping @Sendable (DownloadRequest, DownloadResponse) async throws -> DownloadRequest?) {
        self.decide = decide
    }
}
