import TintypeCore
import TintypeTesting

@testable import TintypeTerminal

/// A pane of tmux in a terminal with placeholders: it keeps cells with their marks, and the images that tmux passed on.
struct PlaceholderTerminal {
    /// The part of an image that a cell shows.
    struct Part: Hashable {
        let number: UInt32
        let row: Int
        let column: Int
    }

    struct Damaged: Error {
        let reason: String
    }

    /// The cells, by rows.
    private(set) var parts: [[Part?]]
    /// The commands that tmux has passed on.
    private(set) var commands: [KittyDecoder.Command] = []
    private var cursor = (column: 0, row: 0)
    private var savedCursor = (column: 0, row: 0)
    private var color: UInt32?

    init(columns: Int, rows: Int) {
        parts = Array(repeating: Array(repeating: nil, count: columns), count: rows)
    }

    mutating func write(_ bytes: [UInt8]) throws {
        let (pane, passedOn) = try Self.divided(bytes)
        commands += try KittyDecoder.commands(passedOn)
        for item in try SequenceReader.items(pane) {
            switch item {
            case .control(let parameters, let final): try control(parameters, final)
            case .text(let bytes): try text(String(decoding: bytes, as: UTF8.self).unicodeScalars)
            case .escape("7"): savedCursor = cursor
            case .escape("8"): cursor = savedCursor
            default: throw Damaged(reason: "\(item)")
            }
        }
    }

    /// Returns what the pane shows, and the content of the strings that tmux passes on.
    private static func divided(_ bytes: [UInt8]) throws -> (pane: [UInt8], passedOn: [UInt8]) {
        let introducer = Array("\u{1B}Ptmux;".utf8)
        var (pane, passedOn) = ([UInt8](), [UInt8]())
        var rest = bytes[...]
        while let first = rest.first {
            guard rest.starts(with: introducer) else {
                pane.append(first)
                rest = rest.dropFirst()
                continue
            }
            rest = rest.dropFirst(introducer.count)
            while let byte = rest.first, byte != 0x1B || rest.dropFirst().first == 0x1B {
                passedOn.append(byte)
                rest = rest.dropFirst(byte == 0x1B ? 2 : 1)
            }
            guard rest.starts(with: [0x1B, UInt8(ascii: "\\")]) else { throw Damaged(reason: "no end of a string") }
            rest = rest.dropFirst(2)
        }
        return (pane, passedOn)
    }

    private mutating func control(_ parameters: String, _ final: Character) throws {
        let numbers = parameters.split(separator: ";").compactMap { Int($0) }
        let count = numbers.first ?? 1
        switch final {
        case "A": cursor.row -= count
        case "B": cursor.row += count
        case "C": cursor.column += count
        case "H": cursor = ((numbers.last ?? 1) - 1, (numbers.first ?? 1) - 1)
        case "X": for column in cursor.column..<cursor.column + count { parts[cursor.row][column] = nil }
        case "m" where numbers.count == 3 && numbers[0...1] == [38, 5]: color = UInt32(numbers[2])
        case "m" where numbers == [39] || numbers == [0] || numbers == []: color = nil
        default: throw Damaged(reason: "CSI \(parameters) \(final)")
        }
    }

    private mutating func text(_ scalars: String.UnicodeScalarView) throws {
        var rest = scalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "\r": cursor.column = 0
            case "\n": cursor.row += 1
            case "\u{10EEEE}":
                let marks = rest.prefix(3).compactMap { KittyPlaceholders.marks.firstIndex(of: $0) }
                guard marks.count == 3, let color else { throw Damaged(reason: "marks \(marks)") }
                rest = rest.dropFirst(3)
                try put(Part(number: UInt32(marks[2]) << 24 | color, row: marks[0], column: marks[1]))
            default: try put(nil)
            }
        }
    }

    private mutating func put(_ part: Part?) throws {
        guard parts.indices.contains(cursor.row), parts[cursor.row].indices.contains(cursor.column) else {
            throw Damaged(reason: "beyond the edge: \(cursor)")
        }
        parts[cursor.row][cursor.column] = part
        cursor.column += 1
    }

    /// Returns the colours of some cells, put together from the images that they name; `nil` where there is no image.
    ///
    /// - Parameter cell: The size of a cell. Images must cover whole cells.
    func colors(in rect: CellRect, cell: PixelSize) throws -> [Color?] {
        var colors: [Color?] = []
        for y in 0..<rect.span.rows * cell.height {
            for x in 0..<rect.span.columns * cell.width {
                let part = parts[rect.row + y / cell.height][rect.column + x / cell.width]
                colors.append(try part.flatMap { try color(of: $0, x: x % cell.width, y: y % cell.height, cell) })
            }
        }
        return colors
    }

    private func color(of part: Part, x: Int, y: Int, _ cell: PixelSize) throws -> Color? {
        let sent = commands.last { $0.keys["i"] == "\(part.number)" && ["T", "d"].contains($0.keys["a"]) }
        guard let sent, sent.keys["a"] == "T" else { return nil }
        guard sent.keys["U"] == "1", let width = sent.keys["s"].flatMap({ Int($0) }),
            let height = sent.keys["v"].flatMap({ Int($0) }), sent.keys["c"] == "\(width / cell.width)",
            sent.keys["r"] == "\(height / cell.height)", sent.keys["q"] == "2"
        else { throw Damaged(reason: "\(sent.keys)") }
        let place = (part.row * cell.height + y) * width + part.column * cell.width + x
        return try KittyDecoder.colors(sent)[place]
    }
}
