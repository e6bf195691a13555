import Foundation
import NIOCore
import TintypeCore

/// Decides which parts of a response may reach the HTTP client. The client ends the process on several parts that a
/// server can send: a status below 100, a switch of protocols, a part before the head, a second head.
///
/// Informational responses (RFC 9110, 15.2) are dropped: nothing uses them, and they do not count as progress.
struct ResponseOrder: Hashable, Sendable {
    /// The maximum number of informational responses before a response.
    static let maximumInformationalCount = 32

    /// The action of a handler on a part.
    enum Decision: Hashable, Sendable {
        case forward
        case drop
        /// Fails the request, with a message that describes the violation.
        case reject(String)
    }

    private enum Phase: Hashable, Sendable {
        /// No response is expected.
        case idle
        case waitingForHead(informationalCount: Int)
        case receivingBody
        /// A part was rejected, and all further ones are dropped.
        case rejected
    }

    private var phase = Phase.idle
    /// Whether the last request was sent completely.
    private(set) var hasSentRequest = true
    /// Whether a response began before the end of the request, although its status asks for the whole request.
    private(set) var isEarly = false

    /// Whether no response is expected: before the first request, and after each response.
    var isIdle: Bool { phase == .idle }

    // MARK: The request

    /// Records that the head of a request is sent.
    mutating func sendHead() {
        phase = phase == .rejected ? .rejected : .waitingForHead(informationalCount: 0)
        (hasSentRequest, isEarly) = (false, false)
    }

    /// Records that the end of the request is sent.
    mutating func sendEnd() {
        (hasSentRequest, isEarly) = (true, false)
    }

    // MARK: The response

    /// Decides on the head of a response.
    ///
    /// - Parameter status: The status as the server sent it.
    mutating func receiveHead(status: String) -> Decision {
        guard status.utf8.count == 3, let code = Int(status), code >= 100 else {
            let printable = status.utf8.prefix(20).map { (33...126).contains($0) ? $0 : UInt8(ascii: "?") }
            return reject("the server sent the invalid status \"\(String(decoding: printable, as: UTF8.self))\"")
        }
        return receiveHead(status: code)
    }

    /// Decides on the head of a response whose status is a number.
    mutating func receiveHead(status: Int) -> Decision {
        switch phase {
        case .rejected: return .drop
        case .idle, .receivingBody: return reject("the server sent a response that was not requested")
        case .waitingForHead(let count):
            switch status {
            case 101: return reject("the server switched to a protocol that was not requested")
            case 100..<200: return receiveInformational(count + 1)
            case 200...999: return receiveFinal(status)
            default: return reject("the server sent the invalid status \("00\(status)".suffix(3))")
            }
        }
    }

    /// Decides on a part of the body, or the end, of a response.
    ///
    /// - Parameter isEnd: Whether it is the end.
    mutating func receiveRest(isEnd: Bool) -> Decision {
        switch phase {
        case .rejected: return .drop
        case .idle, .waitingForHead: return reject("the server sent a body without a head")
        case .receivingBody:
            if isEnd { phase = .idle }
            return .forward
        }
    }

    /// Rejects the response for another reason.
    mutating func reject(_ message: String) -> Decision {
        guard phase != .rejected else { return .drop }
        phase = .rejected
        return .reject(message)
    }

    private mutating func receiveInformational(_ count: Int) -> Decision {
        guard count <= Self.maximumInformationalCount else {
            return reject("the server sent more than \(Self.maximumInformationalCount) informational responses")
        }
        phase = .waitingForHead(informationalCount: count)
        return .drop
    }

    private mutating func receiveFinal(_ status: Int) -> Decision {
        // The client does not send the body after another status.
        isEarly = !hasSentRequest && status < 300
        phase = .receivingBody
        return .forward
    }
}

