package import Foundation

/// A connection whose server answers requests with frames of HTTP/2.
package final class FrameConnection: ConnectionHandler {
    /// The first bytes of a client (RFC 9113, 3.4).
    private static let prefaceLength = 24

    private let opening: () -> [OriginFrame]
    private let answersHeads: Bool
    private let answer: @SocketLoop () -> [OriginFrame]
    private var input = Data()
    private var hasPreface = false

    /// - Parameters:
    ///   - opening: Returns the frames at the start of the connection.
    ///   - answersHeads: Whether a request is answered when its head has arrived, and not its last frame.
    ///   - answer: Returns the frames that answer a request.
    package init(
        opening: @escaping () -> [OriginFrame] = { [.settings()] }, answersHeads: Bool = false,
        answer: @escaping @SocketLoop () -> [OriginFrame]
    ) {
        self.opening = opening
        self.answersHeads = answersHeads
        self.answer = answer
    }

    package func opened(_ connection: SocketConnection) {
        send(opening(), for: 0, on: connection)
    }

    package func received(_ bytes: Data, on connection: SocketConnection) {
        input += bytes
        if !hasPreface, input.count >= Self.prefaceLength {
            hasPreface = true
            input = Data(input.dropFirst(Self.prefaceLength))
        }
        guard hasPreface else { return }
        var position = 0
        while let frame = FrameHead(input[position...]), frame.end <= input.count - position {
            position += frame.end
            respond(to: frame, on: connection)
        }
        if position > 0 { input = Data(input[position...]) }
    }

    private func respond(to frame: FrameHead, on connection: SocketConnection) {
        let ends = frame.flags & OriginFrame.Flag.endStream != 0
        switch frame.type {
        case 0 where ends && !answersHeads, 1 where ends || answersHeads:
            send(answer(), for: frame.stream, on: connection)
        case 4 where frame.flags & OriginFrame.Flag.acknowledge == 0:
            let acknowledgement = OriginFrame(type: 4, flags: OriginFrame.Flag.acknowledge, stream: 0)
            send([acknowledgement], for: 0, on: connection)
        default: break
        }
    }

    /// Sends frames in one piece, so that the client reads them together.
    private func send(_ frames: [OriginFrame], for stream: UInt32, on connection: SocketConnection) {
        var wire = Data()
        var closes = false
        for frame in frames {
            if let bytes = frame.wire(for: stream) { wire += bytes } else { closes = true }
        }
        connection.send(wire)
        if closes { connection.close() }
    }

    /// The head of a frame (RFC 9113, 4.1).
    private struct FrameHead {
        let type: UInt8
        let flags: UInt8
        let stream: UInt32
        /// The number of bytes of the whole frame.
        let end: Int

        private static let count = 9

        /// - Returns: `nil` if the head has not arrived.
        init?(_ input: Data) {
            let bytes = [UInt8](input.prefix(Self.count))
            guard bytes.count == Self.count else { return nil }
            func number(_ bytes: ArraySlice<UInt8>) -> UInt32 { bytes.reduce(0) { $0 << 8 | UInt32($1) } }
            (type, flags, stream) = (bytes[3], bytes[4], number(bytes[5...]))
            end = Self.count + Int(number(bytes[..<3]))
        }
    }
}
