import Foundation

/// The form in which it stands in the metadata of an entry: lines of name and value, which is quicker to write than what
/// any general coder makes, and every load writes one.
extension StoredResponse {
    private static let version = "http 1"
    /// The last line, so that nothing is missing before it.
    private static let end = "end"

    var encoded: Data {
        var lines = Lines()
        for line in [Self.version, "\(status)", Self.milliseconds(requested), Self.milliseconds(received)] {
            lines.add(line)
        }
        for (name, value) in headers.wire { lines.add(name, value) }
        for (name, digest) in selected { lines.add("vary \(name)", digest) }
        lines.add(Self.end)
        return lines.data
    }

    /// Text that grows by a line, without making a string of each.
    private struct Lines {
        private var text = ""

        init() {
            text.reserveCapacity(512)
        }

        var data: Data {
            var text = text
            return text.withUTF8 { Data(buffer: $0) }
        }

        mutating func add(_ line: String) {
            text += line
            text += "\n"
        }

        mutating func add(_ name: String, _ value: String) {
            text += name
            text += ": "
            add(value)
        }
    }

    /// `nil` for what this program did not write, or not whole.
    init?(decoding data: Data) {
        let lines = String(decoding: data, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        guard lines.count >= 6, lines[0] == Self.version, lines.suffix(2) == [Self.end[...], ""],
            let status = Int(lines[1]),
            let requested = Self.date(lines[2]), let received = Self.date(lines[3])
        else { return nil }
        self.init(status: status, headers: HTTPFields(), requested: requested, received: received)
        for line in lines[4...].dropLast(2) {
            guard let colon = line.firstRange(of: ": ") else { return nil }
            let (name, value) = (line[..<colon.lowerBound], String(line[colon.upperBound...]))
            if name.hasPrefix("vary ") {
                selected[String(name.dropFirst(5))] = value
            } else {
                headers.add(String(name), value)
            }
        }
    }

    private static func milliseconds(_ date: Date) -> String {
        String(Int64((date.timeIntervalSince1970 * 1000).rounded()))
    }

    private static func date(_ text: Substring) -> Date? {
        Int64(text).map { Date(timeIntervalSince1970: Double($0) / 1000) }
    }
}
