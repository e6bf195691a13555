/// Writes a JSON object (RFC 8259) in one line, with its members in the order in which they are added.
struct JSONObjectText: Sendable {
    private var members = ""

    /// The object.
    var text: String { "{\(members)}" }

    /// Adds a text. Control characters are escaped, so the object stays in one line.
    mutating func add(_ name: String, _ value: String) { add(name, literal: Self.quoted(value)) }

    /// Adds a number.
    mutating func add(_ name: String, _ value: Int) { add(name, literal: "\(value)") }

    /// Adds a truth value.
    mutating func add(_ name: String, _ value: Bool) { add(name, literal: value ? "true" : "false") }

    /// Adds an object.
    mutating func add(_ name: String, _ value: JSONObjectText) { add(name, literal: value.text) }

    /// Adds a number with at most three decimals; one that is not finite as `null`.
    mutating func add(_ name: String, decimal value: Double) {
        guard value.isFinite, value.magnitude < 1e15 else { return add(name, literal: "null") }
        let thousandths = Int((value.magnitude * 1000).rounded())
        let (whole, rest) = thousandths.quotientAndRemainder(dividingBy: 1000)
        let sign = value < 0 && thousandths > 0 ? "-" : ""
        guard rest > 0 else { return add(name, literal: "\(sign)\(whole)") }
        var decimals = String(1000 + rest).dropFirst()
        while decimals.last == "0" { decimals.removeLast() }
        add(name, literal: "\(sign)\(whole).\(decimals)")
    }

    private mutating func add(_ name: String, literal: String) {
        if !members.isEmpty { members += "," }
        members += "\(Self.quoted(name)):\(literal)"
    }

    /// Returns a text in quotes. Beyond what JSON requires, it escapes DEL, C1 controls, line separators, and
    /// characters that hide or reorder text in a terminal.
    private static func quoted(_ text: String) -> String {
        var result = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": result += "\\\""
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\r": result += "\\r"
            case "\t": result += "\\t"
            default:
                if isPlain(scalar) { result.unicodeScalars.append(scalar) } else { result += escape(scalar) }
            }
        }
        return result + "\""
    }

    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.isASCII { return (0x20..<0x7F).contains(scalar.value) }
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator, .privateUse, .unassigned, .surrogate: return false
        default: return true
        }
    }

    private static func escape(_ scalar: Unicode.Scalar) -> String {
        String(scalar).utf16.map { unit in
            let digits = String(unit, radix: 16)
            return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
        }.joined()
    }
}
