import Foundation
import FuzzSupport

@testable import TintypeTesting

/// The frames of a connection: those at its start, and those that answer each request.
struct FrameScript: Sendable {
    private var start: [OriginFrame] = [.settings()]
    private var answers: ArraySlice<[OriginFrame]> = []

    /// A script that answers each request with ``FuzzGoodResponse``.
    init() {}

    /// Reads frames until the input ends. A byte of 255 begins the answer to the next request, and 254 repeats the last
    /// frame.
    init(_ input: inout FuzzInput) {
        var groups = [FrameGroup()]
        while !input.isEmpty {
            let kind = input.byte()
            if kind == 255 { groups.append(FrameGroup()) } else { groups[groups.count - 1].add(kind, &input) }
        }
        // A connection that begins otherwise is refused, or waits for its settings until a time-out.
        start = [.settings()] + groups[0].frames
        answers = ArraySlice(groups.dropFirst().map(\.closed))
    }

    func opening() -> [OriginFrame] { start }

    mutating func answer() -> [OriginFrame] { answers.popFirst() ?? OriginFrame.response(FuzzGoodResponse.body) }
}

/// The frames that answer one request.
private struct FrameGroup {
    private(set) var frames: [OriginFrame] = []
    /// Whether the frames may end the response, or are followed by nothing while the connection stays open.
    private var isComplete = false

    /// The frames. The connection is closed after an answer that is incomplete, since the client would have to wait for
    /// the rest.
    var closed: [OriginFrame] { isComplete ? frames : frames + [.close] }

    private static let maximumCount = 2000

    mutating func add(_ kind: UInt8, _ input: inout FuzzInput) {
        if kind == 254 {
            let count = 1 << (input.byte() & 7)
            guard let last = frames.last, frames.count < Self.maximumCount else { return }
            frames += Array(repeating: last, count: count)
        } else {
            frames.append(frame(kind % 24, &input))
        }
    }

    private mutating func frame(_ kind: UInt8, _ input: inout FuzzInput) -> OriginFrame {
        let stream = Self.stream(&input)
        return switch kind {
        case 0, 1: headers(stream, &input)
        case 2, 3: data(stream, &input)
        case 4: .settings([(input.number(bytes: 1) % 10, input.number(bytes: 4))].map { (UInt16($0.0), $0.1) })
        case 5: .windowUpdate(input.number(bytes: 4), stream: stream)
        case 6: reset(stream, &input)
        case 7: .goAway(last: input.number(bytes: 1), code: input.number(bytes: 1))
        case 8:
            .pushPromise(promisedStream: input.number(bytes: 1), fields: Array(Self.fields(&input)), stream: stream)
        case 9: .continuation(Self.fields(&input), stream: stream, endHeaders: input.byte() & 1 == 0)
        case 10: OriginFrame(type: 6, flags: input.byte(), stream: stream, payload: input.take(8))
        case 11: .bytes(input.take(Int(input.byte())))
        case 12: .close
        case 13: raw(stream, type: input.byte(), flags: input.byte(), &input)
        case 14, 15: codedHeaders(stream, &input)
        case 16: coded(type: 9, stream, flags: input.byte() & OriginFrame.Flag.endHeaders, &input)
        case 17: paddedData(stream, &input)
        case 18: Self.settings(&input)
        case 19: promise(stream, &input)
        case 20: OriginFrame(type: 2, stream: stream, payload: Self.take(5, from: &input))
        case 21: OriginFrame(type: input.any(of: [10, 12, 16]), stream: stream, payload: input.take(Int(input.byte())))
        case 22:
            .continuation(
                [("x", String(repeating: "a", count: Int(input.number(bytes: 2) & 0x3FF0)))], stream: stream,
                endHeaders: input.byte() & 1 == 0)
        default: OriginFrame(type: input.byte() % 12, flags: input.byte(), stream: stream)
        }
    }

    private mutating func raw(
        _ stream: UInt32?, type: UInt8, flags: UInt8, _ input: inout FuzzInput
    ) -> OriginFrame {
        note(stream, isEnd: flags & OriginFrame.Flag.endStream != 0)
        return OriginFrame(type: type, flags: flags, stream: stream, payload: input.take(Int(input.byte())))
    }

    private mutating func note(_ stream: UInt32?, isEnd: Bool) {
        if stream == nil, isEnd { isComplete = true }
    }

    private static func take(_ count: Int, from input: inout FuzzInput) -> Data {
        let data = input.take(count)
        return data + Data(count: count - data.count)
    }
}

// MARK: - Frames without compression

