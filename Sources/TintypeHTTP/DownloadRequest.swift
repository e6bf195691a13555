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
        guard let url = source.url, let host = url.host(), !host.isEmpty else {
            throw TintypeError(.invalidSource, stage: .load, "not a URL with a host", subject: source.identity)
        }
        self.url = url
        if case .http(let source) = source {
            method = HTTPMethod(rawValue: source.method)
            headers = Self.headers(source.headers, configuration)
        } else {
            method = .GET
            headers = Self.headers([:], configuration)
        }
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
