import TintypeCore

/// Divides the bytes from a terminal into answers and keys.
///
/// Bytes may come in parts of any size. Unknown and damaged sequences are dropped.
package struct TerminalInputParser: Sendable {
    private enum State: Sendable {
        case text
        case escape
        /// After `ESC [`.
        case control
        /// After `ESC O`.
        case application
        /// Within a string that was introduced by this byte: `P` (DCS), `]` (OSC), `_` (APC), `^` (PM) or `X` (SOS).
        case string(UInt8)
        /// After an escape within such a string.
        case stringEscape(UInt8)
    }

    private var state = State.text
    private var bytes: [UInt8] = []

    /// The longest sequence that is understood. The rest of a longer one is dropped.
    private static let maximumCount = 4096

    /// Creates a parser at the beginning of the input.
    package init() {}

    /// Whether ``endBurst()`` would return a key.
    package var hasPendingKey: Bool {
        switch state {
        case .text, .stringEscape: false
        case .escape, .control, .application, .string: bytes.isEmpty
        }
    }

    /// Parses bytes that continue the former ones, and returns the input that is complete.
    package mutating func parse(_ input: some Sequence<UInt8>) -> [TerminalInput] {
        var result: [TerminalInput] = []
        for byte in input {
            if let next = parse(byte) { result.append(next) }
        }
        return result
    }

    /// Ends the input for now: an escape that nothing follows is the key, and a sequence that has only begun is a key
    /// that was pressed together with Alt.
    package mutating func endBurst() -> TerminalInput? {
        guard bytes.isEmpty else { return nil }
        let former = state
        state = .text
        switch former {
        case .escape: return .key(.escape)
        case .control: return .key(.character("["))
        case .application: return .key(.character("O"))
        case .string(let kind): return .key(.character(Character(Unicode.Scalar(kind))))
        case .text, .stringEscape: return nil
        }
    }

    private mutating func parse(_ byte: UInt8) -> TerminalInput? {
        switch state {
        case .text: return parseText(byte)
        case .escape: return parseEscape(byte)
        case .control: return parseControl(byte)
        case .application:
            state = .text
            return Self.arrow(byte)
        case .string(let kind): return parseString(byte, kind)
        case .stringEscape(let kind):
            if byte == UInt8(ascii: "\\") { return endString(kind) }
            // The string was truncated, and another sequence begins.
            bytes = []
            state = .escape
            return parseEscape(byte)
        }
    }

    // MARK: Keys

    private mutating func parseText(_ byte: UInt8) -> TerminalInput? {
        if byte == ControlSequence.escape {
            bytes = []
            state = .escape
            return nil
        }
        if byte < 0x80 {
            bytes = []
            return .key(byte == 0x0D || byte == 0x0A ? .enter : .character(Character(Unicode.Scalar(byte))))
        }
        bytes.append(byte)
        guard bytes.count >= Self.length(of: bytes[0]) else { return nil }
        defer { bytes = [] }
        return String(validating: bytes, as: UTF8.self)?.first.map { .key(.character($0)) }
    }

    /// Returns the number of bytes of a character in UTF-8; 1 for a byte that begins none.
    private static func length(of lead: UInt8) -> Int {
        switch lead {
        case 0xC0..<0xE0: 2
        case 0xE0..<0xF0: 3
        case 0xF0..<0xF8: 4
        default: 1
        }
    }

    private static func arrow(_ byte: UInt8) -> TerminalInput? {
        switch byte {
        case UInt8(ascii: "A"): .key(.up)
        case UInt8(ascii: "B"): .key(.down)
        case UInt8(ascii: "C"): .key(.right)
        case UInt8(ascii: "D"): .key(.left)
        case UInt8(ascii: "H"): .key(.home)
        case UInt8(ascii: "F"): .key(.end)
        default: nil
        }
    }

    // MARK: Sequences

    private mutating func parseEscape(_ byte: UInt8) -> TerminalInput? {
        switch byte {
        case UInt8(ascii: "["): state = .control
        case UInt8(ascii: "O"): state = .application
        case UInt8(ascii: "P"), UInt8(ascii: "]"), UInt8(ascii: "_"), UInt8(ascii: "^"), UInt8(ascii: "X"):
            state = .string(byte)
        case ControlSequence.escape: return .key(.escape)
        default:
            state = .text
            return parseText(byte)
        }
        return nil
    }

    private mutating func parseControl(_ byte: UInt8) -> TerminalInput? {
        if byte == ControlSequence.escape {
            bytes = []
            state = .escape
            return nil
        }
        guard (0x40...0x7E).contains(byte) else {
            if bytes.count < Self.maximumCount { bytes.append(byte) }
            return nil
        }
        defer { bytes = [] }
        state = .text
        return ControlReport(bytes, final: byte).input ?? (bytes.isEmpty ? Self.arrow(byte) : nil)
    }

    private mutating func parseString(_ byte: UInt8, _ kind: UInt8) -> TerminalInput? {
        switch byte {
        case ControlSequence.escape: state = .stringEscape(kind)
        // Only OSC sequences end with a bell.
        case 0x07 where kind == UInt8(ascii: "]"): return endString(kind)
        case ..<0x20:
            // No answer has control characters: the string was truncated, and this is a key.
            state = .text
            return parseText(byte)
        default: if bytes.count < Self.maximumCount { bytes.append(byte) }
        }
        return nil
    }

    private mutating func endString(_ kind: UInt8) -> TerminalInput? {
        defer { bytes = [] }
        state = .text
        let text = String(decoding: bytes, as: UTF8.self)
        switch kind {
        case UInt8(ascii: "P"): return text.hasPrefix(">|") ? .version(String(text.dropFirst(2))) : nil
        case UInt8(ascii: "]"): return Self.background(text)
        case UInt8(ascii: "_"): return Self.graphics(text)
        default: return nil
        }
    }

    /// Parses an answer such as `Gi=31;OK`.
    private static func graphics(_ text: String) -> TerminalInput? {
        guard text.hasPrefix("G"), let end = text.firstIndex(of: ";") else { return nil }
        let keys = text[..<end].dropFirst().split(separator: ",")
        guard let number = keys.first(where: { $0.hasPrefix("i=") }).flatMap({ Int($0.dropFirst(2)) }) else {
            return nil
        }
        return .graphics(number: number, message: String(text[end...].dropFirst()))
    }

    /// Parses an answer such as `11;rgb:1e1e/1e1e/2e2e`. A channel has one to four hexadecimal digits.
    private static func background(_ text: String) -> TerminalInput? {
        guard text.hasPrefix("11;rgb:") else { return nil }
        let channels = text.dropFirst(7).split(separator: "/").compactMap { digits -> UInt8? in
            guard (1...4).contains(digits.count), let value = Int(digits, radix: 16), value >= 0 else { return nil }
            let largest = 1 << (4 * digits.count) - 1
            return UInt8((value * 255 + largest / 2) / largest)
        }
        guard channels.count == 3 else { return nil }
        return .background(Color(red: channels[0], green: channels[1], blue: channels[2]))
    }
}

