/// The text exposition format of Prometheus, version 0.0.4.
enum PrometheusText {
    /// The media type.
    static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// Returns the line of a value.
    static func line(_ name: String, _ labels: String, _ value: String) -> String {
        labels.isEmpty ? "\(name) \(value)" : "\(name){\(labels)} \(value)"
    }

    /// Returns the two lines before the values of a metric.
    static func header(_ name: String, help: String?, type: String) -> [String] {
        let help = help.map { "# HELP \(name) \(escaped($0, quotes: false))" }
        return [help, "# TYPE \(name) \(type)"].compactMap { $0 }
    }

    /// Returns a number: whole ones without a fraction.
    static func number(_ value: Double) -> String {
        if value.isNaN { return "NaN" }
        if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
        return value == value.rounded() && value.magnitude < 1e15 ? "\(Int(value))" : "\(value)"
    }

    /// Returns labels as text, sorted by name. Of labels with equal names, the first one counts.
    static func labels(_ labels: [(String, String)]) -> String {
        var texts: [String: String] = [:]
        for (name, value) in labels where texts[labelName(name)] == nil { texts[labelName(name)] = value }
        return texts.sorted { $0.key < $1.key }.map { "\($0.key)=\"\(escaped($0.value, quotes: true))\"" }
            .joined(separator: ",")
    }

    /// Returns a valid name of a metric: letters, digits, `_` and `:`, and no digit in front.
    static func metricName(_ name: String) -> String { sanitized(name, allowsColon: true) }

    /// Returns a valid name of a label. `le` is the bound of a bucket, and names that begin with `__` belong to
    /// Prometheus.
    static func labelName(_ name: String) -> String {
        let text = sanitized(name, allowsColon: false)
        return text == "le" || text.hasPrefix("__") ? "label_\(text)" : text
    }

    private static func sanitized(_ name: String, allowsColon: Bool) -> String {
        var text = String(
            decoding: name.utf8.map { byte -> UInt8 in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F: byte
                case UInt8(ascii: ":") where allowsColon: byte
                default: UInt8(ascii: "_")
                }
            }, as: UTF8.self)
        if text.first?.isNumber ?? true { text = "_" + text }
        return text
    }

    private static func escaped(_ text: String, quotes: Bool) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\\": result += "\\\\"
            case "\n": result += "\\n"
            case "\"" where quotes: result += "\\\""
            default: result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
