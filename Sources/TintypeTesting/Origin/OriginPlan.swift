import Foundation
import TintypeCore

/// The wire form of a response to one request, fixed before the first byte is sent.
struct OriginPlan {
    /// The event after the last byte.
    enum Conclusion {
        case keepAlive, close, reset, silence
    }

    let response: OriginResponse

    /// The status line and the header fields, or `nil` if nothing is sent.
    let head: String?

    let body: OriginBody
    let conclusion: Conclusion

    /// - Parameters:
    ///   - response: The response to send.
    ///   - isHead: Whether the request was a HEAD.
    ///   - keepsAlive: Whether the request allows the connection to stay open.
    init(_ response: OriginResponse, isHead: Bool, keepsAlive: Bool) {
        let isBodiless = [204, 304].contains(response.status)
        self.response = response
        self.head =
            response.ending == .never || response.ending == .dropped
            ? nil : Self.head(of: response, isBodiless: isBodiless, keepsAlive: keepsAlive)
        self.body = isBodiless || isHead ? .empty : OriginBody(response)
        self.conclusion = Self.conclusion(of: response, keepsAlive: keepsAlive)
    }

    private static func head(of response: OriginResponse, isBodiless: Bool, keepsAlive: Bool) -> String {
        var fields = response.headers
        if !isBodiless, let framing = response.framing.header(bodyCount: response.body.count) {
            fields.append(framing)
        }
        if !keepsAlive || response.framing == .untilClose {
            fields.append(("Connection", "close"))
        }
        let reason = HTTPReason.phrase(of: response.status)
        let statusLine = response.statusLine ?? "HTTP/1.1 \(response.status) \(reason)"
        let lines = [statusLine] + fields.map { "\($0.name): \($0.value)" }
        return response.preamble + lines.joined(separator: "\r\n") + "\r\n\r\n"
    }

    private static func conclusion(of response: OriginResponse, keepsAlive: Bool) -> Conclusion {
        switch response.ending {
        case .whole: keepsAlive && response.framing.allowsKeepAlive ? .keepAlive : .close
        case .cut: .close
        case .reset: .reset
        case .silence, .never: .silence
        case .dropped: .close
        }
    }
}

/// A body that is taken slice by slice and framed with chunk heads where needed.
struct OriginBody {
    /// The body of a response without one.
    static let empty = OriginBody(OriginResponse())

    /// The number of body bytes to send in total.
    let count: Int

    /// The number of body bytes taken so far.
    private(set) var position = 0

    /// The bytes after the last slice.
    let trailer: Data

    private let bytes: Data
    private let chunkSize: Int?

    init(_ response: OriginResponse) {
        bytes = response.body
        count = response.ending.bytesSent(of: response.body.count)
        chunkSize = response.framing.chunkSize
        trailer = chunkSize != nil && response.ending == .whole ? Data("0\r\n\r\n".utf8) : Data()
    }

    /// Whether all body bytes were taken.
    var isExhausted: Bool { position == count }

    /// Takes body bytes up to a position and returns them framed for the wire.
    mutating func next(upTo limit: Int) -> Data {
        let end = min(count, limit)
        var wire = Data()
        while position < end {
            let piece = position..<min(end, chunkEnd)
            if isAtChunkStart { wire.append(contentsOf: chunkHead.utf8) }
            wire.append(bytes.dropFirst(piece.lowerBound).prefix(piece.count))
            if chunkSize != nil, piece.upperBound == chunkEnd { wire.append(contentsOf: "\r\n".utf8) }
            position = piece.upperBound
        }
        return wire
    }

    /// The end of the current chunk, even if only a part of the body is sent.
    private var chunkEnd: Int {
        guard let chunkSize else { return bytes.count }
        return min(bytes.count, (position / chunkSize + 1) * chunkSize)
    }

    private var isAtChunkStart: Bool {
        guard let chunkSize else { return false }
        return position.isMultiple(of: chunkSize)
    }

    private var chunkHead: String {
        String(chunkEnd - position, radix: 16) + "\r\n"
    }
}