/// Closes a connection of HTTP/1.1 on which bytes arrive that belong to no response: behind the end of one, or before a
/// request was sent.
///
/// The client sends the next request on such a connection, and takes the bytes as the response to it. The rest of a body
/// whose `Content-Length` is too small would then make an innocent request fail. If it looks like a response, it would
/// even be shown and stored as the image of another URL. Bytes that arrive after the next request was sent cannot be told
/// from the response to it.
///
/// Add it before the decoder, whose responses the guard gets. Used on the event loop of its channel only.
final class ResponseBoundary: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias InboundOut = ByteBuffer

    private let responses: ResponseGuard
    private var tail = ReceivedTail()

    init(_ responses: ResponseGuard) {
        self.responses = responses
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard responses.expectsBytes else { return responses.endConnection() }
        let read = unwrapInboundIn(data)
        responses.beginRead(byteCount: read.readableBytes)
        context.fireChannelRead(data)
        responses.checkFraming()
        let before = tail
        let isAtEnd = read.withUnsafeReadableBytes { bytes in
            tail.append(bytes)
            return !responses.hasEnd || tail.isBlankLine || responses.decoded.isAll(of: bytes, after: before)
        }
        if !isAtEnd { responses.endConnection() }
    }
}

/// The parts of one response that were decoded from bytes that arrived together.
struct DecodedRead: Hashable, Sendable {
    var hasHead = false
    var bodyByteCount = 0

    /// Whether a head, if there is one, and a body without a transfer coding are all that arrived.
    ///
    /// - Parameter before: The end of the bytes that arrived earlier.
    func isAll(of bytes: UnsafeRawBufferPointer, after before: ReceivedTail) -> Bool {
        guard hasHead else { return bodyByteCount == bytes.count }
        return before.firstBlankLine(in: bytes).map { $0 + bodyByteCount == bytes.count } ?? false
    }
}

/// The size of one response, including the informational ones before it.
struct ResponseSize: Hashable, Sendable {
    /// The number of bytes that arrived on the connection.
    var wireByteCount = 0
    /// The number of bytes of the body that they contained.
    var bodyByteCount = 0

    /// Whether nearly everything is framing. No limit on the body applies to the extensions of chunks (RFC 9112,
    /// 7.1.1), and the decoder accepts them in any length.
    var isMostlyFraming: Bool { wireByteCount > 8 * bodyByteCount + 4 << 20 }
}

/// The last four bytes that arrived.
///
/// A response ends with the last byte of its body, or with a blank line: behind the head if it has no body, or behind the
/// last chunk (RFC 9112, 6 and 7.1). Bytes that follow a response and end with a blank line contain a whole head, or no
/// head at all, and the decoder reports both as an error. So a blank line at the end tells that the decoder does not wait
/// for the rest of something else.
struct ReceivedTail: Hashable, Sendable {
    private var bytes: UInt32 = 0

    /// The end of a line and a blank line.
    private static let blankLine: UInt32 = 0x0D0A_0D0A

    var isBlankLine: Bool { bytes == Self.blankLine }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes.suffix(4) { append(byte) }
    }

    private mutating func append(_ byte: UInt8) { bytes = bytes << 8 | UInt32(byte) }

    /// The number of bytes up to the end of the first blank line, which may have begun before them. O(*n*).
    func firstBlankLine(in bytes: UnsafeRawBufferPointer) -> Int? {
        var tail = self
        for (index, byte) in bytes.prefix(3).enumerated() {
            tail.append(byte)
            if tail.isBlankLine { return index + 1 }
        }
        guard let start = bytes.baseAddress else { return nil }
        var next = 3
        while next < bytes.count, let feed = memchr(start + next, 0x0A, bytes.count - next) {
            next = UnsafeRawPointer(feed) - start + 1
            let end = bytes.loadUnaligned(fromByteOffset: next - 4, as: UInt32.self)
            if UInt32(bigEndian: end) == Self.blankLine { return next }
        }
        return nil
    }
}
