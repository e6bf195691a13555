import Foundation

/// Numbers as a person reads them.
enum HumanFormat {
    /// `"512 B"`, `"1.2 kB"`, `"34 MB"`.
    static func bytes(_ count: Int) -> String {
        let units = ["B", "kB", "MB", "GB", "TB"]
        var (value, unit) = (Double(count), 0)
        while value >= 999.5, unit < units.count - 1 {
            value /= 1000
            unit += 1
        }
        return unit == 0 || value >= 9.95 ? "\(Int(value.rounded())) \(units[unit])" : "\(value.tenths) \(units[unit])"
    }

    /// `"1 entry"`, `"2 entries"`.
    static func count(_ count: Int, _ one: String, _ many: String) -> String {
        "\(count) \(count == 1 ? one : many)"
    }

    /// `"850 µs"`, `"12 ms"`, `"3.4 s"`.
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
    var inMilliseconds: Double { (inSeconds * 1_000_000).rounded() / 1000 }
}

extension Double {
    fileprivate var tenths: String { String(format: "%.1f", self) }
}
