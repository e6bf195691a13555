public import Foundation
import TintypeCore

/// The response of a server: its head, and its body, which may still be arriving.
public struct DownloadResponse: Sendable {
    /// The URL that the response came from, after all redirects.
    public var url: URL
    /// The status code (RFC 9110, 15).
    public var status: Int
    /// The header fields.
    public var headers: HTTPFields
    /// The body. If no interceptor replaces the body, the transfer reads it.
    public var body: DownloadBody

    /// Creates a response with a status, header fields and a body.
    public init(url: URL, status: Int, headers: HTTPFields = [:], body: DownloadBody = DownloadBody(Data())) {
        self.url = url
        self.status = status
        self.headers = headers
        self.body = body
    }
}

extension DownloadResponse {
    /// `Content-Length`: the number of bytes of the body with its content coding; `nil` when it is missing or invalid.
    var contentLength: Int? {
        headers["content-length"].flatMap { Int(digits: $0) }
    }

    /// The number of bytes of the body that the head announces; `nil` if it does not. The length of a 304 response is
    /// that of the body which it confirms (RFC 9110, 8.6).
    func bodyLength(to method: String) -> Int? {
        if method == "HEAD" { nil } else { status == 304 ? 0 : contentLength }
    }

    /// The number of bytes of the range that the body contains (RFC 9110, 14.4); `nil` if the head states no range.
    var rangeLength: Int? {
        headers["content-range"].flatMap { ContentRange($0) }.map { $0.last - $0.first + 1 }
    }

    /// The content coding of the body; `nil` for none, and for every status that is not a success.
    ///
    /// - Throws: `TintypeError.Code.undecipherable` for a coding that is not supported.
    var contentCoding: ContentCoding? {
        get throws(TintypeError) {
            guard (200..<300).contains(status), headers.contains("content-encoding") else { return nil }
            return try ContentCoding.of(headers)
        }
    }
}

extension Int {
    /// Parses a number that consists of digits alone, as in header fields (RFC 9110, 8.6); `nil` if it is not one, or
    /// too large.
    package init?(digits: some StringProtocol) {
        guard digits.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        self.init(digits)
    }
}

/// The body of a response: in memory, or still arriving.
public struct DownloadBody: Sendable {
    /// Where the bytes are.
    enum Content: Sendable {
        case data(Data)
        case stream(ResponseBody)
    }

    let content: Content

    /// Creates a body that is in memory.
    public init(_ data: Data) {
        content = .data(data)
    }

    init(_ body: ResponseBody) {
        content = .stream(body)
    }

    /// Receives the whole body and returns it without its content coding. Other calls return the same bytes or throw
    /// the same error, which also ends the transfer if the body is not replaced. May be called from any task, whose
    /// cancellation ends this call. The response ends when all calls were cancelled.
    ///
    /// - Throws: `TintypeError.Code.limitExceeded` when the body is larger than the transfer allows,
    ///   `TintypeError.Code.refusedResponse` when the interceptor has already returned the response,
    ///   `TintypeError.Code.cancelled` when the task is cancelled, or an error of the transport.
    public func collect() async throws -> Data {
        switch content {
        case .data(let data): data
        case .stream(let body): try await body.collect()
        }
    }

    /// Reads a body of at most 4096 bytes to its end, so that its connection can be reused. Ignores a body that is
    /// longer, or does not announce its length.
    func discard() async {
        if case .stream(let body) = content { await body.discard() }
    }
}
