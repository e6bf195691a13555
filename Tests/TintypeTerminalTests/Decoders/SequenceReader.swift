/// Divides the output of an encoder into control sequences and text, as ECMA-48 defines them.
struct SequenceReader {
    enum Item: Equatable {
        /// A control sequence: parameters with prefix, and the final byte.
        case control(String, Character)
        /// A string: its introducer (`P`, `]` or `_`) and its content.
        case string(Character, [UInt8])
        /// An escape sequence without parameters.
        case escape(Character)
        case text([UInt8])
    }

    static func items(_ bytes: [UInt8]) throws -> [Item] {
        var reader = SequenceReader(bytes: bytes)
        var items: [Item] = []
        while let item = try reader.next() { items.append(item) }
        return items
    }

    private let bytes: [UInt8]
    private var index = 0

    private init(bytes: [UInt8]) {
        self.bytes = bytes
    }

    struct Damaged: Error {
        let offset: Int
    }

    private mutating func next() throws -> Item? {
        guard index < bytes.count else { return nil }
        guard bytes[index] == 0x1B else { return text() }
        guard index + 1 < bytes.count else { throw Damaged(offset: index) }
        let introducer = Character(Unicode.Scalar(bytes[index + 1]))
        index += 2
        switch introducer {
        case "[": return try control()
        case "P", "]", "_": return try string(introducer)
        default: return .escape(introducer)
        }
    }

    private mutating func text() -> Item {
        let start = index
        while index < bytes.count, bytes[index] != 0x1B { index += 1 }
        return .text(Array(bytes[start..<index]))
    }

    private mutating func control() throws -> Item {
        let start = index
        while index < bytes.count, !(0x40...0x7E).contains(bytes[index]) { index += 1 }
        guard index < bytes.count else { throw Damaged(offset: start) }
        defer { index += 1 }
        return .control(
            String(decoding: bytes[start..<index], as: UTF8.self), Character(Unicode.Scalar(bytes[index])))
    }

    private mutating func string(_ introducer: Character) throws -> Item {
        let start = index
        while index < bytes.count {
            if introducer == "]", bytes[index] == 0x07 {
                defer { index += 1 }
                return .string(introducer, Array(bytes[start..<index]))
            }
            if bytes[index] == 0x1B {
                guard index + 1 < bytes.count, bytes[index + 1] == UInt8(ascii: "\\") else {
                    throw Damaged(offset: index)
                }
                defer { index += 2 }
                return .string(introducer, Array(bytes[start..<index]))
            }
            index += 1
        }
        throw Damaged(offset: start)
    }
}
