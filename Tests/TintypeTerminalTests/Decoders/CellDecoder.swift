import TintypeCore

@testable import TintypeTerminal

/// A terminal that shows characters with colours.
struct CellDecoder {
    private(set) var grid: CellGrid
    private var column = 0
    private var row = 0
    private var foreground = CellColor.standard
    private var background = CellColor.standard
    /// The number of characters written.
    private(set) var writtenCells = 0

    struct Damaged: Error {
        let reason: String
    }

    init(columns: Int, rows: Int) {
        grid = CellGrid(span: CellSpan(columns: columns, rows: rows))
    }

    mutating func write(_ bytes: [UInt8]) throws {
        for item in try SequenceReader.items(bytes) {
            switch item {
            case .control(let parameters, let final):
                try control(parameters.split(separator: ";").map(String.init), final)
            case .text(let bytes): try text(String(decoding: bytes, as: UTF8.self))
            default: throw Damaged(reason: "\(item)")
            }
        }
    }

    /// Whether the colours are the default ones, as they must be at the end.
    var isReset: Bool { foreground == .standard && background == .standard }

    private mutating func control(_ parameters: [String], _ final: Character) throws {
        let numbers = parameters.map { Int($0) ?? 0 }
        switch final {
        case "H": (row, column) = ((numbers.first ?? 1) - 1, (numbers.last ?? 1) - 1)
        case "C": column += numbers.first ?? 1
        case "m": try style(numbers)
        default: throw Damaged(reason: "CSI \(parameters) \(final)")
        }
    }

    private mutating func style(_ numbers: [Int]) throws {
        switch numbers.first ?? 0 {
        case 0: (foreground, background) = (.standard, .standard)
        case 30...39: foreground = try color(numbers, base: 30)
        case 40...49: background = try color(numbers, base: 40)
        case 90...97: foreground = .indexed(UInt8(numbers[0] - 82))
        case 100...107: background = .indexed(UInt8(numbers[0] - 92))
        default: throw Damaged(reason: "SGR \(numbers)")
        }
    }

    private func color(_ numbers: [Int], base: Int) throws -> CellColor {
        switch (numbers[0] - base, numbers.count) {
        case (0...7, 1): return .indexed(UInt8(numbers[0] - base))
        case (9, 1): return .standard
        case (8, 3) where numbers[1] == 5: return .indexed(UInt8(numbers[2]))
        case (8, 5) where numbers[1] == 2: return .rgb(UInt8(numbers[2]), UInt8(numbers[3]), UInt8(numbers[4]))
        default: throw Damaged(reason: "colour \(numbers)")
        }
    }

    private mutating func text(_ text: String) throws {
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\r": column = 0
            case "\n": row += 1
            default:
                guard column < grid.span.columns, row < grid.span.rows else { throw Damaged(reason: "beyond the edge") }
                grid[column, row] = Cell(scalar, foreground: foreground, background: background)
                writtenCells += 1
                column += 1
            }
        }
    }

    /// Returns the colours of the pixels of a grid of half blocks or quadrants; `nil` for the default background.
    static func pixels(_ grid: CellGrid, symbols: CellSymbols) -> [Color?] {
        let block = symbols.pixels
        let width = grid.span.columns * block.width
        var pixels = [Color?](repeating: nil, count: width * grid.span.rows * block.height)
        for row in 0..<grid.span.rows {
            for column in 0..<grid.span.columns {
                let cell = grid[column, row]
                for y in 0..<block.height {
                    for x in 0..<block.width {
                        let isInk = ink(cell.symbol, x: x, y: y, block)
                        pixels[(row * block.height + y) * width + column * block.width + x] =
                            color(isInk ? cell.foreground : cell.background)
                    }
                }
            }
        }
        return pixels
    }

    private static func ink(_ symbol: Unicode.Scalar, x: Int, y: Int, _ block: PixelSize) -> Bool {
        let quarters: [Unicode.Scalar: Int] = [
            " ": 0, "▘": 1, "▝": 2, "▀": 3, "▖": 4, "▌": 5, "▞": 6, "▛": 7, "▗": 8, "▚": 9, "▐": 10, "▜": 11, "▄": 12,
            "▙": 13, "▟": 14, "█": 15,
        ]
        let column = block.width == 1 ? 0 : x
        return (quarters[symbol] ?? 0) >> (y * 2 + column) & 1 == 1
    }

    /// The colour of the default palette of xterm.
    static func color(_ color: CellColor) -> Color? {
        switch color {
        case .standard: return nil
        case .rgb(let red, let green, let blue): return Color(red: red, green: green, blue: blue)
        case .indexed(let index) where index >= 232:
            let level = 8 + 10 * (index - 232)
            return Color(red: level, green: level, blue: level)
        case .indexed(let index) where index >= 16:
            let levels: [UInt8] = [0, 95, 135, 175, 215, 255]
            let cube = Int(index) - 16
            return Color(red: levels[cube / 36], green: levels[cube / 6 % 6], blue: levels[cube % 6])
        case .indexed(let index):
            let light: UInt8 = index < 8 ? 205 : 255
            func channel(_ bit: UInt8) -> UInt8 { index >> bit & 1 == 1 ? light : 0 }
            return Color(red: channel(0), green: channel(1), blue: channel(2))
        }
    }
}
