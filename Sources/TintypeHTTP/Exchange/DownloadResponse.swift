public import Foundation
import TintypeCore

/// What a server answered: its head, and its body before it is read.
public struct DownloadResponse: Sendable {
    /// Where the answer came from, at the end of all redirects.
    public var url: URL
    public var status: Int
    public var headers: HTTPFields
    public var body: DownloadBody

    public init(url: URL, status: Int, headers: HTTPFields = HTTPFields(), body: DownloadBody = DownloadBody(Data())) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension DownloadResponse {
    /// The bytes that its body has on the wire; `nil` when it does not say, or says what cannot be.
    var contentLength: Int? {
        headers["content-length"].flatMap { Int($0) }.flatMap { $0 >= 0 ? $0 : nil }
    }

    /// How its body is coded. That of an answer which is no success is not looked at.
    var contentCoding: ContentCoding? {
        get throws(TintypeError) {
            guard (200..<300).contains(status), headers.contains("content-encoding") else { return nil }
            return try ContentCoding.of(headers)
        }
    }
}