extension FrameGroup {
    private static let statuses = [
        "200", "206", "304", "404", "302", "100", "101", "103", "199", "000", "-20", "", "1", "999", "2 0", "204",
    ]

    /// The stream of the request, which is the most useful one, or another.
    private static func stream(_ input: inout FuzzInput) -> UInt32? {
        let choice = input.byte()
        return switch choice {
        case 0..<160: nil
        case 160..<200: 0
        case 200..<220: 1
        case 220..<240: 2
        case 240..<250: UInt32(choice - 237)
        default: input.number(bytes: 4)
        }
    }

    private mutating func headers(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        let choices = input.byte()
        let status = choices & 0x80 == 0 ? [(name: ":status", value: Self.statuses[Int(choices & 15)])] : []
        note(stream, isEnd: choices & 0x40 != 0)
        return .headers(
            status + Self.fields(&input), endStream: choices & 0x40 != 0, endHeaders: choices & 0x30 != 0x30,
            stream: stream)
    }

    private mutating func data(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        let choices = input.byte()
        let count = choices & 0x40 == 0 ? Int(choices & 0x3F) : Int(choices & 0x3F) << 8
        note(stream, isEnd: choices & 0x80 != 0)
        return .data(Data(count: count), endStream: choices & 0x80 != 0, stream: stream)
    }

    private mutating func reset(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        note(stream, isEnd: true)
        return .reset(input.number(bytes: 1), stream: stream)
    }

    private static func fields(_ input: inout FuzzInput) -> [(name: String, value: String)] {
        let count = Int(input.byte() & 7)
        return (0..<count).map { _ in
            let choice = input.byte()
            guard choice & 0x80 != 0 else { return FieldBlock.fields[Int(choice & 15)] }
            let name = String(decoding: input.take(Int(choice & 0x3F)), as: UTF8.self)
            return (name, String(decoding: input.take(Int(input.byte())), as: UTF8.self))
        }
    }
}

// MARK: - Frames with padding, priorities and compressed fields

extension FrameGroup {
    /// A HEADERS frame whose fields are compressed in any way that exists.
    private mutating func codedHeaders(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        // Bits that would be flags of other frames make the end of the fields the usual case.
        let choices = input.byte()
        let flags = choices & 0x29 | (choices & 0x50 == 0x50 ? 0 : OriginFrame.Flag.endHeaders)
        note(stream, isEnd: flags & OriginFrame.Flag.endStream != 0)
        return coded(type: 1, stream, flags: flags, &input)
    }

    private mutating func coded(
        type: UInt8, _ stream: UInt32?, flags: UInt8, _ input: inout FuzzInput
    ) -> OriginFrame {
        var payload = Data()
        let padding = type == 1 && flags & OriginFrame.Flag.padded != 0 ? input.byte() : nil
        if let padding { payload.append(padding) }
        if type == 1, flags & 0x20 != 0 { payload += Self.take(5, from: &input) }
        payload += FieldBlock(&input).bytes
        // Sometimes without the bytes that the padding needs.
        if let padding, padding & 0x10 == 0 { payload += Data(count: Int(padding)) }
        return OriginFrame(type: type, flags: flags, stream: stream, payload: payload)
    }

    private mutating func paddedData(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        let (choices, padding) = (input.byte(), input.byte())
        let count = Int(choices & 0x3F) + (choices & 0x40 == 0 ? Int(padding) : 0)
        note(stream, isEnd: choices & 0x80 != 0)
        return OriginFrame(
            type: 0, flags: OriginFrame.Flag.padded | choices >> 7, stream: stream,
            payload: Data([padding]) + Data(count: count))
    }

    /// A SETTINGS frame of up to eight settings, of which one is often the size of the compression table.
    private static func settings(_ input: inout FuzzInput) -> OriginFrame {
        let values: [UInt32] = [
            0, 1, 31, 100, 4096, 16_383, 16_384, 65_535, 65_536, 0xFF_FFFF, 0x100_0000, 0x7FFF_FFFF, 0x8000_0000, .max,
        ]
        let count = 1 + Int(input.byte() & 7)
        return .settings(
            (0..<count).map { _ in
                let choice = input.byte()
                let identifier: UInt16 = choice & 0xF0 == 0xF0 ? UInt16(choice) << 8 : UInt16(choice % 10)
                return (identifier, choice & 0x10 == 0 ? input.any(of: values) : input.number(bytes: 4))
            })
    }

    private mutating func promise(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        let promised = Data([0, 0, 0, input.byte()])
        return OriginFrame(
            type: 5, flags: OriginFrame.Flag.endHeaders, stream: stream, payload: promised + FieldBlock(&input).bytes)
    }
}
