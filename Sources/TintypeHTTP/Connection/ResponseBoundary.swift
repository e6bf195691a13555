import NIOCore

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

    private let responses: ResponseGuard<HTTP1Wire>
    private var tail = WireTail()

    init(_ responses: ResponseGuard<HTTP1Wire>) {
        self.responses = responses
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard responses.expectsBytes else { return responses.endConnection() }
        responses.beginRead()
        context.fireChannelRead(data)
        let before = tail
        let isAtEnd = unwrapInboundIn(data).withUnsafeReadableBytes { bytes in
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
    func isAll(of bytes: UnsafeRawBufferPointer, after before: WireTail) -> Bool {
        guard hasHead else { return bodyByteCount == bytes.count }
        return before.firstBlankLine(in: bytes).map { $0 + bodyByteCount == bytes.count } ?? false
    }
}

/// The last four bytes that arrived.
///
/// A response ends with the last byte of its body, or with a blank line: behind the head if it has no body, or behind the
/// last chunk (RFC 9112, 6 and 7.1). Bytes that follow a response and end with a blank line contain a whole head, or no
/// head at all, and the decoder reports both as an error. So a blank line at the end tells that the decoder does not wait
/// for the rest of something else.
struct WireTail: Hashable, Sendable {
    private var bytes: UInt32 = 0

    /// Whether they are the end of a line and a blank line.
    var isBlankLine: Bool { bytes == 0x0D0A_0D0A }

    mutating func append(_ bytes: UnsafeRawBufferPointer) {
        for byte in bytes.suffix(4) { append(byte) }
    }

    private mutating func append(_ byte: UInt8) { bytes = bytes << 8 | UInt32(byte) }

    /// The number of bytes up to the end of the first blank line, which may have begun before them. O(*n*).
    func firstBlankLine(in bytes: UnsafeRawBufferPointer) -> Int? {
        var tail = self
        for (index, byte) in bytes.enumerated() {
            tail.append(byte)
            if tail.isBlankLine { return index + 1 }
        }
        return nil
    }
}
