import TintypeCore

/// A terminal that understands Sixel graphics.
struct SixelDecoder {
    private(set) var size = PixelSize(width: 0, height: 0)
    /// The pixels, row by row; `nil` where nothing was drawn.
    private(set) var pixels: [Color?] = []
    private var registers: [Int: Color] = [:]
    private var color = Color.black
    private var x = 0
    private var y = 0

    struct Damaged: Error {
        let reason: String
    }

    /// Decodes the only graphic in the output of an encoder.
    init(_ bytes: [UInt8]) throws {
        let graphics = try SequenceReader.items(bytes).compactMap { item -> [UInt8]? in
            if case .string("P", let content) = item { content } else { nil }
        }
        guard graphics.count == 1 else { throw Damaged(reason: "\(graphics.count) graphics") }
        try decode(String(decoding: graphics[0], as: UTF8.self))
    }

    private mutating func decode(_ text: String) throws {
        guard text.hasPrefix("0;1;0q\"") else { throw Damaged(reason: "the introducer") }
        var rest = Array(text.dropFirst(7).utf8)[...]
        let attributes = Self.numbers(&rest)
        guard attributes.count == 4, attributes[..<2] == [1, 1] else { throw Damaged(reason: "raster attributes") }
        size = PixelSize(width: attributes[2], height: attributes[3])
        pixels = [Color?](repeating: nil, count: size.area)
        while let byte = rest.popFirst() { try decode(byte, &rest) }
    }

    private mutating func decode(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) throws {
        switch Character(Unicode.Scalar(byte)) {
        case "#": try select(Self.numbers(&rest))
        case "!":
            guard let count = Self.numbers(&rest).first, let value = rest.popFirst() else {
                throw Damaged(reason: "a repetition")
            }
            try draw(value, count: count)
        case "$": x = 0
        case "-": (x, y) = (0, y + 6)
        default: try draw(byte, count: 1)
        }
    }

    private mutating func select(_ numbers: [Int]) throws {
        if numbers.count == 5 {
            guard numbers[1] == 2 else { throw Damaged(reason: "not RGB") }
            let channels = numbers[2...].map { UInt8(($0 * 255 + 50) / 100) }
            registers[numbers[0]] = Color(red: channels[0], green: channels[1], blue: channels[2])
        } else if let known = registers[numbers.first ?? -1] {
            color = known
        } else {
            throw Damaged(reason: "an unknown register")
        }
    }

    private mutating func draw(_ byte: UInt8, count: Int) throws {
        guard (63...126).contains(byte), x + count <= size.width else { throw Damaged(reason: "beyond the right edge") }
        for bit in 0..<6 where (byte - 63) >> UInt8(bit) & 1 == 1 {
            guard y + bit < size.height else { throw Damaged(reason: "beyond the bottom") }
            for column in x..<x + count { pixels[(y + bit) * size.width + column] = color }
        }
        x += count
    }

    private static func numbers(_ rest: inout ArraySlice<UInt8>) -> [Int] {
        var numbers = [0]
        while let byte = rest.first {
            if byte == UInt8(ascii: ";") {
                numbers.append(0)
            } else if (48...57).contains(byte) {
                numbers[numbers.count - 1] = numbers[numbers.count - 1] * 10 + Int(byte - 48)
            } else {
                break
            }
            rest = rest.dropFirst()
        }
        return numbers
    }
}
