import Foundation
import Synchronization
import TintypeTesting

/// A server of HTTP/2 that sends the frames that an input describes.
final class FrameScriptOrigin: FuzzOrigin {
    private let origin: FrameOrigin
    private let script: SharedScript

    private final class SharedScript: Sendable {
        let value = Mutex(FrameScript())
    }

    /// Starts the server.
    ///
    /// - Parameter path: The path of a file with a key and its certificate in PEM format.
    init(identity path: String) async throws {
        let pem = try String(contentsOfFile: path, encoding: .utf8)
        let script = SharedScript()
        self.script = script
        origin = try await FrameOrigin.start(
            OriginIdentity(certificates: pem, key: pem), opening: { script.value.withLock { $0.opening() } },
            answer: { _ in script.value.withLock { $0.answer() } })
    }

    var url: URL { origin.baseURL }

    func begin(_ input: inout FuzzInput) {
        let script = FrameScript(&input)
        self.script.value.withLock { $0 = script }
    }

    func end() async { await origin.closeConnections() }
}

/// The frames of a connection: those at its start, and those that answer each request.
struct FrameScript: Sendable {
    private var start: [OriginFrame] = [.settings()]
    private var answers: ArraySlice<[OriginFrame]> = []

    init() {}

    /// Reads frames until the input ends. A byte of 255 begins the answer to the next request.
    init(_ input: inout FuzzInput) {
        var groups: [[OriginFrame]] = [[]]
        while !input.isEmpty {
            let kind = input.byte()
            if kind == 255 { groups.append([]) } else { groups[groups.count - 1].append(Self.frame(kind, &input)) }
        }
        // A connection that begins otherwise is refused, or waits for its settings until a time-out.
        start = [.settings()] + groups[0]
        answers = groups.dropFirst()
    }

    func opening() -> [OriginFrame] { start }

    mutating func answer() -> [OriginFrame] { answers.popFirst() ?? OriginFrame.response(Data([1, 2, 3])) }

    private static let statuses = [
        "200", "206", "304", "404", "302", "100", "101", "103", "199", "000", "-20", "", "1", "999", "2 0", "204",
    ]
    private static let fields: [(name: String, value: String)] = [
        ("content-length", "3"), ("content-length", "0"), ("content-length", "-1"), ("content-type", "image/png"),
        ("content-encoding", "gzip"), ("location", "/next"), ("set-cookie", "a=b"), ("transfer-encoding", "chunked"),
        (":status", "200"), (":path", "/"), ("", ""), ("UPPER", "x"), ("vary", "*"), ("etag", "\"x\""),
        ("cache-control", "max-age=9"), ("connection", "close"),
    ]

    private static func frame(_ kind: UInt8, _ input: inout FuzzInput) -> OriginFrame {
        let stream = stream(&input)
        return switch kind % 14 {
        case 0, 1: headers(stream, &input)
        case 2, 3: data(stream, &input)
        case 4: .settings([(input.number(bytes: 1) % 10, input.number(bytes: 4))].map { (UInt16($0.0), $0.1) })
        case 5: .windowUpdate(input.number(bytes: 4), stream: stream)
        case 6: .reset(input.number(bytes: 1), stream: stream)
        case 7: .goAway(last: input.number(bytes: 1), code: input.number(bytes: 1))
        case 8: .pushPromise(input.number(bytes: 1), Array(fields(&input)), stream: stream)
        case 9: .continuation(fields(&input), stream: stream, endHeaders: input.byte() & 1 == 0)
        case 10: OriginFrame(type: 6, flags: input.byte(), stream: stream, payload: input.take(8))
        case 11: .bytes(input.take(Int(input.byte())))
        case 12: .close
        default:
            OriginFrame(
                type: input.byte(), flags: input.byte(), stream: stream, payload: input.take(Int(input.byte())))
        }
    }

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

    private static func headers(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        let choices = input.byte()
        let status = choices & 0x80 == 0 ? [(name: ":status", value: statuses[Int(choices & 15)])] : []
        return .headers(
            status + fields(&input), endStream: choices & 0x40 != 0, endHeaders: choices & 0x30 != 0x30, stream: stream)
    }

    private static func data(_ stream: UInt32?, _ input: inout FuzzInput) -> OriginFrame {
        let choices = input.byte()
        let count = choices & 0x40 == 0 ? Int(choices & 0x3F) : Int(choices & 0x3F) << 8
        return .data(Data(count: count), endStream: choices & 0x80 != 0, stream: stream)
    }

    private static func fields(_ input: inout FuzzInput) -> [(name: String, value: String)] {
        let count = Int(input.byte() & 7)
        return (0..<count).map { _ in
            let choice = input.byte()
            guard choice & 0x80 != 0 else { return fields[Int(choice & 15)] }
            let name = String(decoding: input.take(Int(choice & 0x3F)), as: UTF8.self)
            return (name, String(decoding: input.take(Int(input.byte())), as: UTF8.self))
        }
    }
}
