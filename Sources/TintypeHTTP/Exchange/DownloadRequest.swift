import AsyncHTTPClient
import Foundation
import NIOHTTP1
import TintypeCore

/// What is asked of the server for a source.
struct DownloadRequest: Sendable {
    let url: URL
    let method: HTTPMethod
    let headers: HTTPHeaders

    /// - Throws: ``TintypeError/Code/invalidSource``.
    init(_ source: ImageSource, _ configuration: DownloaderConfiguration) throws(TintypeError) {
        guard let url = source.url else {
            throw TintypeError(.invalidSource, stage: .load, "not a URL", subject: source.identity)
        }
        if case .http(let source) = source {
            let headers = Self.headers(source.headers, configuration)
            try self.init(url: url, method: HTTPMethod(rawValue: source.method), headers: headers)
        } else {
            try self.init(url: url, method: .GET, headers: Self.headers([:], configuration))
        }
    }

    /// - Throws: ``TintypeError/Code/invalidSource`` for a URL that HTTP cannot ask for. The client below would stop the
    ///   program for some of them, such as one with a port above 65535.
    init(url: URL, method: HTTPMethod, headers: HTTPHeaders) throws(TintypeError) {
        guard ["http", "https"].contains(url.scheme?.lowercased()), let host = url.host(), !host.isEmpty,
            url.port.map({ (1...65_535).contains($0) }) ?? true
        else {
            throw TintypeError(
                .invalidSource, stage: .load, "not an HTTP URL with a host and a valid port",
                subject: url.absoluteString)
        }
        // A token (RFC 9110, 9.1): a space or line break would begin something else.
        guard !method.rawValue.isEmpty, method.rawValue.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw TintypeError(.invalidSource, stage: .load, "not a method of HTTP", subject: url.absoluteString)
        }
        self.url = url
        self.method = method
        self.headers = headers
    }

    /// The source's own fields, then those of the configuration, then the standard ones; the first of a name counts.
    private static func headers(_ own: [String: String], _ configuration: DownloaderConfiguration) -> HTTPHeaders {
        let standard = ["User-Agent": configuration.userAgent, "Accept": configuration.accept]
        var headers = HTTPHeaders()
        for fields in [own, configuration.headers, standard] {
            for (name, value) in fields.sorted(by: { $0.key < $1.key }) where !headers.contains(name: name) {
                headers.add(name: name, value: value)
            }
        }
        return headers
    }

    var clientRequest: HTTPClientRequest {
        var request = HTTPClientRequest(url: url.absoluteString)
        request.method = method
        request.headers = headers
        return request
    }
}
