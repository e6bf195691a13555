import Foundation

/// Formats numbers for a person to read.
enum HumanFormat {
    /// Returns a number of bytes with a decimal unit, such as `"512 B"`, `"1.2 kB"` or `"34 MB"`.
    static func bytes(_ count: Int) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(count), 0)
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 || value >= 9.95 ? "\(Int(value.rounded())) \(units[unit])" : "\(value.tenths) \(units[unit])"
    }

    /// Returns a number with its noun, such as `"1 entry"` or `"2 entries"`.
    static func count(_ count: Int, _ singular: String, _ plural: String) -> String {
        "\(count) \(count == 1 ? singular : plural)"
    }

    /// Returns a long time in whole units, such as `"28 s"`, `"4 min"` or `"3 h"`.
    static func time(seconds: Double) -> String {
        switch seconds {
        case ..<90: "\(Int(seconds.rounded(.up))) s"
        case ..<5400: "\(Int((seconds / 60).rounded())) min"
        default: "\(Int((seconds / 3600).rounded())) h"
        }
    }

    /// Returns a duration with its unit, such as `"850 µs"`, `"12 ms"` or `"3.4 s"`.
    static func duration(_ duration: Duration) -> String {
        let seconds = duration.inSeconds
        switch seconds {
        case ..<0.001: return "\(Int((seconds * 1_000_000).rounded())) µs"
        case ..<1: return "\(Int((seconds * 1000).rounded())) ms"
        default: return "\(seconds.tenths) s"
        }
    }
}

extension Duration {
    var inSeconds: Double { Double(components.seconds) + Double(components.attoseconds) * 1e-18 }
    /// The duration in milliseconds, rounded to microseconds.
    var inMilliseconds: Double { (inSeconds * 1_000_000).rounded() / 1000 }
}

extension Double {
    fileprivate var tenths: String { String(format: "%.1f", self) }
}

extension String {
    /// Returns the text with spaces up to a width in characters.
    ///
    /// - Parameter minimum: The number of spaces after a text that is as long or longer.
    func padded(_ width: Int, minimum: Int = 1) -> String {
        self + String(repeating: " ", count: max(width - count, minimum))
    }
}

/// A table whose columns are as wide as their widest cells.
struct TextTable {
    enum Alignment {
        case left
        case right
    }

    let columns: [(title: String, alignment: Alignment)]
    var rows: [[String]] = []

    init(_ columns: [(title: String, alignment: Alignment)]) {
        self.columns = columns
    }

    /// The lines of the table: titles, a rule, then the rows.
    var lines: [String] {
        let widths = columns.indices.map { column in
            ([columns[column].title] + rows.map { $0[column] }).map(\.count).max() ?? 0
        }
        let rule = widths.map { String(repeating: "─", count: $0) }.joined(separator: "  ")
        return [line(columns.map(\.title), widths), rule] + rows.map { line($0, widths) }
    }

    private func line(_ cells: [String], _ widths: [Int]) -> String {
        let padded = cells.indices.map { column in
            let space = String(repeating: " ", count: widths[column] - cells[column].count)
            return columns[column].alignment == .left ? cells[column] + space : space + cells[column]
        }
        return padded.joined(separator: "  ").trimmedAtEnd
    }
}

extension String {
    fileprivate var trimmedAtEnd: String {
        String(reversed().drop { $0 == " " }.reversed())
    }
}
