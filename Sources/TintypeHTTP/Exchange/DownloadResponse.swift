import AsyncHTTPClient
public import Foundation
import NIOCore
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

/// The body of a response: still on its way, or at hand.
public struct DownloadBody: Sendable {
    enum Content: Sendable {
        case data(Data)
        case wire(WireBody)
    }

    let content: Content

    public init(_ data: Data) {
        content = .data(data)
    }

    init(_ wire: WireBody) {
        content = .wire(wire)
    }

    /// The whole body, without its content coding, within the limit of the transfer. To be called once.
    public func collect() async throws -> Data {
        switch content {
        case .data(let data): return data
        case .wire(let wire):
            let received = ReceivedBytes(limit: wire.limits.byteCount)
            try await wire.receive(into: received)
            return received.take()
        }
    }

    /// Reads a short body to its end, so that the connection can be used again; gives up a long one, and one that does not
    /// say how long it is.
    func discard() async {
        guard case .wire(let wire) = content, let announced = wire.announced, announced <= 4096 else { return }
        var count = 0
        while count <= announced, let pieces = try? await wire.response.pieces(), !pieces.isEmpty {
            count += pieces.reduce(0) { $0 + $1.readableBytes }
        }
    }

    func receive(into received: ReceivedBytes) async throws {
        switch content {
        case .data(let data): try data.withTypedBytes { bytes throws(TintypeError) in try received.append(bytes) }
        case .wire(let wire): try await wire.receive(into: received)
        }
    }
}
