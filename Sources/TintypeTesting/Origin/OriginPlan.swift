import Foundation
import NIOHTTP1

/// What a response puts on the wire in answer to a certain request: settled before the first byte goes out.
struct OriginPlan {
    /// What follows the last byte.
    enum Conclusion {
        case keepAlive, close, reset, silence
    }

    let response: OriginResponse

    /// The status line and the header fields; nil if not even they are sent.
    let head: String?

    let body: OriginBody
    let conclusion: Conclusion

    /// - Parameters:
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
        let reason = HTTPResponseStatus(statusCode: response.status).reasonPhrase
        let lines = ["HTTP/1.1 \(response.status) \(reason)"] + fields.map { "\($0.name): \($0.value)" }
        return lines.joined(separator: "\r\n") + "\r\n\r\n"
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

/// A body on its way out: taken off slice by slice, with the heads of its chunks in between.
struct OriginBody {
    /// The body of a response that has none.
    static let empty = OriginBody(OriginResponse())

    /// The bytes of body to send in all.
    let count: Int

    /// The bytes of body taken off so far.
    private(set) var position = 0

    /// What follows the last slice.
    let trailer: Data

    private let bytes: Data
    private let chunkSize: Int?

    init(_ response: OriginResponse) {
        bytes = response.body
        count = response.ending.bytesSent(of: response.body.count)
        chunkSize = response.framing.chunkSize
        trailer = chunkSize != nil && response.ending == .whole ? Data("0\r\n\r\n".utf8) : Data()
    }

    var isExhausted: Bool { position == count }

    /// Takes off the next bytes, framed for the wire.
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

    /// The end of the chunk that the next byte belongs to: of the whole body, even if less of it is sent.
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
