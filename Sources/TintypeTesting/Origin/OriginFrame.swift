package import Foundation

/// A frame that a ``FrameOrigin`` sends, correct or not (RFC 9113, 4.1), or another step of a connection.
package struct OriginFrame: Hashable, Sendable {
    enum Content: Hashable, Sendable {
        case frame(type: UInt8, flags: UInt8, stream: UInt32?, payload: Data)
        case bytes(Data)
        case close
    }

    let content: Content

    /// Creates a frame with any type, flags and payload.
    ///
    /// - Parameters:
    ///   - type: The type of the frame (RFC 9113, 6).
    ///   - flags: The flags of the frame.
    ///   - stream: The stream; `nil` is the stream of the request, or 0 outside of an answer.
    ///   - payload: The payload, whose length the frame declares. At most 2²⁴ - 1 bytes.
    package init(type: UInt8, flags: UInt8 = 0, stream: UInt32? = nil, payload: Data = Data()) {
        content = .frame(type: type, flags: flags, stream: stream, payload: payload)
    }

    private init(_ content: Content) {
        self.content = content
    }

    /// Bytes that are sent unchanged, such as a part of a frame.
    package static func bytes(_ bytes: Data) -> OriginFrame { OriginFrame(.bytes(bytes)) }

    /// Closes the connection in order.
    package static let close = OriginFrame(.close)
}

extension OriginFrame {
    /// The flags of frames (RFC 9113, 6).
    package enum Flag {
        /// The last frame of a stream, in DATA and HEADERS.
        package static let endStream: UInt8 = 0x01
        /// An acknowledgement, in SETTINGS and PING.
        package static let acknowledge: UInt8 = 0x01
        /// The last frame of a field block, in HEADERS, PUSH_PROMISE and CONTINUATION.
        package static let endHeaders: UInt8 = 0x04
        /// The payload begins with the length of its padding.
        package static let padded: UInt8 = 0x08
    }

    /// Returns a HEADERS frame with fields that are neither compressed nor checked.
    ///
    /// - Parameters:
    ///   - fields: The fields in order, such as `(":status", "200")`.
    ///   - endStream: Whether the response ends with this frame.
    ///   - endHeaders: Whether the field block ends with this frame; otherwise ``continuation(_:stream:endHeaders:)``
    ///     must follow.
    ///   - stream: The stream; `nil` is the stream of the request.
    package static func headers(
        _ fields: [(name: String, value: String)], endStream: Bool = false, endHeaders: Bool = true,
        stream: UInt32? = nil
    ) -> OriginFrame {
        let flags = (endStream ? Flag.endStream : 0) | (endHeaders ? Flag.endHeaders : 0)
        return OriginFrame(type: 1, flags: flags, stream: stream, payload: block(fields))
    }

    /// Returns a CONTINUATION frame.
    package static func continuation(
        _ fields: [(name: String, value: String)], stream: UInt32? = nil, endHeaders: Bool = true
    ) -> OriginFrame {
        OriginFrame(type: 9, flags: endHeaders ? Flag.endHeaders : 0, stream: stream, payload: block(fields))
    }

    /// Returns a DATA frame.
    package static func data(_ data: Data, endStream: Bool = false, stream: UInt32? = nil) -> OriginFrame {
        OriginFrame(type: 0, flags: endStream ? Flag.endStream : 0, stream: stream, payload: data)
    }

    /// Returns a SETTINGS frame (RFC 9113, 6.5.2).
    package static func settings(_ settings: [(identifier: UInt16, value: UInt32)] = []) -> OriginFrame {
        var payload = Data()
        for setting in settings {
            payload.append(bigEndian: setting.identifier)
            payload.append(bigEndian: setting.value)
        }
        return OriginFrame(type: 4, stream: 0, payload: payload)
    }

    /// Returns a PUSH_PROMISE frame, which promises a response on another stream.
    ///
    /// - Parameters:
    ///   - promisedStream: The stream of the response.
    ///   - fields: The header fields of the promised request.
    ///   - stream: The stream of the frame; `nil` is that of the request.
    package static func pushPromise(
        promisedStream: UInt32, fields: [(name: String, value: String)], stream: UInt32? = nil
    ) -> OriginFrame {
        var payload = Data()
        payload.append(bigEndian: promisedStream)
        return OriginFrame(type: 5, flags: Flag.endHeaders, stream: stream, payload: payload + block(fields))
    }

    /// Returns a RST_STREAM frame with an error code (RFC 9113, 7).
    package static func reset(_ code: UInt32, stream: UInt32? = nil) -> OriginFrame {
        var payload = Data()
        payload.append(bigEndian: code)
        return OriginFrame(type: 3, stream: stream, payload: payload)
    }

    /// Returns a GOAWAY frame.
    ///
    /// - Parameters:
    ///   - last: The last stream that the origin promises to answer.
    ///   - code: The error code; 0 is none.
    package static func goAway(last: UInt32, code: UInt32 = 0) -> OriginFrame {
        var payload = Data()
        payload.append(bigEndian: last)
        payload.append(bigEndian: code)
        return OriginFrame(type: 7, stream: 0, payload: payload)
    }

    /// Returns a WINDOW_UPDATE frame.
    package static func windowUpdate(_ increment: UInt32, stream: UInt32? = nil) -> OriginFrame {
        var payload = Data()
        payload.append(bigEndian: increment)
        return OriginFrame(type: 8, stream: stream, payload: payload)
    }

    /// Returns a whole response: HEADERS with a status and a length, and DATA in frames of 16 KB, the largest that
    /// every client accepts.
    package static func response(_ body: Data, status: String = "200", type: String = "image/png") -> [OriginFrame] {
        let head = headers([(":status", status), ("content-type", type), ("content-length", "\(body.count)")])
        let starts = Array(stride(from: 0, to: max(1, body.count), by: 16_384))
        return [head]
            + starts.map { .data(body.dropFirst($0).prefix(16_384), endStream: $0 == starts.last) }
    }

    /// Returns fields as literals without indexing or compression (RFC 7541, 6.2.2).
    private static func block(_ fields: [(name: String, value: String)]) -> Data {
        var block = Data()
        for field in fields {
            block.append(0)
            block.append(literal: field.name)
            block.append(literal: field.value)
        }
        return block
    }
}

extension OriginFrame {
    /// The bytes of the frame for a request's stream; `nil` for ``close``.
    func wire(for stream: UInt32) -> Data? {
        switch content {
        case .close: return nil
        case .bytes(let bytes): return bytes
        case .frame(let type, let flags, let own, let payload):
            var wire = Data()
            wire.append(bigEndian: UInt32(truncatingIfNeeded: payload.count) << 8 | UInt32(type))
            wire.append(flags)
            wire.append(bigEndian: own ?? stream)
            return wire + payload
        }
    }
}

extension Data {
    fileprivate mutating func append(bigEndian value: some FixedWidthInteger) {
        Swift.withUnsafeBytes(of: value.bigEndian) { append(contentsOf: $0) }
    }

    /// Appends a string without compression (RFC 7541, 5.2).
    fileprivate mutating func append(literal text: String) {
        let bytes = Data(text.utf8)
        if bytes.count < 127 {
            append(UInt8(bytes.count))
        } else {
            append(127)
            var rest = bytes.count - 127
            while rest >= 128 {
                append(UInt8(rest & 127 | 128))
                rest >>= 7
            }
            append(UInt8(rest))
        }
        append(bytes)
    }
}
