import CZlib
import Foundation
import TintypeCore

/// A terminal that understands the kitty graphics protocol: it keeps the images that it is sent.
struct KittyDecoder {
    struct Command: Equatable {
        var keys: [String: String]
        var payload: [UInt8]
    }

    struct Damaged: Error {
        let reason: String
    }

    /// Returns the commands, with their chunks joined.
    static func commands(_ bytes: [UInt8]) throws -> [Command] {
        var commands: [Command] = []
        var isOpen = false
        for case .string("_", let content) in try SequenceReader.items(bytes) {
            guard content.first == UInt8(ascii: "G") else { throw Damaged(reason: "no graphics command") }
            let parts = content.dropFirst().split(separator: UInt8(ascii: ";"), maxSplits: 1)
            let keys = Self.keys(String(decoding: parts[0], as: UTF8.self))
            let encoded = parts.count > 1 ? Data(parts[1]) : Data()
            guard encoded.count <= 4096, let payload = Data(base64Encoded: encoded) else {
                throw Damaged(reason: "bad chunk of \(encoded.count) characters")
            }
            if isOpen {
                let last = commands.count - 1
                let allowed: Set<String> = commands[last].keys["a"] == "f" ? ["m", "q", "a"] : ["m", "q"]
                guard Set(keys.keys).isSubset(of: allowed) else { throw Damaged(reason: "keys in a later chunk") }
                guard commands[last].keys["a"] != "f" || keys["a"] == "f" else { throw Damaged(reason: "no a=f") }
                commands[last].payload += payload
            } else {
                commands.append(Command(keys: keys, payload: Array(payload)))
            }
            isOpen = keys["m"] == "1"
        }
        guard !isOpen else { throw Damaged(reason: "the last chunk is missing") }
        return commands
    }

    private static func keys(_ text: String) -> [String: String] {
        let pairs = text.split(separator: ",").map { $0.split(separator: "=", maxSplits: 1).map(String.init) }
        return Dictionary(uniqueKeysWithValues: pairs.map { ($0[0], $0[1]) })
    }

    /// Returns the straight pixels that a command sends, as opaque or translucent colours.
    static func colors(_ command: Command, shared: [UInt8]? = nil) throws -> [Color] {
        guard let width = command.keys["s"].flatMap({ Int($0) }), let height = command.keys["v"].flatMap({ Int($0) }),
            let format = command.keys["f"].flatMap({ Int($0) })
        else { throw Damaged(reason: "no size or format") }
        let packed = shared ?? command.payload
        let channels = format / 8
        let bytes = command.keys["o"] == "z" ? try inflate(packed, count: width * height * channels) : packed
        guard bytes.count == width * height * channels else {
            throw Damaged(reason: "\(bytes.count) bytes for \(width)x\(height) in format \(format)")
        }
        return stride(from: 0, to: bytes.count, by: channels).map { start in
            Color(
                red: bytes[start], green: bytes[start + 1], blue: bytes[start + 2],
                alpha: channels == 4 ? bytes[start + 3] : 255)
        }
    }

    private static func inflate(_ bytes: [UInt8], count: Int) throws -> [UInt8] {
        var plain = [UInt8](repeating: 0, count: count)
        var length = uLongf(count)
        guard uncompress(&plain, &length, bytes, uLong(bytes.count)) == Z_OK else {
            throw Damaged(reason: "bad zlib data")
        }
        return Array(plain[..<Int(length)])
    }
}