/// A control sequence from a terminal: `ESC [`, perhaps a prefix, numbers, and the final byte.
private struct ControlReport {
    private let prefix: Character?
    private let suffix: Character?
    private let numbers: [Int]
    private let final: UInt8
    /// The sizes and positions that a terminal may report.
    private static let reportable = 1...100_000

    init(_ bytes: [UInt8], final: UInt8) {
        self.final = final
        var text = String(decoding: bytes, as: UTF8.self)[...]
        prefix = text.first.flatMap { "?>=<".contains($0) ? $0 : nil }
        if prefix != nil { text = text.dropFirst() }
        suffix = text.last.flatMap { $0 == "$" ? $0 : nil }
        if suffix != nil { text = text.dropLast() }
        numbers = text.split(separator: ";", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    }

    var input: TerminalInput? {
        switch (prefix, final) {
        case ("?", UInt8(ascii: "c")): return .attributes(numbers)
        case ("?", UInt8(ascii: "y")) where suffix == "$" && numbers.count == 2:
            return .mode(numbers[0], state: numbers[1])
        case ("?", UInt8(ascii: "S")) where numbers.count == 3 && numbers[0] == 1 && numbers[1] == 0:
            return .colorRegisters(numbers[2])
        case (nil, UInt8(ascii: "t")): return size
        case (nil, UInt8(ascii: "n")) where numbers == [0]: return .ready
        case (nil, UInt8(ascii: "R")): return cursor
        case (nil, UInt8(ascii: "~")): return pageKey
        default: return nil
        }
    }

    /// The size that an answer to `CSI 14 t` or `CSI 16 t` reports.
    private var size: TerminalInput? {
        guard numbers.count == 3, numbers.dropFirst().allSatisfy(Self.reportable.contains) else { return nil }
        let size = PixelSize(width: numbers[2], height: numbers[1])
        return numbers[0] == 6 ? .cellSize(size) : numbers[0] == 4 ? .areaSize(size) : nil
    }

    /// The position of the cursor. The terminal counts rows and columns from 1.
    private var cursor: TerminalInput? {
        guard numbers.count == 2, numbers.allSatisfy(Self.reportable.contains) else { return nil }
        return .cursor(column: numbers[1] - 1, row: numbers[0] - 1)
    }

    private var pageKey: TerminalInput? {
        switch numbers.first {
        case 5: .key(.pageUp)
        case 6: .key(.pageDown)
        case 1, 7: .key(.home)
        case 4, 8: .key(.end)
        default: nil
        }
    }
}
